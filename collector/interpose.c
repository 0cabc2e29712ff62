/*
 * interpose.c: functions of the C library that the preloaded collector stands before, so
 * that a program which uses the signal of the clock keeps its behaviour, and code that
 * is unloaded is noticed. All of them do what they always do for everything else.
 */
#include "clock.h"
#include "collector.h"
#include "fpe.h"
#include "mask.h"
#include "next.h"
#include "object.h"
#include "run.h"
#include "signals.h"
#include "sys.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <link.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static bool is_handler(const struct sigaction *a)
{
	return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

EXPORT int sigaction(int signal, const struct sigaction *set, struct sigaction *old)
{
	if (!signals_ours(signal) || !run_mine())
		return NEXT(sigaction)(signal, set, old);
	if (set && is_handler(set) && signal != SIGFPE) {
		if (fpe_needs(signal))
			fpe_stop();
		/*
		 * The trap of an event tells whose it is, and interrupts no system call: it goes
		 * on beside others.
		 */
		if (signal != SIGTRAP)
			clock_yield_signal(signal);
	}
	signals_disposition(signal, set, old);
	return 0;
}

typedef void disposition(int);

/* What signal(2) of either kind does with a signal of the clock. */
static disposition *set_disposition(int signal, disposition *f, int flags)
{
	struct sigaction set = { .sa_handler = f, .sa_flags = flags }, old;

	return sigaction(signal, &set, &old) == 0 ? old.sa_handler : SIG_ERR;
}

EXPORT disposition *signal(int signo, disposition *f)
{
	if (signals_ours(signo) && run_mine())
		return set_disposition(signo, f, SA_RESTART);
	return NEXT(signal)(signo, f);
}

disposition *__sysv_signal(int, disposition *);

EXPORT disposition *__sysv_signal(int signo, disposition *f)
{
	if (signals_ours(signo) && run_mine())
		return set_disposition(signo, f, (int)(SA_RESETHAND | SA_NODEFER));
	return NEXT(__sysv_signal)(signo, f);
}

static bool aside(int signo)
{
	return signals_ours(signo) && run_mine();
}

EXPORT disposition *bsd_signal(int signo, disposition *f)
{
	return aside(signo) ? set_disposition(signo, f, SA_RESTART) : NEXT(signal)(signo, f);
}

disposition *ssignal(int, disposition *);

EXPORT disposition *ssignal(int signo, disposition *f)
{
	return aside(signo) ? set_disposition(signo, f, SA_RESTART) : NEXT(ssignal)(signo, f);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/*
 * The older functions: a handler of ours must not be taken away unseen, for the tick would end the
 * program.
 */
EXPORT int sigignore(int signo)
{
	if (aside(signo))
		return set_disposition(signo, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
	return NEXT(sigignore)(signo);
}

EXPORT disposition *sigset(int signo, disposition *f)
{
	sigset_t set, old;
	disposition *before;

	if (!aside(signo))
		return NEXT(sigset)(signo, f);
	sigemptyset(&set);
	sigaddset(&set, signo);
	if (f == SIG_HOLD) {
		struct sigaction now;

		sigprocmask(SIG_BLOCK, &set, &old);
		sigaction(signo, NULL, &now);
		before = now.sa_handler;
	} else {
		before = set_disposition(signo, f, 0);
		sigprocmask(SIG_UNBLOCK, &set, &old);
	}
	return sigismember(&old, signo) == 1 ? SIG_HOLD : before;
}

#pragma GCC diagnostic pop

/*
 * A program that confines itself to some system calls may be ended for one of ours: no tick
 * comes from then on.
 */
EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	va_list rest;

	va_start(rest, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(rest, unsigned long);
	va_end(rest);
	/* A filter that is NULL asks whether there are filters. */
	if (option == PR_SET_SECCOMP && (a[0] == SECCOMP_MODE_STRICT || a[1]))
		collector_confine();
	return NEXT(prctl)(option, a[0], a[1], a[2], a[3]);
}

/* The same by libseccomp, which makes the system call itself. */
int seccomp_load(void *filter);

EXPORT int seccomp_load(void *filter)
{
	__typeof__(&seccomp_load) f = (__typeof__(&seccomp_load))dlsym(RTLD_NEXT, "seccomp_load");
	Dl_info info;
	void *map;

	/* One that only its own users see is found by what these are linked with. */
	if (!f && dladdr1(__builtin_return_address(0), &info, &map, RTLD_DL_LINKMAP))
		f = (__typeof__(&seccomp_load))dlsym(map, "seccomp_load");
	if (!f)
		return -ENOSYS;
	collector_confine();
	return f(filter);
}

/*
 * What is reserved for us but not used leaves a program little of an address space that it limits.
 */
static void before_limit(pid_t pid, int resource, const struct rlimit *set)
{
	if ((resource == RLIMIT_AS || resource == RLIMIT_DATA) && set && set->rlim_cur != RLIM_INFINITY &&
	    (pid == 0 || pid == getpid()))
		collector_limited(set->rlim_cur);
}

EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *set)
{
	before_limit(0, (int)resource, set);
	return NEXT(setrlimit)(resource, set);
}

EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *set) __attribute__((alias("setrlimit")));

EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *set, struct rlimit *old)
{
	before_limit(pid, (int)resource, set);
	return NEXT(prlimit)(pid, resource, set, old);
}

EXPORT int prlimit64(pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *set,
		     struct rlimit64 *old) __attribute__((alias("prlimit")));

/*
 * The kernel fills what is mapped, and counts it as locked, also what is there for contexts that
 * may come.
 */
EXPORT int mlockall(int flags)
{
	enum { AS_LIMIT = 64 << 20 /* 1 MB of that is ours */ };

	if (flags & MCL_CURRENT)
		collector_limited(AS_LIMIT);
	return NEXT(mlockall)(flags);
}

EXPORT int raise(int signo)
{
	mask_sends(signo);
	return NEXT(raise)(signo);
}

EXPORT int pthread_kill(pthread_t thread, int signo)
{
	mask_sends(signo);
	return NEXT(pthread_kill)(thread, signo);
}

EXPORT int pthread_sigqueue(pthread_t thread, int signo, const union sigval value)
{
	mask_sends(signo);
	return NEXT(pthread_sigqueue)(thread, signo, value);
}

EXPORT int tgkill(pid_t process, pid_t thread, int signo)
{
	mask_sends(signo);
	return NEXT(tgkill)(process, thread, signo);
}

/* Whether a call that failed is to be tried again, without timers of ours. */
static bool room_made(void)
{
	int error = errno;
	bool made = error == EAGAIN && run_mine() && clock_makes_room();

	errno = error;
	return made;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
	int err = NEXT(timer_create)(clock, event, timer);

	return err < 0 && room_made() ? NEXT(timer_create)(clock, event, timer) : err;
}

EXPORT int sigqueue(pid_t pid, int signo, const union sigval value)
{
	int err = NEXT(sigqueue)(pid, signo, value);

	return err < 0 && room_made() ? NEXT(sigqueue)(pid, signo, value) : err;
}

EXPORT int dlclose(void *handle)
{
	int err = NEXT(dlclose)(handle);

	object_changed();
	unwind_linked_unloaded();
	return err;
}

/* A process that ends without running destructors. */
EXPORT void _exit(int status)
{
	collector_complete(true);
	NEXT(_exit)(status);
	__builtin_unreachable();
}

EXPORT void _Exit(int status)
{
	_exit(status);
}
