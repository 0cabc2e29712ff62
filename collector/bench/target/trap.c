/* Preloaded: a trap each $TRAP_PERIOD nanoseconds of CPU time of each thread, whose handler does nothing. This is
 * the least that any sampler within the program can cost. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void trapped(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
}

__attribute__((constructor)) static void start(void) {
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = strtoull(getenv("TRAP_PERIOD"), NULL, 10),
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .inherit = 1,
        .inherit_thread = 1,
        .remove_on_exec = 1,
        .sigtrap = 1,
    };
    struct sigaction a = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigfillset(&a.sa_mask);
    sigaction(SIGTRAP, &a, NULL);
    /* It lives as long as the descriptor. */
    if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
        perror("trap: perf_event_open");
        _exit(125);
    }
}
