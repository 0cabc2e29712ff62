/*
 * blocking.c: functions of the C library that the preloaded collector stands before, so that a
 * program which blocks the signals of the clock, waits for them or has a descriptor for them sees
 * its own mask and its own signals (mask.h).
 */
#include "capture.h"
#include "clock.h"
#include "collector.h"
#include "mask.h"
#include "next.h"
#include "run.h"
#include "signals.h"
#include "sys.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

enum { CANCEL = 32, SETXID = 33 }; /* the C library's own, which its functions never block */

static uint64_t bits(const sigset_t *set)
{
	uint64_t b;

	memcpy(&b, set, sizeof b);
	return b;
}

static sigset_t set_of(uint64_t b)
{
	sigset_t set;

	sigemptyset(&set);
	memcpy(&set, &b, sizeof b);
	return set;
}

/* 0, or an error number. */
static int change(int how, const sigset_t *set, sigset_t *old)
{
	uint64_t b = set ? bits(set) & ~(signals_bit(CANCEL) | signals_bit(SETXID)) : 0, before;
	long err = mask_change(how, set ? &b : NULL, &before);

	if (err < 0)
		return (int)-err;
	if (old)
		memcpy(old, &before, sizeof before);
	return 0;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return mask_concerned(set ? bits(set) : 0) ? change(how, set, old) : NEXT(pthread_sigmask)(how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int err;

	if (!mask_concerned(set ? bits(set) : 0))
		return NEXT(sigprocmask)(how, set, old);
	err = change(how, set, old);
	if (err)
		errno = err;
	return err ? -1 : 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int change_one(int how, int signo)
{
	sigset_t set;

	sigemptyset(&set);
	return sigaddset(&set, signo) < 0 ? -1 : sigprocmask(how, &set, NULL);
}

EXPORT int sighold(int signo)
{
	return change_one(SIG_BLOCK, signo);
}

EXPORT int sigrelse(int signo)
{
	return change_one(SIG_UNBLOCK, signo);
}

/* The old masks of 32 signals: those above are as if they were not in it. */
static int change_old(int how, int mask)
{
	sigset_t set = set_of((uint32_t)mask), old;

	return sigprocmask(how, &set, &old) < 0 ? -1 : (int)bits(&old);
}

EXPORT int sigblock(int mask)
{
	return change_old(SIG_BLOCK, mask);
}

EXPORT int sigsetmask(int mask)
{
	return change_old(SIG_SETMASK, mask);
}

EXPORT int siggetmask(void)
{
	return change_old(SIG_BLOCK, 0);
}

#pragma GCC diagnostic pop

EXPORT int sigpending(sigset_t *set)
{
	int err = NEXT(sigpending)(set);
	uint64_t doubtful = err == 0 ? bits(set) & signals_in_use() : 0;

	/* In a handler that blocks it a tick may wait, and the next one come at any time. */
	if (doubtful && run_mine())
		*set = set_of((bits(set) & ~doubtful) | mask_drain(doubtful));
	return err;
}

/* A tick that came in a wait for it, which is to be sampled where the wait was called. */
static __thread struct {
	int signal;
	siginfo_t *info;
} came __attribute__((tls_model("initial-exec")));

static void take_tick(const ucontext_t *context)
{
	ucontext_t u = *context;

	collector_signal(came.signal, came.info, &u);
}

static void tick(int signal, siginfo_t *info)
{
	uint64_t all = UINT64_MAX, mask;
	int error = errno;

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof all);
	came.signal = signal;
	came.info = info;
	capture(take_tick);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
	errno = error;
}

static int64_t left_until(uint64_t end)
{
	return (int64_t)(end - sys_time(CLOCK_MONOTONIC));
}

/*
 * Whether a wait that ended with EINTR did so for nothing of the program's: what it waits for went
 * to another thread that blocks it, and comes again, or a tick of ours came. If a handler of the
 * program's can have run it's the program's.
 */
static bool ended_by_us(const sigset_t *set)
{
	uint64_t blocked = 0;
	bool ours;

	if (errno != EINTR)
		return false;
	mask_change(SIG_BLOCK, &(uint64_t){ 0 }, &blocked);
	ours = !signals_handled(~(blocked | bits(set) | signals_bit(CANCEL) | signals_bit(SETXID)));
	errno = EINTR;
	return ours;
}

/*
 * Waits for a signal as the program asks; timeout NULL: for ever. Ticks of ours among them are
 * none.
 */
static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	uint64_t end = 0;
	struct timespec left;
	siginfo_t got;
	int signo;

	if (timeout && timeout->tv_sec < INT32_MAX) {
		left = *timeout;
		end = sys_time(CLOCK_MONOTONIC) + (uint64_t)timeout->tv_sec * 1000000000 + (uint64_t)timeout->tv_nsec;
	}
	for (;;) {
		int64_t ns;

		signo = NEXT(sigtimedwait)(set, &got, end ? &left : NULL);
		if (signo > 0 && clock_is_tick(signo, &got))
			tick(signo, &got);
		else if (signo > 0 || !ended_by_us(set))
			break;
		ns = end ? left_until(end) : 0;
		left = ns > 0 ? (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 }
		       : (struct timespec){ 0, 0 };
	}
	if (signo > 0 && info)
		*info = got;
	return signo;
}

static bool waits_for_ours(const sigset_t *set)
{
	return bits(set) & signals_set() && run_mine();
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			const struct timespec *restrict timeout)
{
	return waits_for_ours(set) ? wait_for(set, info, timeout) : NEXT(sigtimedwait)(set, info, timeout);
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	return waits_for_ours(set) ? wait_for(set, info, NULL) : NEXT(sigwaitinfo)(set, info);
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict signo)
{
	int got;

	if (!waits_for_ours(set))
		return NEXT(sigwait)(set, signo);
	do
		got = wait_for(set, NULL, NULL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno;
	*signo = got;
	return 0;
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t shown;

	if (!(bits(set) & signals_set()) || !run_mine())
		return NEXT(signalfd)(fd, set, flags);
	shown = set_of(mask_descriptor_set(bits(set)));
	fd = NEXT(signalfd)(fd, &shown, flags);
	if (fd >= 0)
		mask_descriptor(fd, bits(set));
	return fd;
}

/* Calls that wait with a mask of the program's. */
#define WAITING(set, call)                                                                    \
	({                                                                                    \
		__typeof__(call) result_;                                                     \
		if (mask_concerned(bits(set)) && run_mine()) {                 \
			uint64_t before_ = mask_waits(__builtin_frame_address(0), bits(set)); \
			result_ = (call);                                                     \
			mask_waited(before_);                                                 \
		} else {                                                                      \
			result_ = (call);                                                     \
		}                                                                             \
		result_;                                                                      \
	})

EXPORT int sigsuspend(const sigset_t *set)
{
	return WAITING(set, NEXT(sigsuspend)(set));
}

EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *set)
{
	return set ? WAITING(set, NEXT(ppoll)(fds, n, timeout, set)) : NEXT(ppoll)(fds, n, timeout, set);
}

EXPORT int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
		   const struct timespec *restrict timeout, const sigset_t *restrict set)
{
	return set ? WAITING(set, NEXT(pselect)(n, r, w, e, timeout, set)) : NEXT(pselect)(n, r, w, e, timeout, set);
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout, const sigset_t *set)
{
	return set ? WAITING(set, NEXT(epoll_pwait)(fd, events, n, timeout, set))
	       : NEXT(epoll_pwait)(fd, events, n, timeout, set);
}
