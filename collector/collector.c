#include "collector.h"
#include "borrowed.h"
#include "calls.h"
#include "clock.h"
#include "counts.h"
#include "events.h"
#include "fpe.h"
#include "image.h"
#include "mask.h"
#include "note.h"
#include "object.h"
#include "options.h"
#include "pct.h"
#include "run.h"
#include "rundir.h"
#include "sample.h"
#include "signals.h"
#include "slow.h"
#include "space.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { UNKNOWN, ASLEEP, STARTING, AWAKE };

static _Atomic int state;

/* In the order of their start: the clock of a thread starts its events. */
static const struct source *const sources[] = { &events_source, &clock_source, &fpe_source };

enum { SOURCES = sizeof sources / sizeof *sources };

static const struct sink *sink;

void collector_signal(int signal, siginfo_t *info, void *context)
{
	for (int i = 0; i < SOURCES; i++)
		if (sources[i]->signal(signal, info, context))
			return;
	if (!mask_holds(signal, info, context))
		signals_pass(signal, info, context);
}

/* In the child of a fork: no clock, mapping or file of the parent is ours. */
static void forked(void)
{
	if (atomic_load(&state) != AWAKE)
		return;
	slow_forget();
	sink->forget();
	rundir_forget();
	note_forget();
	run_begin();
	mask_unsettle();
	clock_forget();
	clock_begin();
}

static void before_fork(void)
{
	if (atomic_load(&state) == AWAKE && run_mine())
		mask_settle();
}

static void after_fork(void)
{
	if (atomic_load(&state) == AWAKE && run_mine())
		mask_unsettle();
}

static bool start(void)
{
	uint64_t early = 0;

	run_begin();
	if (image_main_is_go()) {
		note_post(NOTE_GO);
		rundir_tell_notes();
		return false;
	}
	run.begun = run.start;
	sink = options.paths ? &calls_sink : &counts_sink;
	sink->start();
	sample_into(sink);
	object_set_entry((uintptr_t)getauxval(AT_ENTRY));
	if (options.bad)
		note_post(NOTE_LETTERS);
	pthread_atfork(before_fork, after_fork, forked);
	for (int i = 0; i < SOURCES; i++)
		early += sources[i]->start(collector_signal);
	/* A trap that is blocked would end the program. */
	mask_adopt();
	fpe_thread();
	if (early)
		sample_start(early);
	if (options.verbose)
		note_active();
	return true;
}

bool collector_awake(void)
{
	int unknown = UNKNOWN;

	if (atomic_load_explicit(&state, memory_order_acquire) == UNKNOWN &&
	    atomic_compare_exchange_strong(&state, &unknown, STARTING)) {
		if (options_read(environ)) {
			atomic_store(&state, start() ? AWAKE : ASLEEP);
		} else {
			atomic_store(&state, ASLEEP);
		}
	}
	return atomic_load_explicit(&state, memory_order_acquire) == AWAKE;
}

bool collector_starts(void)
{
	int s = atomic_load_explicit(&state, memory_order_acquire);

	return s == UNKNOWN || s == STARTING;
}

void collector_complete(bool for_good)
{
	uint64_t mask;

	if (atomic_load(&state) != AWAKE || !run_mine() || !slow_take_blocked(&mask))
		return;
	for (int i = 0; i < SOURCES; i++)
		sources[i]->check();
	if (for_good)
		sink->complete();
	rundir_write(true);
	slow_release_blocked(&mask);
}

void collector_executes(void)
{
	if (atomic_load(&state) != AWAKE)
		return;
	collector_complete(false);
	if (run_mine())
		clock_halt();
	mask_settle();
	/* What is pending stays so in the other program. */
	if (run_mine())
		mask_drain(signals_in_use());
}

void collector_goes_on(void)
{
	uint64_t mask;

	if (atomic_load(&state) != AWAKE)
		return;
	mask_unsettle();
	if (!run_mine())
		return;
	clock_go_on();
	if (!slow_take_blocked(&mask))
		return;
	rundir_write(false);
	slow_release_blocked(&mask);
}

void collector_limited(uint64_t space)
{
	uint64_t mask;

	if (atomic_load(&state) != AWAKE || !run_mine() || !slow_take_blocked(&mask))
		return;
	space_expect(space);
	sink->shrink();
	space_expect(UINT64_MAX);
	slow_release_blocked(&mask);
}

void collector_confine(void)
{
	int awake = AWAKE;

	if (!run_mine() || atomic_load(&state) != AWAKE)
		return;
	note_post(NOTE_CONFINED);
	if (pct_io_ends)
		pct_io_ends();
	for (int i = 0; i < SOURCES; i++)
		sources[i]->end();
	sample_off(true);
	collector_complete(true);
	mask_end();
	for (int s = 1; s < 32; s++)
		signals_give_back(s);
	atomic_compare_exchange_strong(&state, &awake, ASLEEP);
}

EXPORT void pct_on(void)
{
	if (collector_awake() && run_mine()) {
		sample_off(false);
		clock_resume();
	}
}

EXPORT void pct_off(void)
{
	if (collector_awake() && run_mine()) {
		clock_pause();
		sample_off(true);
	}
}

__attribute__((constructor)) static void begin(void)
{
	collector_awake();
}

__attribute__((destructor)) static void end(void)
{
	if (atomic_load(&state) != AWAKE || !run_mine())
		return;
	clock_pause();
	collector_complete(true);
}
