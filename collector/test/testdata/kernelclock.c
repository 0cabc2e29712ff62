/*
 * Shows the accounts of threads to the clock of the kernel. Prints where samples are more or fewer
 * than they should be; if nowhere, done.
 */
#include "../../kernelclock.c"

#include <stdio.h>

struct run run;
struct ticking ticking = { .tick = 4000000 };
struct options options;

/* What becomes of an event that is due about when the kernel ticks. */
enum outcome { HIDDEN, BEFORE, AFTER };

enum { SECOND = 1000000000, NEAR = 20000 };

struct thread {
	struct kernelclock clock;
	uint64_t samples; /* in user mode */
	uint64_t kernel, lost;
	uint64_t user;    /* ns, by the kernel's ticks */
};

static int mistakes;

static void check(bool good, const char *what, uint64_t got, uint64_t want)
{
	if (good)
		return;
	printf("%s, each %lu ns: %lu, want %lu\n", what, (unsigned long)run.period, (unsigned long)got,
	       (unsigned long)want);
	mistakes++;
}

static void event(struct thread *t, uint64_t now)
{
	t->samples += kernelclock_event(&t->clock, now).hits;
}

static void tick(struct thread *t, uint64_t now, bool in_kernel)
{
	struct tick k;

	t->user += in_kernel ? 0 : ticking.tick;
	k = kernelclock_tick(&t->clock, now, t->user);
	*(k.in_kernel ? &t->kernel : &t->samples) += k.hits;
	t->lost += k.lost;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A second in user mode, in which events are due from a moment on: the number of them. */
static uint64_t loop(struct thread *t, uint64_t first, uint64_t at, enum outcome o)
{
	uint64_t n = 0;

	for (uint64_t due = first; due < SECOND; due += run.period, n++) {
		for (; at + NEAR < due; at += ticking.tick)
			tick(t, at, false);
		if (at > due + NEAR) {
			event(t, due);
			continue;
		}
		if (o == BEFORE)
			event(t, due);
		tick(t, o == BEFORE ? later(at, due) : at, false);
		if (o == AFTER)
			event(t, later(at, due));
		at += ticking.tick;
	}
	return n;
}

static void in_user_mode(void)
{
	static const char *const what[] = { "hidden by ticks", "before ticks", "after ticks" };

	for (enum outcome o = HIDDEN; o <= AFTER; o++) {
		for (uint64_t phase = 1000; phase < ticking.tick; phase += 1000) {
			struct thread t = { 0 };
			uint64_t n = loop(&t, run.period / 3, phase, o);

			/* Whether the first event is due is not known before. */
			check(t.samples <= n && t.samples + 1 >= n, what[o], t.samples, n);
			check(!t.kernel && !t.lost, "in the kernel", t.kernel, 0);
		}
	}
}

/* Each third tick finds the kernel, in which no event is seen: its time is what the others lack. */
static void in_both(void)
{
	struct thread t = { 0 };
	uint64_t turn = 3 * ticking.tick, all = 0;

	for (uint64_t start = 0; start + turn < SECOND; start += turn, all = start) {
		for (uint64_t due = start + run.period; due <= start + 2 * ticking.tick; due += run.period)
			event(&t, due);
		tick(&t, start + turn, true);
	}
	check((t.samples + t.kernel) * run.period <= all && (t.samples + t.kernel + 1) * run.period > all, "both",
	      t.samples + t.kernel, all / run.period);
	check(t.kernel * run.period >= all / 3 && t.kernel * run.period < all / 3 + all / turn * run.period,
	      "the kernel", t.kernel, all / 3 / run.period);
}

/* Where the periods of events are random, nothing is known of the next one. */
static void at_random(void)
{
	struct thread t = { 0 };

	options.random = true;
	event(&t, run.period);
	tick(&t, 2 * run.period, false);
	event(&t, 2 * run.period + run.period * 3 / 5);
	check(t.samples == 2, "at random", t.samples, 2);
	options.random = false;
}

/* Of what a thread used while its signals were blocked, who knows where, all but some is lost. */
static void unseen(void)
{
	struct thread t = { 0 };
	uint64_t most = TICKS_UNSEEN * ticking.tick / run.period, all = SECOND / run.period;

	tick(&t, SECOND, true);
	check(t.kernel == most, "unseen", t.kernel, most);
	check(t.lost == all - most, "lost", t.lost, all - most);
}

int main(void)
{
	static const uint64_t periods[] = { 100000, 250000, 500000, 1000000, 1003000, 2000000, 3333333 };

	for (unsigned i = 0; i < sizeof periods / sizeof *periods; i++) {
		run.period = periods[i];
		in_user_mode();
		in_both();
		at_random();
		unseen();
	}
	if (!mistakes)
		printf("done\n");
	return mistakes > 0;
}
