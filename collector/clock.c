#include "clock.h"
#include "events.h"
#include "note.h"
#include "options.h"
#include "perf.h"
#include "rundir.h"
#include "signals.h"
#include "slot.h"
#include "sys.h"
#include "ticker.h"

#include <stdatomic.h>
#include <time.h>

/* Defined where new threads are followed (thread.c): each then begins its own clock. */
extern const bool threads_followed __attribute__((weak));

static _Atomic bool paused;
static bool trying; /* another clock is at hand if this can't be had */
static void (*handler)(int, siginfo_t *, void *);
static __thread bool little __attribute__((tls_model("initial-exec")));

/* Signals that nobody misses if a tick comes when no handler is there, then others that are seldom used. */
static const int candidates[] = { SIGURG, SIGWINCH, SIGSTKFLT, SIGPROF, SIGVTALRM };

bool clock_of_each_thread(void)
{
	return &threads_followed && threads_followed;
}

/* Starts the clock of a slot that is held. */
static void start(struct slot *s)
{
	int tid = atomic_load(&s->tid), slot = slot_number(s);

	if (atomic_load(&paused))
		return;
	if (!s->little)
		events_start(slot, tid);
	else
		events_left_out();
	if (!ticker_start(&s->ticker, tid, slot) && !trying)
		note_post(NOTE_NO_CLOCK);
}

static void stop_events(struct slot *s)
{
	events_stop(slot_number(s));
}

static void stop(struct slot *s)
{
	stop_events(s);
	ticker_stop(&s->ticker);
}

void clock_little_stack(void)
{
	little = true;
}

int clock_begin(void)
{
	int tid = (int)sys0(SYS_gettid);
	struct slot *s = slot_claim(tid);
	uint64_t mask;

	if (!s)
		return -1;
	slot_hold(s, &mask);
	s->ticker.random ^= (uint64_t)tid << 40 ^ sys_time(CLOCK_MONOTONIC) * UINT64_C(0x9e3779b97f4a7c15);
	s->little = little;
	start(s);
	slot_unhold(s, &mask);
	return slot_number(s);
}

void clock_end(int slot)
{
	struct slot *s = &slots[slot];
	uint64_t mask;

	slot_hold(s, &mask);
	stop(s);
	slot_unhold(s, &mask);
	atomic_store(&s->tid, 0);
}

void clock_pause(void)
{
	atomic_store(&paused, true);
	slot_each(stop);
}

void clock_resume(void)
{
	if (!atomic_load(&ticking.signo) && ticking.kind != BY_NOTHING)
		return;
	atomic_store(&paused, false);
	slot_each(start);
}

void clock_forget(void)
{
	events_forget(slot_forget());
}

bool clock_take(int slot)
{
	return slot_take(&slots[slot]);
}

void clock_give(int slot)
{
	slot_give(&slots[slot]);
}

bool clock_ticked(int signal, const siginfo_t *info, uint64_t *missed)
{
	struct slot *s;
	uint32_t i;

	*missed = 0;
	if (ticking.kind == BY_NOTHING)
		return false;
	if (ticking.kind == BY_TIMER) {
		if (info->si_code != SI_TIMER)
			return false;
		i = (uint32_t)info->si_value.sival_int;
		*missed = (uint64_t)info->si_overrun;
	} else if (!perf_ticked(signal, info, &i)) {
		return false;
	}
	s = ticking.kind == BY_PERF_SIGNAL ? slot_own() : i < CLOCK_SLOTS ? &slots[i] : NULL;
	if (s && ticker_wants_next(&s->ticker))
		slot_next(s);
	return true;
}

/* Takes the first signal that the program does not use. */
static bool choose_signal(int but)
{
	for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
		if (candidates[i] != but && signals_free(candidates[i])) {
			atomic_store(&ticking.signo, candidates[i]);
			signals_install(candidates[i], handler);
			return true;
		}
	}
	atomic_store(&ticking.signo, 0);
	atomic_store(&paused, true);
	note_post(NOTE_NO_SIGNAL);
	return false;
}

/*
 * The CPU time that the program used before its clock begins, in the dynamic linker for the most part. The
 * clock counts what a process did before it executed the program too: no more of it is taken for the program's
 * than starting one takes where page faults are dear.
 */
static uint64_t spent_before(void)
{
	enum { MOST = 5000000 };
	uint64_t spent = sys_time(CLOCK_THREAD_CPUTIME_ID);

	if (options.time != TIME_PROF)
		return 0;
	return spent < MOST ? spent : MOST;
}

/* Begins the first thread's clock in this way; false if the kernel does not permit it. */
static bool begin_by(enum ticker_kind k)
{
	int i;

	ticking.kind = k;
	trying = k != BY_TIMER;
	i = clock_begin();
	trying = false;
	if (i >= 0 && slots[i].ticker.live)
		return true;
	if (i >= 0)
		clock_end(i);
	return false;
}

/* An event above the kernel's tick, for which it is tried what the kernel permits: to ask first would cost as much. */
static bool begin_event(void)
{
	bool held = signals_traced();

	if (held)
		note_post(NOTE_TRACED);
	if (!held && perf_trap_is_safe() && signals_take(SIGTRAP, handler)) {
		atomic_store(&ticking.signo, SIGTRAP);
		if (begin_by(BY_PERF_TRAP))
			return true;
		/* Without a clock by events there are no other events. */
		events_give_up();
		signals_give_back(SIGTRAP);
	}
	return choose_signal(0) && begin_by(BY_PERF_SIGNAL);
}

uint64_t clock_choose(void (*f)(int, siginfo_t *, void *))
{
	struct timespec resolution = { 0, 4000000 };

	handler = f;
	events_choose(f);
	clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	ticking.tick = (uint64_t)resolution.tv_nsec;
	if (options.paths && options_clock() == RESOURCES_MOST) {
		ticking.kind = BY_NOTHING;
		run.clock = run.resource = options.resources[0].kind->name;
		run.period = 0;
		clock_begin();
		return 0;
	}
	run.period = options.period < TICKER_SHORTEST ? TICKER_SHORTEST : options.period;
	run.resource = options.time == TIME_REAL ? "real" : "cpu";
	if (options.time != TIME_REAL && run.period < ticking.tick) {
		run.clock = "perf";
		if (begin_event()) {
			/* Who asked for the resource user wants just that. */
			if (!options.named || options.time != TIME_VIRTUAL)
				note_post(NOTE_USER_TIME);
			return 0;
		}
		run.period = ticking.tick;
		note_post(NOTE_TICK_RATE);
	}
	run.clock = options.time == TIME_REAL ? "real" : options.time == TIME_VIRTUAL ? "virtual" : clock_of_each_thread() ? "thread" : "prof";
	if (!atomic_load(&ticking.signo) && !choose_signal(0))
		return 0;
	ticking.spent = spent_before();
	begin_by(BY_TIMER);
	return ticking.early;
}

bool clock_yield_signal(int signal)
{
	bool was_paused = atomic_load(&paused);

	if (signal == SIGTRAP && events_give_up())
		slot_each(stop_events);
	if (signal != atomic_load(&ticking.signo))
		return false;
	atomic_store(&paused, true);
	slot_each(stop);
	note_post(ticking.kind == BY_PERF_TRAP ? NOTE_TRAP_TAKEN : NOTE_SIGNAL_TAKEN);
	signals_give_back(signal);
	if (ticking.kind == BY_PERF_TRAP)
		ticking.kind = BY_PERF_SIGNAL;
	if (!choose_signal(signal))
		return true;
	atomic_store(&paused, was_paused);
	slot_each(start);
	return true;
}

void clock_check(void)
{
	int signal = atomic_load(&ticking.signo);

	if (signal && !signals_in_place(signal, handler))
		note_post(NOTE_SIGNAL_LOST);
}
