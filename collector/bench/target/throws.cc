// throws ROUNDS: descends by 4 to 19 calls, each with an object to destroy; every third
// time the innermost one throws what the outermost one catches.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

static long live;
static volatile long sink;

struct Guard {
    Guard() { ++live; }
    ~Guard() { --live; }
};

__attribute__((noinline)) static long work(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += i * i ^ sum;
    return sum;
}

__attribute__((noinline)) static long descend(int left, int round) {
    Guard guard;
    if (left == 0) {
        sink = work(300);
        if (round % 3 == 0)
            throw std::runtime_error("the innermost");
        return 1;
    }
    std::string text(40, 'x');
    return descend(left - 1, round) + static_cast<long>(text.size());
}

__attribute__((noinline)) static long attempt(int round) {
    try {
        return descend(4 + round % 16, round);
    } catch (const std::runtime_error &e) {
        return e.what()[0];
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? std::atoi(argv[1]) : 100000;
    long sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += attempt(i);
    std::printf("%ld %ld\n", sum, live);
    return 0;
}
