#include "collector.h"
#include "clock.h"
#include "note.h"
#include "object.h"
#include "options.h"
#include "pct.h"
#include "rundir.h"
#include "signals.h"
#include "store.h"
#include "sys.h"
#include "text.h"

#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { UNKNOWN, ASLEEP, STARTING, AWAKE };

static _Atomic int state;
static _Atomic bool off; /* by pct_off */

/* Held by the one thread that reads the memory map or makes files. */
static _Atomic bool slow;

static bool take_slow(void)
{
	/* Others make way in some 100 µs, unless they don't get a CPU. */
	for (int i = 0; i < 64; i++) {
		if (!atomic_exchange_explicit(&slow, true, memory_order_acquire))
			return true;
		sys0(SYS_sched_yield);
	}
	return false;
}

static void release_slow(void)
{
	atomic_store_explicit(&slow, false, memory_order_release);
}

static bool ready(const struct place *p)
{
	return p->object && p->placed && atomic_load_explicit(&p->object->state, memory_order_acquire) == FILE_OPEN;
}

/* A sample whose object has no file yet, or is not known. */
static void sample_slowly(uintptr_t pc)
{
	struct place p;

	if (!take_slow()) {
		p = object_at(pc);
		if (ready(&p))
			store_add(p.object, pc - p.bias);
		else
			store_lost(NULL, 1);
		return;
	}
	p = object_find(pc);
	if (p.object && atomic_load(&p.object->state) == FILE_NONE)
		store_open(p.object, p.bias);
	rundir_tell_notes();
	release_slow();
	if (ready(&p))
		store_add(p.object, pc - p.bias);
	else
		store_lost(NULL, 1);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	uintptr_t pc = context_pc(context);
	struct place p;
	uint64_t missed;

	if (!clock_ticked(signal, info, &missed)) {
		signals_pass(signal, info);
		return;
	}
	if (atomic_load_explicit(&off, memory_order_relaxed))
		return;
	p = object_at(pc);
	if (ready(&p) && !object_stale())
		store_add(p.object, pc - p.bias);
	else
		sample_slowly(pc);
	store_lost(p.object, missed);
}

static void now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	run.start = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	clock_gettime(CLOCK_MONOTONIC, &t);
	run.monotonic = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	run.pid = (int)sys0(SYS_getpid);
}

/* In the child of a fork: no clock, mapping or file of the parent is ours. */
static void forked(void)
{
	if (atomic_load(&state) != AWAKE)
		return;
	atomic_store(&slow, false);
	store_forget();
	rundir_forget();
	note_forget();
	now();
	clock_forget();
	clock_begin();
}

static void say_active(void)
{
	static char line[512];
	struct text t = text_in(line, sizeof line);

	text_str(&t, program_invocation_name);
	text_str(&t, ": PC counting activated\n");
	sys3(SYS_write, 2, line, t.n);
}

static void start(void)
{
	now();
	run.begun = run.start;
	object_set_entry((uintptr_t)getauxval(AT_ENTRY));
	if (options.bad)
		note_post(NOTE_LETTERS);
	clock_choose(on_signal);
	pthread_atfork(NULL, NULL, forked);
	clock_begin();
	if (options.verbose)
		say_active();
}

bool collector_awake(void)
{
	int unknown = UNKNOWN;

	if (atomic_load_explicit(&state, memory_order_acquire) == UNKNOWN && atomic_compare_exchange_strong(&state, &unknown, STARTING)) {
		if (options_read(environ)) {
			start();
			atomic_store(&state, AWAKE);
		} else {
			atomic_store(&state, ASLEEP);
		}
	}
	return atomic_load_explicit(&state, memory_order_acquire) == AWAKE;
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
	if (take_slow())
		return true;
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof all);
	return false;
}

static void release_slow_blocked(const uint64_t *mask)
{
	release_slow();
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof *mask);
}

void collector_complete(bool for_good)
{
	uint64_t mask;

	if (atomic_load(&state) != AWAKE || !collector_mine() || !take_slow_blocked(&mask))
		return;
	if (for_good)
		store_complete();
	rundir_write(true);
	release_slow_blocked(&mask);
}

void collector_goes_on(void)
{
	uint64_t mask;

	if (atomic_load(&state) != AWAKE || !collector_mine() || !take_slow_blocked(&mask))
		return;
	rundir_write(false);
	release_slow_blocked(&mask);
}

void collector_confine(void)
{
	int awake = AWAKE;

	if (!collector_mine() || atomic_load(&state) != AWAKE)
		return;
	note_post(NOTE_CONFINED);
	clock_pause();
	atomic_store(&off, true);
	collector_complete(true);
	atomic_compare_exchange_strong(&state, &awake, ASLEEP);
}

EXPORT void pct_on(void)
{
	if (collector_awake() && collector_mine()) {
		atomic_store(&off, false);
		clock_resume();
	}
}

EXPORT void pct_off(void)
{
	if (collector_awake() && collector_mine()) {
		clock_pause();
		atomic_store(&off, true);
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
