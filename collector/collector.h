/*
 * collector.h: the collector's state as the parts that hook into the program see it.
 */
#ifndef PCT_COLLECTOR_H
#define PCT_COLLECTOR_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the program is to be sampled; the first call reads the environment and starts
 * the collector. Other libraries may begin threads before our constructor runs.
 */
bool collector_awake(void);

/* Whether that has yet to be found out. */
bool collector_starts(void);

/* Whether the caller is the process that the collector runs in: not so in a child by vfork. */
bool collector_mine(void);

/* The handler of all signals of ours. */
void collector_signal(int signal, siginfo_t *info, void *context);

/* The process ends normally: for good, or it may go on. */
void collector_complete(bool for_good);

/* It executes another program, which is to find the mask and the pending signals that it would without us. */
void collector_executes(void);

/* The program is about to limit its address space or its data to so many bytes. */
void collector_limited(uint64_t space);

/* The program forbids itself system calls: nothing more is sampled, and nothing written at its end. */
void collector_confine(void);

/* That program could not be executed. */
void collector_goes_on(void);

#endif
