/*
 * syscall.c: system calls by the C library's `syscall`, of those that functions which we stand
 * before make too.
 *
 * All others go straight on, by a jump: one may return twice, as vfork does. What a program asks
 * of the kernel by instructions of its own is not seen.
 */
#include "collector.h"
#include "mask.h"
#include "next.h"
#include "signals.h"
#include "sys.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#ifndef __OPTIMIZE__
#error "compile the collector with -O1 or more: here calls have to be jumps"
#endif

typedef long call_function(long, long, long, long, long, long, long);

/* Its declaration has no names for its arguments. */
call_function pct_syscall __asm__("syscall") __attribute__((visibility("default")));

static call_function *_Atomic next;

static call_function *find(void)
{
	call_function *f = next;

	if (!f)
		next = f = (call_function *)dlsym(RTLD_NEXT, "syscall");
	return f;
}

__attribute__((constructor)) static void find_before(void)
{
	find();
}

static long result(long r)
{
	if (r >= 0)
		return r;
	errno = (int)-r;
	return -1;
}

/* What the kernel knows of a disposition. */
struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static __attribute__((noinline)) long action(int signal, const struct kernel_action *set, struct kernel_action *old)
{
	struct sigaction ours = { 0 }, before = { 0 };

	if (set) {
		ours.sa_sigaction = (void (*)(int, siginfo_t *, void *))set->handler;
		ours.sa_flags = (int)set->flags;
		memcpy(&ours.sa_mask, &set->mask, sizeof set->mask);
	}
	if (sigaction(signal, set ? &ours : NULL, &before) < 0)
		return -1;
	if (old) {
		*old = (struct kernel_action){
			.handler = (void *)before.sa_sigaction,
			.flags = (unsigned)before.sa_flags,
		};
		memcpy(&old->mask, &before.sa_mask, sizeof old->mask);
	}
	return 0;
}

static __attribute__((noinline)) long timed_wait(uint64_t bits, siginfo_t *info, const struct timespec *timeout)
{
	sigset_t set;

	sigemptyset(&set);
	memcpy(&set, &bits, sizeof bits);
	return sigtimedwait(&set, info, timeout);
}

static __attribute__((noinline)) long descriptor(int fd, uint64_t bits, int flags)
{
	sigset_t set;

	sigemptyset(&set);
	memcpy(&set, &bits, sizeof bits);
	return signalfd(fd, &set, flags);
}

static __attribute__((noinline)) void confine(void)
{
	collector_confine();
}

static __attribute__((noinline)) void send(long n, long b, long c)
{
	mask_sends((int)(n == SYS_tkill ? b : c));
}

enum way { STRAIGHT, ACTION, MASK, WAIT, DESCRIPTOR, CONFINE, SEND };

static enum way way(long n, long a, long b, long c, long d)
{
	enum { SIZE = 8 };

	switch (n) {
	case SYS_rt_sigaction:
		return d == SIZE && signals_ours((int)a) ? ACTION : STRAIGHT;
	case SYS_rt_sigprocmask:
		return d == SIZE && mask_concerned(b ? *(const uint64_t *)b : 0) ? MASK : STRAIGHT;
	case SYS_rt_sigtimedwait:
		return d == SIZE && a && *(const uint64_t *)a & signals_set() ? WAIT : STRAIGHT;
	case SYS_signalfd4:
		return c == SIZE && b && *(const uint64_t *)b & signals_set() ? DESCRIPTOR : STRAIGHT;
	case SYS_seccomp:
		return a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c) ? CONFINE : STRAIGHT;
	case SYS_prctl:
		return a == PR_SET_SECCOMP && (b == SECCOMP_MODE_STRICT || c) ? CONFINE : STRAIGHT;
	case SYS_tkill:
		return signals_ours((int)b) ? SEND : STRAIGHT;
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo:
		return signals_ours((int)c) ? SEND : STRAIGHT;
	default:
		return STRAIGHT;
	}
}

long pct_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	switch (way(n, a, b, c, d)) {
	case ACTION:
		return action((int)a, (const void *)b, (void *)c);
	case MASK:
		return result(mask_change((int)a, (const void *)b, (void *)c));
	case WAIT:
		return timed_wait(*(const uint64_t *)a, (void *)b, (const void *)c);
	case DESCRIPTOR:
		return descriptor((int)a, *(const uint64_t *)b, (int)d);
	case CONFINE:
		confine();
		break;
	case SEND:
		send(n, b, c);
		break;
	default:
		break;
	}
	return find()(n, a, b, c, d, e, f);
}
