/*
 * sink.h: where samples go: they are counted by program counter (counts.c) or by call path
 * (calls.c).
 */
#ifndef PCT_SINK_H
#define PCT_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* What a sample of a context stands for. */
struct sample {
	uint32_t resource;
	uint64_t hits;  /* intervals of the resource that were consumed */
	uint64_t lost;  /* hits before them, of which nobody knows where they were due */
	bool of_clock;  /* else all hits were surely consumed in this context, which of the clock's one was at most */
	bool in_kernel; /* of the clock of the kernel (kernelclock.h) */
};

struct sink {
	/* Once, when the program starts, not in a handler. */
	void (*start)(void);
	/*
	 * Counts a sample of the interrupted context: in a handler, or where signals are blocked.
	 */
	void (*add)(const ucontext_t *context, const struct sample *s);
	/* Counts hits at one pc, the program's first: where signals are blocked. */
	void (*add_start)(uint32_t resource, uintptr_t pc, uint64_t hits);
	/* In a handler: counts hits that were not sampled. */
	void (*lose)(uint32_t resource, uint64_t hits);
	/* The pages of memory that it has filled, about. */
	uint64_t (*pages)(void);
	/* The calling thread ends: no clock of its own ticks any more. */
	void (*thread_ends)(void);
	/*
	 * The program is about to limit its memory: gives back what is more. For the holder of the
	 * slow lock.
	 */
	void (*shrink)(void);
	/* The process ends: no more samples will come. For the holder of the slow lock. */
	void (*complete)(void);
	/* In the child of a fork: the parent process has all that was counted. */
	void (*forget)(void);
};

#endif
