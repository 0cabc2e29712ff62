#include "collector.h"
#include "calls.h"
#include "clock.h"
#include "consume.h"
#include "contexts.h"
#include "events.h"
#include "fpe.h"
#include "image.h"
#include "mapped.h"
#include "mapping.h"
#include "mask.h"
#include "note.h"
#include "object.h"
#include "options.h"
#include "pct.h"
#include "rundir.h"
#include "sample.h"
#include "signals.h"
#include "store.h"
#include "sys.h"

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { UNKNOWN, ASLEEP, STARTING, AWAKE };

static _Atomic int state;

void collector_signal(int signal, siginfo_t *info, void *context)
{
	struct tick tick;

	if (clock_ticked(signal, info, &tick))
		sample_tick(context, &tick);
	else if (!events_signal(signal, info, context) && !fpe_signal(signal, info, context))
		signals_pass(signal, info, context);
}

static void now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	run.start = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	clock_gettime(CLOCK_MONOTONIC, &t);
	run.monotonic = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	run.pid = (int)sys0(SYS_getpid);
	run.unsampled = 0;
}

/* In the child of a fork: no clock, mapping or file of the parent is ours. */
static void forked(void)
{
	if (atomic_load(&state) != AWAKE)
		return;
	sample_forget();
	store_forget();
	calls_forget();
	rundir_forget();
	note_forget();
	now();
	mask_unsettle();
	clock_forget();
	clock_begin();
}

static void before_fork(void)
{
	if (atomic_load(&state) == AWAKE && collector_mine())
		mask_settle();
}

static void after_fork(void)
{
	if (atomic_load(&state) == AWAKE && collector_mine())
		mask_unsettle();
}

static bool start(void)
{
	uint64_t early;

	now();
	if (image_main_is_go()) {
		note_post(NOTE_GO);
		rundir_tell_notes();
		return false;
	}
	run.begun = run.start;
	if (options.paths) {
		mapped_start();
		calls_start();
	}
	object_set_entry((uintptr_t)getauxval(AT_ENTRY));
	if (options.bad)
		note_post(NOTE_LETTERS);
	pthread_atfork(before_fork, after_fork, forked);
	early = clock_choose(collector_signal);
	fpe_start(collector_signal);
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

	if (atomic_load_explicit(&state, memory_order_acquire) == UNKNOWN && atomic_compare_exchange_strong(&state, &unknown, STARTING)) {
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

bool collector_mine(void)
{
	return run.pid == (int)sys0(SYS_getpid);
}

/*
 * The slow lock outside of a handler. Signals wait: a tick of this thread's own would
 * not get the lock.
 */
static bool take_slow_blocked(uint64_t *mask)
{
	uint64_t all = UINT64_MAX;

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, mask, sizeof all);
	if (sample_take_slow())
		return true;
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof all);
	return false;
}

static void release_slow_blocked(const uint64_t *mask)
{
	sample_release_slow();
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof *mask);
}

void collector_complete(bool for_good)
{
	uint64_t mask;

	if (atomic_load(&state) != AWAKE || !collector_mine() || !take_slow_blocked(&mask))
		return;
	clock_check();
	events_check();
	if (for_good) {
		store_complete();
		calls_complete();
		contexts_complete();
	}
	rundir_write(true);
	release_slow_blocked(&mask);
}

void collector_executes(void)
{
	if (atomic_load(&state) != AWAKE)
		return;
	collector_complete(false);
	if (collector_mine())
		clock_halt();
	mask_settle();
	/* What is pending stays so in the other program. */
	if (collector_mine())
		mask_drain(signals_in_use());
}

void collector_goes_on(void)
{
	uint64_t mask;

	if (atomic_load(&state) != AWAKE)
		return;
	mask_unsettle();
	if (!collector_mine())
		return;
	clock_go_on();
	if (!take_slow_blocked(&mask))
		return;
	rundir_write(false);
	release_slow_blocked(&mask);
}

void collector_limited(uint64_t space)
{
	uint64_t mask;

	if (atomic_load(&state) != AWAKE || !options.paths || !collector_mine() || !take_slow_blocked(&mask))
		return;
	space_expect(space);
	calls_shrink();
	space_expect(UINT64_MAX);
	release_slow_blocked(&mask);
}

void collector_confine(void)
{
	int awake = AWAKE;

	if (!collector_mine() || atomic_load(&state) != AWAKE)
		return;
	note_post(NOTE_CONFINED);
	if (pct_io_ends)
		pct_io_ends();
	fpe_stop();
	clock_pause();
	sample_off(true);
	collector_complete(true);
	mask_end();
	for (int s = 1; s < 32; s++)
		signals_give_back(s);
	atomic_compare_exchange_strong(&state, &awake, ASLEEP);
}

EXPORT void pct_on(void)
{
	if (collector_awake() && collector_mine()) {
		sample_off(false);
		clock_resume();
	}
}

EXPORT void pct_off(void)
{
	if (collector_awake() && collector_mine()) {
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
	if (atomic_load(&state) != AWAKE || !collector_mine())
		return;
	clock_pause();
	collector_complete(true);
}
