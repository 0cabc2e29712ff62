#include "events.h"
#include "followed.h"
#include "interval.h"
#include "note.h"
#include "options.h"
#include "perf.h"
#include "run.h"
#include "sample.h"
#include "slot.h"
#include "space.h"
#include "sys.h"

#include <linux/perf_event.h>
#include <link.h>
#include <stdatomic.h>
#include <sys/resource.h>

enum {
	COUNTERS_MOST = 2, /* faults alone, or the two kinds of them */
	/*
	 * page faults; the collector's own that are not counted are fewer, but for those that
	 * sample_faults tells of
	 */
	MANY = 1000,
};

/*
 * The data of an event is the slot, the counter, and the number of the event among those of the
 * counter: a trap of one that was closed meanwhile is told from one of the next.
 */
enum { COUNTER_SHIFT = 13, NUMBER_SHIFT = 16 };
_Static_assert(SLOTS <= 1 << COUNTER_SHIFT && COUNTERS_MOST <= 1 << (NUMBER_SHIFT - COUNTER_SHIFT),
	       "the data has room");

struct counter {
	void *event; /* NULL: none */
	uint64_t period;
	uint16_t number;
	struct interval timer;
};

static struct counter (*counters)[COUNTERS_MOST]; /* of each slot of the clock; there if any are wanted */
static uint32_t wanted[COUNTERS_MOST]; /* indices of resources */
static uint32_t count;
static _Atomic bool on;
static _Atomic bool begun; /* one event was there: the kernel permits them */
static _Atomic uint64_t seen;   /* by the first counter at most: what it would have to count until it traps is in it */
static uint64_t before;         /* of the process by the kernel's account, when counting began */

/*
 * The bounds of our own code, by the headers that our first page begins with: an array, since what
 * stands behind the first is read too.
 */
extern const char own_page[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
static uintptr_t own_start, own_end;

static void find_own(void)
{
	const ElfW(Ehdr) *header = (const void *)own_page;
	const ElfW(Phdr) *p = (const void *)(own_page + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++) {
		if (p[i].p_type != PT_LOAD || !(p[i].p_flags & PF_X))
			continue;
		own_start = (uintptr_t)own_page + p[i].p_vaddr;
		own_end = own_start + p[i].p_memsz;
	}
}

static const struct resource *resource(uint32_t i)
{
	return &options.resources[wanted[i]];
}

/*
 * The page faults of the process that the first counter would see if it saw those in system calls.
 */
static uint64_t account(void)
{
	struct rusage u;

	if (sys2(SYS_getrusage, RUSAGE_SELF, &u) < 0)
		return 0;
	switch (resource(0)->kind->which) {
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return (uint64_t)u.ru_majflt;
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		return (uint64_t)u.ru_minflt;
	default:
		return (uint64_t)u.ru_majflt + (uint64_t)u.ru_minflt;
	}
}

/*
 * Takes a resource in. One fault that two events are due at raises one trap, which tells of one:
 * what is part of another one is not measured beside it.
 */
static void want(uint32_t r)
{
	const struct resource_kind *k = options.resources[r].kind;

	for (uint32_t i = 0; i < count; i++) {
		if (k->which == PERF_COUNT_SW_PAGE_FAULTS || resource(i)->kind->which == PERF_COUNT_SW_PAGE_FAULTS) {
			note_post(NOTE_EVENTS_OVERLAP);
			return;
		}
	}
	if (count < COUNTERS_MOST)
		wanted[count++] = r;
}

/* Finds out what is to be counted. */
static void choose(signals_handler *handler)
{
	for (uint32_t i = 0; i < options.resource_count; i++)
		if (options.resources[i].kind->source == RESOURCE_EVENT)
			want(i);
	if (!count)
		return;
	counters = space_reserve(SLOTS * sizeof *counters);
	if (!counters) {
		count = 0;
		note_post(NOTE_PATHS_MEMORY);
		return;
	}
	if (!threads_are_followed() || signals_traced() || !perf_trap_is_safe() || !signals_take(SIGTRAP, handler)) {
		note_post(NOTE_EVENTS_REFUSED);
		return;
	}
	find_own();
	before = account();
	atomic_store(&on, true);
}

static uint64_t start(signals_handler *handler)
{
	choose(handler);
	return 0;
}

static void see(uint32_t i, uint64_t n)
{
	if (i == 0)
		atomic_fetch_add_explicit(&seen, n, memory_order_relaxed);
}

/*
 * Opens the event of the next hit in place of the one that is there, which stays if there can be
 * no other.
 */
static bool open_next(int slot, int tid, uint32_t i)
{
	struct counter *c = &counters[slot][i];
	uint64_t period = (uint64_t)c->timer.left + 1;
	uint16_t number = (uint16_t)(c->number + 1);
	void *event;

	if (c->event && c->period == period)
		return true;
	event = perf_open_counter(tid, resource(i)->kind->which, period, (uint32_t)number << NUMBER_SHIFT |
				  i << COUNTER_SHIFT | (uint32_t)slot);
	if (!event)
		return false;
	c->number = number;
	c->period = period;
	perf_close(c->event);
	c->event = event;
	see(i, period);
	return true;
}

void events_start(int slot, int tid)
{
	for (uint32_t i = 0; i < count && atomic_load(&on); i++) {
		struct counter *c = &counters[slot][i];

		if (c->event)
			continue;
		/* How far the last interval had come is not known: a new one begins. */
		c->timer.begun = false;
		c->timer.left = 0;
		interval_hits(&c->timer, resource(i)->interval, sys_time(CLOCK_MONOTONIC));
		if (open_next(slot, tid, i)) {
			atomic_store(&begun, true);
		} else if (atomic_load(&begun)) {
			note_post(NOTE_NO_CLOCK);
		} else {
			atomic_store(&on, false);
			note_post(NOTE_EVENTS_REFUSED);
		}
	}
}

void events_left_out(void)
{
	if (atomic_load(&on))
		note_post(NOTE_EVENTS_STACKS);
}

void events_stop(int slot)
{
	for (uint32_t i = 0; i < count; i++) {
		perf_close(counters[slot][i].event);
		counters[slot][i].event = NULL;
	}
}

void events_forget(uint32_t slots)
{
	for (uint32_t s = 0; s < slots; s++)
		for (uint32_t i = 0; i < count; i++)
			counters[s][i].event = NULL;
	atomic_store(&seen, 0);
	before = count ? account() : 0;
}

/* Many were not seen, as the program had them in system calls. */
static void check(void)
{
	uint64_t all = count && atomic_load(&on) ? account() - before : 0;
	uint64_t known = atomic_load(&seen) + sample_faults();

	if (all > MANY + known && all / 5 > known / 4)
		note_post(NOTE_EVENTS_KERNEL);
}

bool events_give_up(void)
{
	if (!atomic_exchange(&on, false))
		return false;
	note_post(NOTE_EVENTS_SIGNAL);
	return true;
}

static bool ours(uintptr_t pc)
{
	return pc >= own_start && pc < own_end;
}

/* An event has counted its period. */
static void consumed(int slot, uint32_t i, const ucontext_t *context, bool own)
{
	struct counter *c = &counters[slot][i];
	uint16_t number = c->number;
	uint64_t hits = interval_consume(&c->timer, c->period) ?
				interval_hits(&c->timer, resource(i)->interval, 0) : 0;

	/*
	 * What is our own takes part in the count, and is left out where it is hit: of what is
	 * not, each has the chance that it should have.
	 */
	if (hits && !own)
		sample_consumed(wanted[i], context, hits);
	open_next(slot, (int)sys0(SYS_gettid), i);
	/* It goes on, and counts its period once more. */
	if (c->number == number)
		see(i, c->period);
}

static bool take(int signal, siginfo_t *info, ucontext_t *context)
{
	uint32_t data;
	bool late;
	int slot;
	uint32_t i;

	if (signal != SIGTRAP || !perf_counted(info, &data, &late))
		return false;
	slot = (int)(data & ((1 << COUNTER_SHIFT) - 1));
	i = data >> COUNTER_SHIFT & ((1 << (NUMBER_SHIFT - COUNTER_SHIFT)) - 1);
	if (slot >= SLOTS || i >= count || !run_mine() || !slot_take(&slots[slot]))
		return true;
	/* A trap that had to wait was one of a handler, as ours are. */
	if (counters[slot][i].event && counters[slot][i].number == data >> NUMBER_SHIFT)
		consumed(slot, i, context, late || ours(context_pc(context)));
	slot_give(&slots[slot]);
	return true;
}

/* The events of a thread end with its clock. */
static void end(void)
{
}

const struct source events_source = { .start = start, .signal = take, .check = check, .end = end };
