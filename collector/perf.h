/*
 * perf.h: perf events of the kernel: its task clock as a source of ticks, for rates above its
 * timer tick, and counters of what else it counts.
 *
 * An event belongs to one thread and is kept alive by a mapping instead of a descriptor,
 * so that a program that counts or closes its descriptors meets none of ours. Only
 * time in user mode is sampled: what the kernel does for the program is kernelclock.h's.
 */
#ifndef PCT_PERF_H
#define PCT_PERF_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether a thread that blocks SIGTRAP survives an event that sends it. */
bool perf_trap_is_safe(void);

/*
 * Starts an event for a thread of ours: a tick each period ns of its time. signal 0 sends SIGTRAP.
 * data comes back with the tick. heirs: for the threads too that it makes, which takes a
 * descriptor. NULL if it failed.
 */
void *perf_open(int tid, uint64_t period, int signal, uint32_t data, bool heirs);

/*
 * Starts an event that counts what a thread of ours does in user mode, such as page faults; config
 * is the kernel's number of it. A trap by SIGTRAP each period of them. NULL if it failed.
 */
void *perf_open_counter(int tid, uint64_t config, uint64_t period, uint32_t data);

/* Stops an event; NULL is none. */
void perf_close(void *event);

/*
 * Whether a SIGTRAP is of such a counter, its data, and whether it had to wait, for it was
 * blocked.
 */
bool perf_counted(const siginfo_t *info, uint32_t *data, bool *late);

/* Whether a signal is the tick of the task clock, and its data. */
bool perf_ticked(int signal, const siginfo_t *info, uint32_t *data);

#endif
