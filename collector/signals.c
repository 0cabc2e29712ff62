#include "signals.h"
#include "sys.h"

/* Not the function of that name that a sanitizer or interpose.c puts in its place. */
int __sigaction(int, const struct sigaction *, struct sigaction *);

enum { SIGNALS = 32 };

/* The program's dispositions of signals that our handler is in place for. */
static struct sigaction wishes[SIGNALS];
static _Atomic bool ours[SIGNALS];

bool signals_free(int signal)
{
	struct sigaction now;

	return __sigaction(signal, NULL, &now) == 0 && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
}

void signals_install(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	uint64_t bit = UINT64_C(1) << (signal - 1);

	/* No handler of the program interrupts ours. */
	sigfillset(&a.sa_mask);
	if (__sigaction(signal, &a, &wishes[signal]) < 0)
		return;
	ours[signal] = true;
	sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, sizeof bit);
}

bool signals_ours(int signal)
{
	return signal > 0 && signal < SIGNALS && ours[signal];
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

void signals_pass(int signal, siginfo_t *info)
{
	uint64_t bit = UINT64_C(1) << (signal - 1);
	/* The kernel forces a trap of the program's own code on it even if it is ignored. */
	bool forced = signal == SIGTRAP && info->si_code > 0;

	if (!signals_ours(signal) || signal == SIGURG || signal == SIGWINCH || (wishes[signal].sa_handler == SIG_IGN && !forced))
		return;
	/* The default ends the process: let the signal come again without a handler. */
	__sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), sys0(SYS_gettid), signal, info);
	sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, sizeof bit);
}
