/*
 * run.h: when and how this process is sampled.
 */
#ifndef PCT_RUN_H
#define PCT_RUN_H

#include "sys.h"

#include <stdbool.h>
#include <stdint.h>

struct run {
	int pid;
	uint64_t start;      /* ns since 1970 */
	uint64_t begun;      /* the same of the program that this process was forked from, or start */
	uint64_t monotonic;  /* CLOCK_MONOTONIC at start, ns */
	/*
	 * CPU time that is in no sample: before the clock began, and of the collector where it
	 * takes long, ns
	 */
	uint64_t unsampled;
	uint64_t period;     /* ns, as the clock keeps it */
	const char *clock;   /* its word in the files */
	const char *resource;
};

extern struct run run;

/* A run of the calling process begins now, of which nothing has been sampled. */
void run_begin(void);

/* Whether the caller is the process that the collector runs in: not so in a child by vfork. */
static inline bool run_mine(void)
{
	return run.pid == (int)sys0(SYS_getpid);
}

#endif
