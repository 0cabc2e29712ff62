/* deep THREADS DEPTH ROUNDS: in each thread a walk at random along a recursion, which
 * descends and returns by up to eight calls between any two pieces of work, never
 * nearer to its root than DEPTH calls. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int depth, rounds;

__attribute__((noinline, noclone)) static uint64_t work(uint64_t x, int n) {
    for (int i = 0; i < n; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

__attribute__((noinline, noclone)) static uint64_t zigzag(int calls, uint64_t x) {
    if (calls == 0)
        return work(x, 600);
    return zigzag(calls - 1, x) ^ work(x, 20);
}

__attribute__((noinline, noclone)) static uint64_t descend(int left, uint64_t x) {
    if (left > 0)
        return descend(left - 1, x + 1) ^ 1;
    for (int i = 0; i < rounds; i++)
        x = zigzag((int)(x >> 61), x);
    return x;
}

static void *thread(void *seed) { return (void *)(uintptr_t)descend(depth, (uintptr_t)seed); }

int main(int argc, char **argv) {
    pthread_t made[16];
    int n = argc > 1 ? atoi(argv[1]) : 0;
    depth = argc > 2 ? atoi(argv[2]) : 250;
    rounds = argc > 3 ? atoi(argv[3]) : 1000000;
    uintptr_t sum = 0;
    if (n <= 1)
        sum = (uintptr_t)thread((void *)88172645463325252u);
    for (int i = 0; n > 1 && i < n && i < 16; i++)
        if (pthread_create(&made[i], NULL, thread, (void *)(uintptr_t)(88172645463325252u + (uintptr_t)i)) != 0)
            return 1;
    for (int i = 0; n > 1 && i < n && i < 16; i++) {
        void *result;
        pthread_join(made[i], &result);
        sum += (uintptr_t)result;
    }
    printf("%lx\n", (unsigned long)sum);
    return 0;
}
