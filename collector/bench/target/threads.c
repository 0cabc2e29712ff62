/* threads N ROUNDS: N threads, each of which does ROUNDS rounds of work of three kinds,
 * in equal parts by turns: numbers, memory, comparisons. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { size = 1 << 14 };
static int rounds;

__attribute__((noinline)) static uint64_t mix(uint64_t x, int n) {
    for (int i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

__attribute__((noinline)) static uint64_t walk(const uint32_t *next, int n) {
    uint64_t at = 0;
    for (int i = 0; i < n; i++)
        at = next[at];
    return at;
}

__attribute__((noinline)) static uint64_t order(uint32_t *values, int n) {
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && values[k - 1] > values[k]; k--) {
            uint32_t v = values[k];
            values[k] = values[k - 1];
            values[k - 1] = v;
        }
    return values[n / 2];
}

static void *work(void *seed) {
    uint32_t *next = malloc(size * sizeof *next), values[200];
    uint64_t x = 88172645463325252u + (uintptr_t)seed, sum = 0;
    for (uint32_t i = 0; i < size; i++)
        next[i] = (i * 5 + 12345) % size;
    for (int r = 0; r < rounds; r++) {
        sum += x = mix(x, 20000);
        sum += walk(next, 10000);
        for (int i = 0; i < 200; i++)
            values[i] = (uint32_t)(x >> (i % 32)) * (uint32_t)(i + 1);
        sum += order(values, 200);
    }
    free(next);
    return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv) {
    pthread_t thread[64];
    int n = argc > 1 ? atoi(argv[1]) : 4;
    rounds = argc > 2 ? atoi(argv[2]) : 1000;
    for (int i = 0; i < n && i < 64; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i) != 0)
            return 1;
    uintptr_t sum = 0;
    for (int i = 0; i < n && i < 64; i++) {
        void *result;
        pthread_join(thread[i], &result);
        sum += (uintptr_t)result;
    }
    printf("%lx\n", (unsigned long)sum);
    return 0;
}
