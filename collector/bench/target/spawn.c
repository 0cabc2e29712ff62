/* spawn N PROG [ARG...]: run PROG N times, one after another. Prints the middle of the
 * times that it took, in µs from before the start until its end was known, and the CPU
 * time of all, in µs. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double micros(struct timeval t) { return (double)t.tv_sec * 1e6 + (double)t.tv_usec; }

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int n = argc > 2 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fputs("usage: spawn N PROG [ARG...]\n", stderr);
        return 2;
    }
    double *took = calloc((size_t)n, sizeof *took);
    for (int i = 0; i < n; i++) {
        pid_t pid;
        int status;
        double began = now();
        if (posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ) != 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            fprintf(stderr, "spawn: %s failed\n", argv[2]);
            return 1;
        }
        took[i] = now() - began;
    }
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    qsort(took, (size_t)n, sizeof *took, ascending);
    printf("%.1f %.1f\n", took[n / 2], micros(used.ru_utime) + micros(used.ru_stime));
    return 0;
}
