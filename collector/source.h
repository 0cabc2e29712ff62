/*
 * source.h: what decides when a thread is sampled: a clock, a counter of the kernel's, traps.
 *
 * A source sends signals to the thread whose time or resource it is, and calls sample.h in their
 * handler.
 */
#ifndef PCT_SOURCE_H
#define PCT_SOURCE_H

#include "signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct source {
	/*
	 * Begins with the calling thread, the program's first, if options ask for it. handler is
	 * to come by its signals. Returns how many samples were due before that.
	 */
	uint64_t (*start)(signals_handler *handler);
	/* In the handler: whether a signal is one of its own, which is then dealt with. */
	bool (*signal)(int signal, siginfo_t *info, ucontext_t *context);
	/*
	 * Posts a note if it was kept from measuring what it should: the process ends, or executes
	 * another program.
	 */
	void (*check)(void);
	/* Ends in all threads. */
	void (*end)(void);
};

#endif
