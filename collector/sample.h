/*
 * sample.h: what all samples pass on their way from a source to the sink: whether they are taken
 * at all.
 */
#ifndef PCT_SAMPLE_H
#define PCT_SAMPLE_H

#include "sink.h"

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * What a tick of the clock stands for, in samples: some may be due that nobody knows the place of.
 */
struct tick {
	uint64_t hits, lost;
	bool in_kernel; /* of the clock of the kernel (kernelclock.h) */
};

/* Where samples go from now on; once, when the program starts. */
void sample_into(const struct sink *s);

/* Samples the interrupted context by a tick of the clock. */
void sample_tick(const ucontext_t *context, const struct tick *tick);

/*
 * Samples a context that consumed so many intervals of a resource: in a handler, or where signals
 * are blocked.
 */
void sample_consumed(uint32_t resource, const ucontext_t *context, uint64_t hits);

/* Counts samples that were due while the program was being loaded, where that begins. */
void sample_start(uint64_t n);

/* The calling thread ends. */
void sample_thread_ends(void);

/* The page faults that samples have cost, about. */
uint64_t sample_faults(void);

/* Nothing is sampled while it is off. */
void sample_off(bool off);

#endif
