/* gap SECONDS: burn that much CPU time and look for what is taken from it. The clock
 * is read all the time; where two readings are further apart than the loop needs, the
 * kernel, or a sampler's handler, ran in between. Prints how many such gaps there were,
 * the middle one, and their sum in µs, those left out that are as long as only another
 * process makes them. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { shortest = 700, longest = 150000, most = 1 << 16 }; /* ns; gaps */

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static int64_t gaps[most];
    int64_t burn = (int64_t)(1e9 * (argc > 1 ? atof(argv[1]) : 0.5)), sum = 0;
    int n = 0;
    for (int i = 0; i < most; i++)
        gaps[i] = 1; /* no page faults later */
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
    qsort(gaps, (size_t)n, sizeof *gaps, ascending);
    printf("%d %.3f %.3f\n", n, n ? (double)gaps[n / 2] / 1e3 : 0, (double)sum / 1e3);
    return 0;
}
