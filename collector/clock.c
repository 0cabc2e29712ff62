#include "clock.h"
#include "events.h"
#include "note.h"
#include "options.h"
#include "perf.h"
#include "rundir.h"
#include "signals.h"
#include "sys.h"

#include <time.h>

enum {
	SLOTS = CLOCK_SLOTS,
	BEHIND = 16,
	/*
	 * The shortest period of an event, ns. One that is not much longer than an interrupt takes leaves no time
	 * for what would end it: on a slow virtual machine 10 µs held up a processor for good.
	 */
	SHORTEST = 100000,
};

enum clock_kind { BY_TIMER, BY_PERF_TRAP, BY_PERF_SIGNAL, BY_NOTHING /* no time is measured */ };

/* The clock of a thread. busy is held while it is being changed; a handler gives up where it is. */
struct slot {
	_Atomic int tid; /* 0: free */
	_Atomic bool busy;
	_Atomic bool ticked; /* while it was busy */
	bool live;
	int timer;
	void *event;
	uint64_t random; /* state of its random numbers */
	uint64_t due;    /* random intervals by timer: when, on the clock of the timer */
	bool first;      /* the first, shorter, period of an event has begun */
	bool little;     /* the thread's stack is small */
};

/* As the kernel reads it; the names of libraries for its last member differ. */
struct sigevent_tid {
	union sigval value;
	int signo, notify, tid, pad[11];
};

/* Defined where new threads are followed (thread.c): each then begins its own clock. */
extern const bool threads_followed __attribute__((weak));

static struct slot slots[SLOTS];
static _Atomic uint32_t slots_used;
static enum clock_kind kind;
static _Atomic int signo;
static _Atomic bool paused;
static uint64_t tick; /* of the kernel, ns */
static uint64_t spent; /* of the first thread's first period, ns */
static uint64_t early; /* samples that were due then */
static bool trying;   /* another clock is at hand if this can't be had */
static void (*handler)(int, siginfo_t *, void *);

/* Signals that nobody misses if a tick comes when no handler is there, then others that are seldom used. */
static const int candidates[] = { SIGURG, SIGWINCH, SIGSTKFLT, SIGPROF, SIGVTALRM };

static struct timespec spec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
}

/* A number from 1 to n. */
static uint64_t draw(struct slot *s, uint64_t n)
{
	uint64_t z = s->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % n + 1;
}

/* Whether each thread has a clock of its own; else the first one's is for all. */
bool clock_of_each_thread(void)
{
	return &threads_followed && threads_followed;
}

/* The shortest period of an event whose periods have that mean. */
static uint64_t least(uint64_t mean)
{
	return mean / 2 < SHORTEST ? mean / 2 : SHORTEST;
}

/* The first period of an event: a random part of one, as far as events may be that short. */
static uint64_t first_period(struct slot *s)
{
	uint64_t d = draw(s, run.period), low = least(run.period);

	return d < low ? low : d;
}

/* A random period of an event. */
static uint64_t random_period(struct slot *s)
{
	uint64_t low = least(run.period);

	return low + draw(s, 2 * (run.period - low));
}

/* The clock that a thread's timer measures; encoded as the kernel does for other threads. */
static clockid_t timer_clock(int tid)
{
	unsigned which = options.time == TIME_VIRTUAL ? 1 : 2; /* user time, or time on a CPU */

	if (options.time == TIME_REAL)
		return CLOCK_MONOTONIC;
	return clock_of_each_thread() ? (clockid_t)((unsigned)~tid << 3 | 4 | which) : (clockid_t)(~0u << 3 | which);
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

/*
 * When the first tick is due, from now. It is a random part of a period from the program's start, so that a
 * process shorter than one is sampled as often as its time is worth; those that were due
 * before now are counted in early.
 *
 * The kernel looks at a timer of CPU time only when its own tick comes, and finds it on average
 * half a tick late. Whole ticks, rounded down, make up for that: the first of its ticks that a process meets
 * is taken with the probability tick/period, as is any other.
 */
static uint64_t first_due(struct slot *s)
{
	uint64_t d = draw(s, run.period);

	if (d <= spent) {
		early = 1 + (spent - d) / run.period;
		d += early * run.period;
	}
	d -= spent;
	spent = 0;
	if (options.time != TIME_REAL)
		d -= d % tick;
	return d ? d : 1;
}

static bool start_timer(struct slot *s)
{
	int tid = atomic_load(&s->tid);
	struct sigevent_tid e = {
		.value = { .sival_int = (int)(s - slots) },
		.signo = atomic_load(&signo),
		.notify = clock_of_each_thread() ? 4 /* SIGEV_THREAD_ID */ : SIGEV_SIGNAL,
		.tid = tid,
	};
	clockid_t clock = timer_clock(tid);
	struct itimerspec when = { 0 };
	uint64_t first = first_due(s);

	if (sys3(SYS_timer_create, clock, &e, &s->timer) < 0)
		return false;
	if (options.random) {
		s->due = sys_time(clock) + first;
		when.it_value = spec(s->due);
	} else {
		when.it_value = spec(first);
		when.it_interval = spec(run.period);
	}
	sys4(SYS_timer_settime, s->timer, options.random ? TIMER_ABSTIME : 0, &when, NULL);
	return true;
}

static bool start_event(struct slot *s, uint64_t period)
{
	void *old = s->event;

	s->event = perf_open(atomic_load(&s->tid), period, kind == BY_PERF_TRAP ? 0 : atomic_load(&signo), (uint32_t)(s - slots), !clock_of_each_thread());
	perf_close(old);
	return s->event;
}

/* Starts the clock of a slot that is held. */
static void start(struct slot *s)
{
	if (atomic_load(&paused))
		return;
	if (!s->little)
		events_start((int)(s - slots), atomic_load(&s->tid));
	else
		events_left_out();
	if (s->live || kind == BY_NOTHING)
		return;
	if (kind == BY_TIMER) {
		s->live = start_timer(s);
	} else {
		s->first = clock_of_each_thread();
		s->live = start_event(s, s->first ? first_period(s) : run.period);
	}
	if (!s->live && !trying)
		note_post(NOTE_NO_CLOCK);
}

static void stop(struct slot *s)
{
	events_stop((int)(s - slots));
	if (!s->live)
		return;
	s->live = false;
	if (kind == BY_TIMER)
		sys1(SYS_timer_delete, s->timer);
	perf_close(s->event);
	s->event = NULL;
}

/*
 * Holds a slot; only ever waits for a handler, which never waits for us. Signals wait: a
 * handler of the program may come here too, by sigaction.
 */
static void hold(struct slot *s, uint64_t *mask)
{
	uint64_t all = UINT64_MAX;

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, mask, sizeof all);
	while (atomic_exchange(&s->busy, true))
		sys0(SYS_sched_yield);
}

/* Sets up the next tick of a slot that is held. */
static void set_next(struct slot *s)
{
	struct itimerspec when = { 0 };

	if (s->live && kind == BY_TIMER) {
		uint64_t now = sys_time(timer_clock(atomic_load(&s->tid)));

		s->due += draw(s, 2 * run.period);
		/* What is far behind, since the program was stopped or had no CPU, is not caught up with. */
		if (s->due + BEHIND * run.period < now)
			s->due = now + draw(s, 2 * run.period);
		when.it_value = spec(s->due);
		sys4(SYS_timer_settime, s->timer, TIMER_ABSTIME, &when, NULL);
	} else if (s->live && clock_of_each_thread()) {
		s->first = false;
		s->live = start_event(s, options.random ? random_period(s) : run.period);
	}
}

static void next(struct slot *s);

static void let_go(struct slot *s)
{
	atomic_store(&s->busy, false);
	if (atomic_exchange(&s->ticked, false))
		next(s);
}

static void unhold(struct slot *s, const uint64_t *mask)
{
	let_go(s);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof *mask);
}

/* Sets up the next tick after one; leaves that to the holder of the slot if there is one, whom the tick may have interrupted. */
static void next(struct slot *s)
{
	if (atomic_exchange(&s->busy, true)) {
		atomic_store(&s->ticked, true);
		if (atomic_exchange(&s->busy, true))
			return;
		atomic_store(&s->ticked, false);
	}
	set_next(s);
	let_go(s);
}

/* Takes the first signal that the program does not use. */
static bool choose_signal(int but)
{
	for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
		if (candidates[i] != but && signals_free(candidates[i])) {
			atomic_store(&signo, candidates[i]);
			signals_install(candidates[i], handler);
			return true;
		}
	}
	atomic_store(&signo, 0);
	atomic_store(&paused, true);
	note_post(NOTE_NO_SIGNAL);
	return false;
}

static __thread bool little __attribute__((tls_model("initial-exec")));

void clock_little_stack(void)
{
	little = true;
}

int clock_begin(void)
{
	int tid = (int)sys0(SYS_gettid);
	uint32_t used = atomic_load(&slots_used);

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct slot *s = &slots[i];
		uint64_t mask;
		int nobody = 0;

		if (atomic_load_explicit(&s->tid, memory_order_relaxed) || !atomic_compare_exchange_strong(&s->tid, &nobody, tid))
			continue;
		while (used <= i && !atomic_compare_exchange_weak(&slots_used, &used, i + 1))
			;
		hold(s, &mask);
		s->random ^= (uint64_t)tid << 40 ^ sys_time(CLOCK_MONOTONIC) * UINT64_C(0x9e3779b97f4a7c15);
		s->little = little;
		start(s);
		unhold(s, &mask);
		return (int)i;
	}
	return -1;
}

/* Begins the first thread's clock in this way; false if the kernel does not permit it. */
static bool begin_by(enum clock_kind k)
{
	int i;

	kind = k;
	trying = k != BY_TIMER;
	i = clock_begin();
	trying = false;
	if (i >= 0 && slots[i].live)
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
		atomic_store(&signo, SIGTRAP);
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
	tick = (uint64_t)resolution.tv_nsec;
	if (options.paths && options_clock() == RESOURCES_MOST) {
		kind = BY_NOTHING;
		run.clock = run.resource = options.resources[0].kind->name;
		run.period = 0;
		clock_begin();
		return 0;
	}
	run.period = options.period < SHORTEST ? SHORTEST : options.period;
	run.resource = options.time == TIME_REAL ? "real" : "cpu";
	if (options.time != TIME_REAL && run.period < tick) {
		run.clock = "perf";
		if (begin_event()) {
			note_post(NOTE_USER_TIME);
			return 0;
		}
		run.period = tick;
		note_post(NOTE_TICK_RATE);
	}
	run.clock = options.time == TIME_REAL ? "real" : options.time == TIME_VIRTUAL ? "virtual" : clock_of_each_thread() ? "thread" : "prof";
	if (!atomic_load(&signo) && !choose_signal(0))
		return 0;
	spent = spent_before();
	begin_by(BY_TIMER);
	return early;
}

void clock_end(int slot)
{
	struct slot *s = &slots[slot];
	uint64_t mask;

	hold(s, &mask);
	stop(s);
	unhold(s, &mask);
	atomic_store(&s->tid, 0);
}

static void each_thread(void (*f)(struct slot *))
{
	uint32_t used = atomic_load(&slots_used);
	uint64_t mask;

	for (uint32_t i = 0; i < used; i++) {
		if (!atomic_load(&slots[i].tid))
			continue;
		hold(&slots[i], &mask);
		if (atomic_load(&slots[i].tid))
			f(&slots[i]);
		unhold(&slots[i], &mask);
	}
}

void clock_pause(void)
{
	atomic_store(&paused, true);
	each_thread(stop);
}

void clock_resume(void)
{
	if (!atomic_load(&signo) && kind != BY_NOTHING)
		return;
	atomic_store(&paused, false);
	each_thread(start);
}

void clock_forget(void)
{
	uint32_t used = atomic_load(&slots_used);

	events_forget(used);
	/* Timers and the mappings of events are not inherited, a descriptor is. */
	for (uint32_t i = 0; i < used; i++) {
		if (!clock_of_each_thread())
			perf_close(slots[i].event);
		slots[i] = (struct slot){ .random = slots[i].random };
	}
	atomic_store(&slots_used, 0);
}

/* The slot of the calling thread, SLOTS if it has none. */
static uint32_t own_slot(void)
{
	int tid = (int)sys0(SYS_gettid);
	uint32_t used = atomic_load(&slots_used), i = 0;

	while (i < used && atomic_load_explicit(&slots[i].tid, memory_order_relaxed) != tid)
		i++;
	return i < used ? i : SLOTS;
}

bool clock_ticked(int signal, const siginfo_t *info, uint64_t *missed)
{
	uint32_t i;

	*missed = 0;
	if (kind == BY_NOTHING)
		return false;
	if (kind == BY_TIMER) {
		if (info->si_code != SI_TIMER)
			return false;
		i = (uint32_t)info->si_value.sival_int;
		*missed = (uint64_t)info->si_overrun;
	} else if (!perf_ticked(signal, info, &i)) {
		return false;
	}
	if (kind == BY_PERF_SIGNAL)
		i = own_slot();
	if (i < SLOTS && (options.random || (kind != BY_TIMER && slots[i].first)))
		next(&slots[i]);
	return true;
}

static void stop_events(struct slot *s)
{
	events_stop((int)(s - slots));
}

bool clock_take(int slot)
{
	return !atomic_exchange(&slots[slot].busy, true);
}

void clock_give(int slot)
{
	let_go(&slots[slot]);
}

bool clock_yield_signal(int signal)
{
	bool was_paused = atomic_load(&paused);

	if (signal == SIGTRAP && events_give_up())
		each_thread(stop_events);
	if (signal != atomic_load(&signo))
		return false;
	atomic_store(&paused, true);
	each_thread(stop);
	note_post(kind == BY_PERF_TRAP ? NOTE_TRAP_TAKEN : NOTE_SIGNAL_TAKEN);
	signals_give_back(signal);
	if (kind == BY_PERF_TRAP)
		kind = BY_PERF_SIGNAL;
	if (!choose_signal(signal))
		return true;
	atomic_store(&paused, was_paused);
	each_thread(start);
	return true;
}

void clock_check(void)
{
	int signal = atomic_load(&signo);

	if (signal && !signals_in_place(signal, handler))
		note_post(NOTE_SIGNAL_LOST);
}
