#include "signals.h"
#include "sys.h"

#include <stdatomic.h>

/* Not the function of that name that a sanitizer or interpose.c puts in its place. */
int __sigaction(int, const struct sigaction *, struct sigaction *);

enum { SIGNALS = 32 };

/*
 * Signals that nobody misses if a tick comes when no handler is there, then others that are seldom
 * used.
 */
static const int candidates[] = { SIGURG, SIGWINCH, SIGSTKFLT, SIGPROF, SIGVTALRM };

enum { CANDIDATES = sizeof candidates / sizeof *candidates };

/*
 * The program's dispositions of signals that our handler is in place for: one that a handler may
 * be reading is not written to.
 */
static struct sigaction wishes[SIGNALS][2];
static _Atomic uint8_t wish_at[SIGNALS];
static _Atomic uint64_t ours, retired;
static signals_handler *handler;

bool signals_traced(void)
{
	static const char key[] = "\nTracerPid:\t";
	static char status[2048];
	int fd = sys_openat(AT_FDCWD, "/proc/self/status", O_RDONLY, 0);
	long n = fd < 0 ? 0 : sys3(SYS_read, fd, status, sizeof status - 1);
	size_t m = sizeof key - 1;

	if (fd >= 0)
		sys_close(fd);
	for (long i = 0; i + (long)m < n; i++) {
		size_t j = 0;

		while (j < m && status[i + (long)j] == key[j])
			j++;
		if (j == m)
			return status[i + (long)m] != '0';
	}
	return false;
}

static bool is_handler(const struct sigaction *a)
{
	return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

static const struct sigaction *wish(int signal)
{
	return &wishes[signal][atomic_load(&wish_at[signal])];
}

static void set_wish(int signal, const struct sigaction *a)
{
	uint8_t other = !atomic_load(&wish_at[signal]);

	wishes[signal][other] = *a;
	atomic_store(&wish_at[signal], other);
}

bool signals_ours(int signal)
{
	return signal > 0 && signal < SIGNALS && signals_set() & signals_bit(signal);
}

uint64_t signals_set(void)
{
	return atomic_load_explicit(&ours, memory_order_relaxed);
}

uint64_t signals_in_use(void)
{
	return atomic_load(&ours) & ~atomic_load(&retired);
}

uint64_t signals_watched(void)
{
	uint64_t set = signals_set();

	for (int i = 0; set && i < CANDIDATES; i++)
		set |= signals_bit(candidates[i]);
	return set;
}

bool signals_free(int signal)
{
	struct sigaction now;

	if (signals_ours(signal))
		return !is_handler(wish(signal));
	return __sigaction(signal, NULL, &now) == 0 && !is_handler(&now);
}

bool signals_handled(uint64_t set)
{
	for (int s = 1; s < NSIG; s++)
		if (set & signals_bit(s) && !signals_free(s))
			return true;
	return false;
}

/*
 * Puts our handler in place. It restarts system calls, and takes the stack for signals, as the
 * program's does if there is one. No handler of the program interrupts ours, nor does one of the C
 * library, which sigfillset leaves out: that which cancels a thread never returns.
 */
static bool stand(int signal)
{
	const struct sigaction *w = wish(signal);
	int both = (int)(SA_RESTART | SA_ONSTACK);
	struct sigaction a = {
		.sa_sigaction = handler,
		.sa_flags = SA_SIGINFO | (is_handler(w) ? w->sa_flags & both : both),
	};

	__builtin_memset(&a.sa_mask, 0xff, sizeof a.sa_mask);
	return __sigaction(signal, &a, NULL) == 0;
}

bool signals_take(int signal, signals_handler *f)
{
	struct sigaction now;

	if (signals_ours(signal))
		return true;
	if (__sigaction(signal, NULL, &now) < 0)
		return false;
	handler = f;
	set_wish(signal, &now);
	if (!stand(signal))
		return false;
	atomic_fetch_or(&ours, signals_bit(signal));
	return true;
}

int signals_take_any(uint64_t but, signals_handler *f)
{
	but |= atomic_load(&retired);
	for (int i = 0; i < CANDIDATES; i++)
		if (!(but & signals_bit(candidates[i])) && signals_free(candidates[i]) &&
		    signals_take(candidates[i], f))
			return candidates[i];
	return 0;
}

void signals_blocked(uint64_t set)
{
	set &= ~(signals_set() | atomic_load(&retired));
	for (int i = 0; i < CANDIDATES; i++) {
		int s = candidates[i];

		/*
		 * Windows change their sizes: that would interrupt what waits, which the default
		 * does not.
		 */
		if (set & signals_bit(s) && (s == SIGWINCH || !signals_free(s) || !signals_take(s, handler)))
			signals_retire(s);
	}
}

void signals_retire(int signal)
{
	atomic_fetch_or(&retired, signals_bit(signal));
}

bool signals_in_place(int signal, signals_handler *f)
{
	struct sigaction now;

	return __sigaction(signal, NULL, &now) != 0 || now.sa_sigaction == f;
}

void signals_give_back(int signal)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (!signals_ours(signal))
		return;
	/* To ignore a signal discards those that are pending. */
	if (signals_in_use() & signals_bit(signal))
		__sigaction(signal, &ignore, NULL);
	atomic_fetch_and(&ours, ~signals_bit(signal));
	__sigaction(signal, wish(signal), NULL);
}

void signals_disposition(int signal, const struct sigaction *set, struct sigaction *old)
{
	struct sigaction before = *wish(signal);

	if (set) {
		set_wish(signal, set);
		stand(signal);
	}
	if (old)
		*old = before;
}

void signals_lend(bool lent)
{
	uint64_t set = signals_set();

	for (int s = 1; s < SIGNALS; s++) {
		if (!(set & signals_bit(s)) || wish(s)->sa_handler != SIG_IGN)
			continue;
		if (lent)
			__sigaction(s, wish(s), NULL);
		else
			stand(s);
	}
}

/* Calls the program's handler as the kernel would have. */
static void chain(int signal, siginfo_t *info, ucontext_t *context)
{
	struct sigaction a = *wish(signal);
	sigset_t mask;

	if (a.sa_flags & (int)SA_RESETHAND) {
		struct sigaction reset = a;

		reset.sa_handler = SIG_DFL;
		set_wish(signal, &reset);
	}
	sigorset(&mask, &context->uc_sigmask, &a.sa_mask);
	if (!(a.sa_flags & SA_NODEFER))
		sigaddset(&mask, signal);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(uint64_t));
	a.sa_sigaction(signal, info, context);
}

bool signals_forced(int signal, const siginfo_t *info)
{
	return (signal == SIGTRAP || signal == SIGFPE) && info->si_code > 0;
}

void signals_pass(int signal, siginfo_t *info, ucontext_t *context)
{
	uint64_t bit = signals_bit(signal);
	void (*f)(int);

	if (!signals_ours(signal))
		return;
	f = wish(signal)->sa_handler;
	if (f != SIG_DFL && f != SIG_IGN) {
		chain(signal, info, context);
		return;
	}
	if (signal == SIGURG || signal == SIGWINCH || (f == SIG_IGN && !signals_forced(signal, info)))
		return;
	/* The default ends the process: let the signal come again without a handler. */
	__sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), sys0(SYS_gettid), signal, info);
	sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, sizeof bit);
}
