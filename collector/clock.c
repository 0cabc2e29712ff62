#include "clock.h"
#include "events.h"
#include "followed.h"
#include "kernelclock.h"
#include "note.h"
#include "options.h"
#include "perf.h"
#include "run.h"
#include "sample.h"
#include "slot.h"
#include "sys.h"
#include "ticker.h"
#include "timer.h"

#include <stdatomic.h>
#include <time.h>

static _Atomic bool paused;
static bool trying; /* another clock is at hand if this can't be had */
static signals_handler *handler;
static __thread bool little __attribute__((tls_model("initial-exec")));
static _Atomic bool given_up; /* the program needs the timers */
static _Atomic bool leaving; /* a signal, by one thread at a time */

static bool by_event(void)
{
	return ticking.kind == BY_PERF_TRAP || ticking.kind == BY_PERF_SIGNAL;
}

/* Starts the clock beside an event, if there is one. */
static bool sees_kernel(struct slot *s, int tid)
{
	int signal = atomic_load(&ticking.kernel_signo);

	return signal && kernelclock_start(&s->kernel, tid, slot_number(s), signal);
}

/* Starts the clock of a slot that is held. */
static void start(struct slot *s)
{
	int tid = atomic_load(&s->tid), slot = slot_number(s);

	if (atomic_load(&paused) || (ticking.kind == BY_TIMER && atomic_load(&given_up)))
		return;
	if (!s->little)
		events_start(slot, tid);
	else
		events_left_out();
	if (!ticker_start(&s->ticker, tid, slot)) {
		if (!trying)
			note_post(NOTE_NO_CLOCK);
	} else if (by_event() && !sees_kernel(s, tid) && options.time != TIME_VIRTUAL) {
		note_post(NOTE_USER_TIME);
	}
}

static void stop_events(struct slot *s)
{
	events_stop(slot_number(s));
}

static void stop_kernel(struct slot *s)
{
	kernelclock_stop(&s->kernel);
}

static void stop(struct slot *s)
{
	stop_events(s);
	ticker_stop(&s->ticker);
	stop_kernel(s);
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

/* Whether a signal is a tick of the clock, and its data. */
static bool ticked(int signal, const siginfo_t *info, uint32_t *data)
{
	if (ticking.kind == BY_NOTHING)
		return false;
	if (timer_told(info, data))
		return true;
	return ticking.kind != BY_TIMER && perf_ticked(signal, info, data);
}

bool clock_is_tick(int signal, const siginfo_t *info)
{
	uint32_t data;
	bool late;

	return ticked(signal, info, &data) || (signal == SIGTRAP && perf_counted(info, &data, &late));
}

/*
 * Periods that ended between two ticks of the kernel which found the thread belong to where the
 * second one finds it. What goes far beyond that was used while our signal was blocked, who knows
 * where.
 */
static struct tick overran(uint64_t n)
{
	struct tick t = { .hits = 1 };

	*(n * run.period > TICKS_UNSEEN * ticking.tick ? &t.lost : &t.hits) += n;
	return t;
}

/*
 * A tick of the clock of the kernel; if another thread has its slot in hand the next one tells of
 * both.
 */
static struct tick in_kernel(uint32_t i)
{
	struct tick t = { 0 };
	int tid;

	if (i < SLOTS && slot_take(&slots[i])) {
		tid = atomic_load(&slots[i].tid);
		if (slots[i].kernel.live)
			t = kernelclock_tick(&slots[i].kernel, sys_time(timer_account(tid, ACCOUNT_CPU)),
					     sys_time(timer_account(tid, ACCOUNT_USER)));
		slot_give(&slots[i]);
	}
	return t;
}

/*
 * The same, and what it stands for. Sets up the next tick where the clock does not do so itself.
 */
static bool take_tick(int signal, const siginfo_t *info, struct tick *tick)
{
	struct slot *s;
	uint32_t i;

	*tick = (struct tick){ .hits = 1 };
	if (!ticked(signal, info, &i))
		return false;
	if (ticking.kind == BY_TIMER) {
		*tick = overran((uint64_t)info->si_overrun);
	} else if (info->si_code == SI_TIMER) {
		*tick = in_kernel(i);
		return true;
	}
	s = ticking.kind == BY_PERF_SIGNAL ? slot_own() : i < SLOTS ? &slots[i] : NULL;
	if (s && by_event() && s->kernel.live)
		*tick = kernelclock_event(&s->kernel, sys_time(CLOCK_THREAD_CPUTIME_ID));
	if (s && ticker_wants_next(&s->ticker))
		slot_next(s);
	return true;
}

static bool take(int signal, siginfo_t *info, ucontext_t *context)
{
	struct tick tick;

	if (!take_tick(signal, info, &tick))
		return false;
	sample_tick(context, &tick);
	return true;
}

/* Takes the first signal that the program does not use, and that is not in a set. */
static bool choose_signal(uint64_t but)
{
	int signal = signals_take_any(but, handler);

	atomic_store(&ticking.signo, signal);
	if (signal)
		return true;
	atomic_store(&paused, true);
	note_post(NOTE_NO_SIGNAL);
	return false;
}

/*
 * An event leaves out the kernel, which each thread's second clock sees if a signal is left for
 * it: one of its own, for of each signal a thread has one tick at most.
 */
static void choose_kernel_signal(uint64_t but)
{
	bool wanted = options.time == TIME_PROF && threads_are_followed() && !atomic_load(&given_up);
	int signal = atomic_load(&ticking.signo);

	if (signal)
		but |= signals_bit(signal);

	atomic_store(&ticking.kernel_signo, wanted ? signals_take_any(but, handler) : 0);
}

/*
 * The CPU time that the program used before its clock begins, in the dynamic linker for the most
 * part. The clock counts what a process did before it executed the program too: no more of it is
 * taken for the program's than starting one takes where page faults are dear.
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

/*
 * An event above the kernel's tick, for which it is tried what the kernel permits: to ask first
 * would cost as much.
 */
static bool begin_event(void)
{
	bool held = signals_traced();

	if (held)
		note_post(NOTE_TRACED);
	if (!held && perf_trap_is_safe() && signals_take(SIGTRAP, handler)) {
		atomic_store(&ticking.signo, SIGTRAP);
		choose_kernel_signal(0);
		if (begin_by(BY_PERF_TRAP))
			return true;
		/* Without a clock by events there are no other events. */
		events_give_up();
		signals_give_back(SIGTRAP);
	}
	if (!choose_signal(0))
		return false;
	choose_kernel_signal(0);
	return begin_by(BY_PERF_SIGNAL);
}

static uint64_t choose(signals_handler *f)
{
	struct timespec resolution = { 0, 4000000 };

	handler = f;
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
		run.unsampled = sys_time(CLOCK_PROCESS_CPUTIME_ID);
		if (begin_event())
			return 0;
		run.unsampled = 0;
		atomic_store(&ticking.kernel_signo, 0);
		run.period = ticking.tick;
		note_post(NOTE_TICK_RATE);
	}
	run.clock = options.time == TIME_REAL    ? "real" :
		    options.time == TIME_VIRTUAL ? "virtual" :
		    threads_are_followed()       ? "thread" : "prof";
	if (!atomic_load(&ticking.signo) && !choose_signal(0))
		return 0;
	ticking.spent = spent_before();
	begin_by(BY_TIMER);
	return ticking.early;
}

/* Goes over to another signal, which is not in a set. */
static void leave(int signal, uint64_t but)
{
	bool was_paused = atomic_load(&paused);

	if (signal == SIGTRAP && events_give_up())
		slot_each(stop_events);
	if (signal != atomic_load(&ticking.signo) && signal != atomic_load(&ticking.kernel_signo)) {
		signals_retire(signal);
		return;
	}
	atomic_store(&paused, true);
	slot_each(stop);
	signals_retire(signal);
	note_post(signal == SIGTRAP ? NOTE_TRAP_TAKEN : NOTE_SIGNAL_TAKEN);
	if (signal == SIGTRAP)
		ticking.kind = BY_PERF_SIGNAL;
	if (signal == atomic_load(&ticking.signo) && !choose_signal(but))
		return;
	if (by_event())
		choose_kernel_signal(but);
	atomic_store(&paused, was_paused);
	slot_each(start);
}

/* The same in one thread at a time, and only once of each signal. */
static void leave_once(int signal, uint64_t but)
{
	uint64_t all = UINT64_MAX, mask;

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof all);
	while (atomic_exchange(&leaving, true))
		sys0(SYS_sched_yield);
	if (signals_in_use() & signals_bit(signal))
		leave(signal, but);
	atomic_store(&leaving, false);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

void clock_yield_signal(int signal)
{
	leave_once(signal, 0);
}

void clock_avoid(uint64_t set)
{
	int signal = atomic_load(&ticking.signo), beside = atomic_load(&ticking.kernel_signo);

	/*
	 * The trap of an event is no other thread's, and never pending where the program could
	 * find it.
	 */
	if (signal && signal != SIGTRAP && set & signals_bit(signal) && signals_take_any(set, handler))
		leave_once(signal, set);
	else if (beside && beside != signal && set & signals_bit(beside))
		leave_once(beside, set);
}

bool clock_makes_room(void)
{
	bool beside = atomic_load(&ticking.kernel_signo);

	if ((ticking.kind != BY_TIMER && !beside) || atomic_exchange(&given_up, true))
		return false;
	/* An event goes on without the clock of the kernel. */
	atomic_store(&ticking.kernel_signo, 0);
	slot_each(beside ? stop_kernel : stop);
	note_post(beside ? NOTE_USER_TIME : NOTE_PENDING_LIMIT);
	return true;
}

void clock_halt(void)
{
	struct slot *s = slot_own();
	uint64_t mask;

	if (!s)
		return;
	slot_hold(s, &mask);
	stop(s);
	slot_unhold(s, &mask);
}

void clock_go_on(void)
{
	struct slot *s = slot_own();
	uint64_t mask;

	if (!s)
		return;
	slot_hold(s, &mask);
	start(s);
	slot_unhold(s, &mask);
}

/* Its signal was taken from it unseen. */
static void check(void)
{
	int signals[] = { atomic_load(&ticking.signo), atomic_load(&ticking.kernel_signo) };

	for (int i = 0; i < 2; i++)
		if (signals[i] && !signals_in_place(signals[i], handler))
			note_post(NOTE_SIGNAL_LOST);
}

const struct source clock_source = { .start = choose, .signal = take, .check = check, .end = clock_pause };
