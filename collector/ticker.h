/*
 * ticker.h: the timer, or the event of the kernel, that ticks for one thread.
 *
 * A ticker is changed by one holder at a time only: that of its slot (slot.h), whose number comes
 * back with each tick. The first tick comes after a random part of a period, so that a thread that
 * lives for a tenth of a period is sampled one time in ten; the others after a period each, or
 * with random intervals after one that ticker_next draws.
 */
#ifndef PCT_TICKER_H
#define PCT_TICKER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The shortest period of an event, ns. One that is not much longer than an interrupt takes leaves
 * no time for what would end it: on a slow virtual machine 10 µs held up a processor for good.
 */
enum { TICKER_SHORTEST = 100000 };

enum ticker_kind { BY_TIMER, BY_PERF_TRAP, BY_PERF_SIGNAL, BY_NOTHING /* no time is measured */ };

/* How all of them tick. clock.c alone chooses that. */
struct ticking {
	enum ticker_kind kind;
	_Atomic int signo;
	_Atomic int kernel_signo; /* of the clock of the kernel beside it (kernelclock.h); 0: there is none */
	uint64_t tick;  /* of the kernel, ns */
	uint64_t spent; /* of the next timer's first period, ns; then 0 */
	uint64_t early; /* samples that were due then */
};

extern struct ticking ticking;

/* Zeros are one that stands still. */
struct ticker {
	bool live;
	bool first;      /* the first, shorter, period of an event has begun */
	int timer;
	void *event;
	uint64_t random; /* state of its random numbers */
	uint64_t due;    /* random intervals by timer: when, on the clock of the timer */
};

/*
 * Starts it, if it does not tick already, for a thread of ours; false if it should tick and the
 * kernel does not permit it.
 */
bool ticker_start(struct ticker *t, int tid, int slot);

void ticker_stop(struct ticker *t);

/* Sets up the next tick, if it ticks, of one that does not do so itself. */
void ticker_next(struct ticker *t, int tid, int slot);

/* Whether ticker_next is to be called after a tick. */
bool ticker_wants_next(const struct ticker *t);

/* Forgets what it ticked by, which the parent process has. */
void ticker_forget(struct ticker *t);

#endif
