/*
 * perf.h: the kernel's task clock as a source of ticks, for rates above its timer tick.
 *
 * An event belongs to one thread and is kept alive by a mapping instead of a descriptor,
 * so that a program that counts or closes its descriptors meets none of ours. Only
 * time in user mode is sampled: what the kernel does for the program is not.
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

/* Stops an event; NULL is none. */
void perf_close(void *event);

/* Whether a signal is the tick of an event, and its data. */
bool perf_ticked(int signal, const siginfo_t *info, uint32_t *data);

#endif
