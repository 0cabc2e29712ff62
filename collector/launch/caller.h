/*
 * caller.h: what profile's caller left to it and a program in Go can't keep: the runtime takes signals that were
 * ignored, opens /dev/null where a standard stream was closed, and needs room in memory. profile writes it down before
 * its program in Go begins, and pct-launch restores it for the target:
 *
 *   IGNORED,CLOSED,AS,DATA
 *
 * the ignored signals (hexadecimal, as in /proc/PID/status), the closed ones of the descriptors 0 to 2 (a bit each), and
 * the soft limits on memory in bytes, "-" where they were left as they are.
 */
#ifndef PCT_CALLER_H
#define PCT_CALLER_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { caller_limits = 2, caller_signals = 64 };

/* The limits on memory below which no program in Go begins, which reserves address space in advance. */
static const struct { int resource; char letter; rlim_t least; } caller_limit[caller_limits] = {
    {RLIMIT_AS, 'v', (rlim_t)2000000 << 10},
    {RLIMIT_DATA, 'd', (rlim_t)256000 << 10},
};
static const char caller_needs[] = "our commands need 2 GB of address space (ulimit -v) and 256 MB of data (ulimit -d)";

/*
 * caller_raise raises the soft limits on memory that are too low, and writes the state to text. Where a hard limit is
 * too low it changes nothing and returns false; text is the limit then, as "ulimit -v 500000".
 */
static inline bool caller_raise(char *text, size_t size) {
    unsigned long long ignored = 0;
    unsigned closed = 0;
    char limits[caller_limits][24];
    struct rlimit was[caller_limits];
    for (int i = 0; i < caller_limits; i++) {
        if (getrlimit(caller_limit[i].resource, &was[i]) != 0)
            was[i].rlim_cur = was[i].rlim_max = RLIM_INFINITY;
        if (was[i].rlim_max != RLIM_INFINITY && was[i].rlim_max < caller_limit[i].least) {
            snprintf(text, size, "ulimit -%c %llu", caller_limit[i].letter, (unsigned long long)was[i].rlim_max >> 10);
            return false;
        }
    }
    for (int i = 0; i < caller_limits; i++) {
        struct rlimit most = {was[i].rlim_max, was[i].rlim_max};
        bool low = was[i].rlim_cur != RLIM_INFINITY && was[i].rlim_cur < caller_limit[i].least;
        strcpy(limits[i], "-");
        if (low && setrlimit(caller_limit[i].resource, &most) == 0)
            snprintf(limits[i], sizeof limits[i], "%llu", (unsigned long long)was[i].rlim_cur);
    }
    for (int sig = 1; sig <= caller_signals; sig++) {
        struct sigaction action;
        if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            ignored |= 1ULL << (sig - 1);
    }
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            closed |= 1U << fd;
    snprintf(text, size, "%llx,%x,%s,%s", ignored, closed, limits[0], limits[1]);
    return true;
}

/* caller_restore does what is written; false if it is no such text. */
static inline bool caller_restore(const char *text) {
    unsigned long long ignored;
    unsigned closed;
    char limits[caller_limits][24];
    if (sscanf(text, "%llx,%x,%23[^,],%23s", &ignored, &closed, limits[0], limits[1]) != 4)
        return false;
    for (int sig = 1; sig <= caller_signals; sig++)
        if (ignored >> (sig - 1) & 1)
            signal(sig, SIG_IGN);
    for (int i = 0; i < caller_limits; i++) {
        struct rlimit limit;
        if (strcmp(limits[i], "-") == 0 || getrlimit(caller_limit[i].resource, &limit) != 0)
            continue;
        limit.rlim_cur = (rlim_t)strtoull(limits[i], NULL, 10);
        setrlimit(caller_limit[i].resource, &limit);
    }
    for (int fd = 0; fd <= 2; fd++)
        if (closed >> fd & 1)
            close(fd);
    return true;
}

#endif
