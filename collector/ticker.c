#include "ticker.h"
#include "followed.h"
#include "options.h"
#include "perf.h"
#include "run.h"
#include "sys.h"
#include "timer.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { BEHIND = 16 };

struct ticking ticking;

/* A number from 1 to n. */
static uint64_t draw(struct ticker *t, uint64_t n)
{
	uint64_t z = t->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % n + 1;
}

/* The shortest period of an event whose periods have that mean. */
static uint64_t least(uint64_t mean)
{
	return mean / 2 < TICKER_SHORTEST ? mean / 2 : TICKER_SHORTEST;
}

/* The first period of an event: a random part of one, as far as events may be that short. */
static uint64_t first_period(struct ticker *t)
{
	uint64_t d = draw(t, run.period), low = least(run.period);

	return d < low ? low : d;
}

/* A random period of an event. */
static uint64_t random_period(struct ticker *t)
{
	uint64_t low = least(run.period);

	return low + draw(t, 2 * (run.period - low));
}

/* The clock that a thread's timer measures. */
static clockid_t timer_clock(int tid)
{
	if (options.time == TIME_REAL)
		return CLOCK_MONOTONIC;
	return timer_account(threads_are_followed() ? tid : 0,
			     options.time == TIME_VIRTUAL ? ACCOUNT_USER : ACCOUNT_CPU);
}

/*
 * When the first tick is due, from now. It is a random part of a period from the program's start,
 * so that a process shorter than one is sampled as often as its time is worth; those that were due
 * before now are counted in early.
 *
 * The kernel looks at a timer of CPU time only when its own tick comes, and finds it on average
 * half a tick late. Whole ticks, rounded down, make up for that: the first of its ticks that a
 * process meets is taken with the probability tick/period, as is any other.
 */
static uint64_t first_due(struct ticker *t)
{
	uint64_t d = draw(t, run.period);

	if (d <= ticking.spent) {
		ticking.early = 1 + (ticking.spent - d) / run.period;
		d += ticking.early * run.period;
	}
	d -= ticking.spent;
	ticking.spent = 0;
	if (options.time != TIME_REAL)
		d -= d % ticking.tick;
	return d ? d : 1;
}

static bool start_timer(struct ticker *t, int tid, int slot)
{
	clockid_t clock = timer_clock(tid);
	struct itimerspec when = { 0 };
	uint64_t first = first_due(t);

	if (!timer_make(&t->timer, clock, atomic_load(&ticking.signo), threads_are_followed() ? tid : 0,
			(uint32_t)slot))
		return false;
	if (options.random) {
		t->due = sys_time(clock) + first;
		when.it_value = timer_spec(t->due);
	} else {
		when.it_value = timer_spec(first);
		when.it_interval = timer_spec(run.period);
	}
	sys4(SYS_timer_settime, t->timer, options.random ? TIMER_ABSTIME : 0, &when, NULL);
	return true;
}

static bool start_event(struct ticker *t, int tid, int slot, uint64_t period)
{
	void *old = t->event;

	t->event = perf_open(tid, period, ticking.kind == BY_PERF_TRAP ? 0 : atomic_load(&ticking.signo),
			     (uint32_t)slot, !threads_are_followed());
	perf_close(old);
	return t->event;
}

bool ticker_start(struct ticker *t, int tid, int slot)
{
	if (t->live || ticking.kind == BY_NOTHING)
		return true;
	if (ticking.kind == BY_TIMER) {
		t->live = start_timer(t, tid, slot);
	} else {
		t->first = threads_are_followed();
		t->live = start_event(t, tid, slot, t->first ? first_period(t) : run.period);
	}
	return t->live;
}

void ticker_stop(struct ticker *t)
{
	if (!t->live)
		return;
	t->live = false;
	if (ticking.kind == BY_TIMER)
		sys1(SYS_timer_delete, t->timer);
	perf_close(t->event);
	t->event = NULL;
}

void ticker_next(struct ticker *t, int tid, int slot)
{
	struct itimerspec when = { 0 };

	if (t->live && ticking.kind == BY_TIMER) {
		uint64_t now = sys_time(timer_clock(tid));

		t->due += draw(t, 2 * run.period);
		/*
		 * What is far behind, since the program was stopped or had no CPU, is not caught
		 * up with.
		 */
		if (t->due + BEHIND * run.period < now)
			t->due = now + draw(t, 2 * run.period);
		when.it_value = timer_spec(t->due);
		sys4(SYS_timer_settime, t->timer, TIMER_ABSTIME, &when, NULL);
	} else if (t->live && threads_are_followed()) {
		t->first = false;
		t->live = start_event(t, tid, slot, options.random ? random_period(t) : run.period);
	}
}

bool ticker_wants_next(const struct ticker *t)
{
	return options.random || (ticking.kind != BY_TIMER && t->first);
}

void ticker_forget(struct ticker *t)
{
	/* Timers and the mappings of events are not inherited, a descriptor is. */
	if (!threads_are_followed())
		perf_close(t->event);
	*t = (struct ticker){ .random = t->random };
}
