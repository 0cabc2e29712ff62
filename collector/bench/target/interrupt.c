/* interrupt PERIOD PROG [ARG...]: execute PROG with a timer interrupt each PERIOD
 * nanoseconds of its CPU time, and that of all its threads and children, and nothing
 * else: the event samples, but has no buffer to write to. This is the least that any
 * sampler beyond the kernel's tick can cost. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: interrupt PERIOD PROG [ARG...]\n", stderr);
        return 2;
    }
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = strtoull(argv[1], NULL, 10),
        .sample_type = PERF_SAMPLE_IP,
        .disabled = 1,
        .enable_on_exec = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    /* Not closed at exec: the event lives as long as the descriptor. */
    if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0) {
        perror("interrupt: perf_event_open");
        return 125;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
