#include "signals.h"
#include "sys.h"

/* Not the function of that name that a sanitizer or interpose.c puts in its place. */
int __sigaction(int, const struct sigaction *, struct sigaction *);

enum { SIGNALS = 32 };

/* The program's dispositions of signals that our handler is in place for. */
static struct sigaction wishes[SIGNALS];
static _Atomic bool ours[SIGNALS];

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

bool signals_free(int signal)
{
	struct sigaction now;

	return __sigaction(signal, NULL, &now) == 0 && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
}

void signals_install(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	uint64_t bit = UINT64_C(1) << (signal - 1);

	/*
	 * No handler of the program interrupts ours, nor does one of the C library, which sigfillset leaves out: that
	 * which cancels a thread never returns.
	 */
	__builtin_memset(&a.sa_mask, 0xff, sizeof a.sa_mask);
	if (__sigaction(signal, &a, &wishes[signal]) < 0)
		return;
	ours[signal] = true;
	sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, sizeof bit);
}

bool signals_take(int signal, void (*handler)(int, siginfo_t *, void *))
{
	if (signals_ours(signal))
		return true;
	if (!signals_free(signal))
		return false;
	signals_install(signal, handler);
	return signals_ours(signal);
}

bool signals_ours(int signal)
{
	return signal > 0 && signal < SIGNALS && ours[signal];
}

bool signals_in_place(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction now;

	return __sigaction(signal, NULL, &now) != 0 || now.sa_sigaction == handler;
}

void signals_give_back(int signal)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (!signals_ours(signal))
		return;
	/* To ignore a signal discards those that are pending. */
	__sigaction(signal, &ignore, NULL);
	ours[signal] = false;
	__sigaction(signal, &wishes[signal], NULL);
}

void signals_disposition(int signal, const struct sigaction *set, struct sigaction *old)
{
	struct sigaction before = wishes[signal];

	if (set)
		wishes[signal] = *set;
	if (old)
		*old = before;
}

/* Calls the program's handler as the kernel would have. */
static void chain(int signal, siginfo_t *info, ucontext_t *context)
{
	struct sigaction a = wishes[signal];
	sigset_t mask;

	if (a.sa_flags & (int)SA_RESETHAND)
		wishes[signal] = (struct sigaction){ .sa_handler = SIG_DFL };
	sigorset(&mask, &context->uc_sigmask, &a.sa_mask);
	if (!(a.sa_flags & SA_NODEFER))
		sigaddset(&mask, signal);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(uint64_t));
	a.sa_sigaction(signal, info, context);
}

void signals_pass(int signal, siginfo_t *info, ucontext_t *context)
{
	uint64_t bit = UINT64_C(1) << (signal - 1);
	/* The kernel forces a trap of the program's own code on it even if it is ignored. */
	bool forced = (signal == SIGTRAP || signal == SIGFPE) && info->si_code > 0;

	if (!signals_ours(signal) || signal == SIGURG || signal == SIGWINCH || (wishes[signal].sa_handler == SIG_IGN && !forced))
		return;
	if (wishes[signal].sa_handler != SIG_DFL && wishes[signal].sa_handler != SIG_IGN) {
		chain(signal, info, context);
		return;
	}
	/* The default ends the process: let the signal come again without a handler. */
	__sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), sys0(SYS_gettid), signal, info);
	sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, sizeof bit);
}
