/* Uses CPU time on stacks that change.
 *
 *   stacks threads N DEPTH ROUNDS   N threads, each DEPTH calls deep, that descend and return by
 *                                   up to eight calls between any two pieces of work
 *   stacks throws ROUNDS            exceptions, thrown by 4 to 19 calls, each with an object to destroy
 */
#include <pthread.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

static long depth, rounds;
static volatile uint64_t sink;

__attribute__((noinline, noclone)) static uint64_t work(uint64_t x, long n)
{
	for (long i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

__attribute__((noinline, noclone)) static uint64_t zigzag(int calls, uint64_t x)
{
	if (calls == 0)
		return work(x, 1000);
	return zigzag(calls - 1, x) ^ work(x, 20);
}

__attribute__((noinline, noclone)) static uint64_t descend(long left, uint64_t x)
{
	if (left > 0)
		return descend(left - 1, x + 1) ^ 1;
	for (long i = 0; i < rounds * 150; i++)
		x = zigzag(static_cast<int>(x >> 61), x);
	return x;
}

static void *thread(void *seed)
{
	sink = descend(depth, reinterpret_cast<uintptr_t>(seed));
	return nullptr;
}

struct Guard {
	~Guard() { sink = sink + 1; }
};

__attribute__((noinline)) static long thrown(long left, long round)
{
	Guard guard;
	if (left == 0)
		throw std::runtime_error("the innermost");
	return thrown(left - 1, round) + 1;
}

__attribute__((noinline)) static long attempt(long round)
{
	try {
		return thrown(4 + round % 16, round);
	} catch (const std::runtime_error &e) {
		return e.what()[0];
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "throws")) {
		for (long i = 0; i < atol(argv[2]) / 3; i++)
			sink = sink + static_cast<uint64_t>(attempt(i));
		return 0;
	}
	if (argc != 5)
		return 2;
	enum { MOST = 16 };
	pthread_t made[MOST];
	long n = atol(argv[2]);
	depth = atol(argv[3]), rounds = atol(argv[4]);
	for (long i = 0; i < n && i < MOST; i++)
		if (pthread_create(&made[i], nullptr, thread, reinterpret_cast<void *>(88172645463325252u + static_cast<uintptr_t>(i))) != 0)
			return 1;
	for (long i = 0; i < n && i < MOST; i++)
		pthread_join(made[i], nullptr);
	return 0;
}
