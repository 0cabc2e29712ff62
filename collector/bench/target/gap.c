/* gap SECONDS [DEPTH]: burn that much CPU time, so many calls deep, and look for what is taken from it. The clock
 * is read all the time; where two readings are further apart than the loop needs, the
 * kernel, or a sampler's handler, ran in between. Prints how many such gaps there were,
 * the middle one, and their sum in µs, those left out that are as long as only another
 * process makes them; and the middle one of those that are longer than a clock tick that
 * does nothing makes them, which other work of the machine hardly changes. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { shortest = 700, tick = 4000, longest = 150000, most = 1 << 16 }; /* ns; gaps */

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t gaps[most], burn, sum;
static int n;

__attribute__((noinline, noclone)) static int64_t look(int calls) {
    if (calls > 0) {
        int64_t last = look(calls - 1);
        __asm__ volatile("" : "+r"(last)); /* a call, not a loop */
        return last;
    }
    int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + burn, last = now(CLOCK_MONOTONIC);
    for (int64_t turn = 1; turn % 4096 || now(CLOCK_THREAD_CPUTIME_ID) < end; turn++) {
        if (turn % 4096 == 0)
            last = now(CLOCK_MONOTONIC); /* the system call is no gap */
        int64_t t = now(CLOCK_MONOTONIC), gap = t - last;
        last = t;
        if (gap < shortest || gap > longest || n == most)
            continue;
        sum += gap;
        gaps[n++] = gap;
    }
    return last;
}

int main(int argc, char **argv) {
    burn = (int64_t)(1e9 * (argc > 1 ? atof(argv[1]) : 0.5));
    for (int i = 0; i < most; i++)
        gaps[i] = 1; /* no page faults later */
    look(argc > 2 ? atoi(argv[2]) : 0);
    qsort(gaps, (size_t)n, sizeof *gaps, ascending);
    int short_ones = 0;
    while (short_ones < n && gaps[short_ones] < tick)
        short_ones++;
    printf("%d %.3f %.3f %.3f\n", n, n ? (double)gaps[n / 2] / 1e3 : 0, (double)sum / 1e3,
        short_ones < n ? (double)gaps[(short_ones + n) / 2] / 1e3 : 0);
    return 0;
}
