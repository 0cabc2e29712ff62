/*
 * sample.h: takes a sample, in a handler or where signals are blocked.
 */
#ifndef PCT_SAMPLE_H
#define PCT_SAMPLE_H

#include "kernelclock.h"

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The slow lock: of the one thread that reads the memory map or makes files. False if it can't be had. */
bool sample_take_slow(void);
void sample_release_slow(void);

/* Samples the interrupted context by a tick of the clock. */
void sample_tick(const ucontext_t *context, const struct tick *tick);

/*
 * Samples the call path of a context, which consumed so many intervals of a resource. looks is how many of them were surely
 * consumed there: all or, of a clock's, one or none.
 */
void sample_path(uint32_t resource, const ucontext_t *context, uint64_t hits, uint64_t looks);

/* Counts samples that were due while the program was being loaded, where that begins. */
void sample_start(uint64_t n);

/* Nothing is sampled while it is off. */
void sample_off(bool off);

/* In the child of a fork: another thread may have held the lock. */
void sample_forget(void);

#endif
