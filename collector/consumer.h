/*
 * consumer.h: what a library that counts a resource does where hits are due; libpct.so samples
 * for it (consume.h).
 */
#ifndef PCT_CONSUMER_H
#define PCT_CONSUMER_H

#include "consume.h"
#include "interval.h"
#include "sys.h"

#include <signal.h>
#include <time.h>

/* Samples a context if hits of the resource's timer, the calling thread's, are due there. */
static inline void consumer_sample(const char *name, struct interval *timer, const ucontext_t *context)
{
	uint64_t interval, hits, all = UINT64_MAX, mask;
	int resource = pct_resource ? pct_resource(name, &interval) : PCT_NEVER;

	if (resource < 0) {
		timer->left = resource == PCT_NOT_YET ? 0 : INT64_MAX / 2;
		return;
	}
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof all);
	hits = interval_hits(timer, interval, sys_time(CLOCK_MONOTONIC));
	if (hits)
		pct_consumed(resource, context, hits);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

#endif
