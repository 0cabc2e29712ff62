#include "mask.h"
#include "clock.h"
#include "fpe.h"
#include "run.h"
#include "signals.h"
#include "sys.h"

#include <stdatomic.h>
#include <stddef.h>

enum { DESCRIPTORS = 64 };

static __thread struct {
	uint64_t hidden; /* the program blocks them, the kernel does not */
	int child;       /* the process that shares our memory and has its mask from the kernel; 0: none */
	char *frame;     /* of a call that waits with another mask; NULL: none */
	uint64_t outside; /* hidden but for that call */
} mine __attribute__((tls_model("initial-exec")));

/* Descriptors of signals whose set has some of ours. */
static struct {
	_Atomic int fd; /* + 1; 0: free */
	_Atomic uint64_t set;
} descriptors[DESCRIPTORS];

static uint64_t kernel_mask(int how, uint64_t set)
{
	uint64_t before = 0;

	sys4(SYS_rt_sigprocmask, how, &set, &before, sizeof set);
	return before;
}

bool mask_concerned(uint64_t set)
{
	return (set & signals_watched()) || mine.hidden;
}

/*
 * The child of a vfork has its parent's thread: it goes on with a mask of its own, the program's.
 */
static bool is_child(void)
{
	int pid;

	if (run_mine()) {
		mine.child = 0;
		return false;
	}
	pid = (int)sys0(SYS_getpid);
	if (mine.child != pid)
		kernel_mask(SIG_BLOCK, mine.hidden);
	mine.child = pid;
	return true;
}

static bool changed(int how, uint64_t before, uint64_t set, uint64_t *after)
{
	*after = how == SIG_BLOCK ? before | set : how == SIG_UNBLOCK ? before & ~set : set;
	return how == SIG_BLOCK || how == SIG_UNBLOCK || how == SIG_SETMASK;
}

long mask_change(int how, const uint64_t *set, uint64_t *old)
{
	uint64_t real, before, after, usable, hidden;

	if (!mask_concerned(set ? *set : 0) || is_child())
		return sys4(SYS_rt_sigprocmask, how, set, old, sizeof *set);
	real = kernel_mask(SIG_BLOCK, 0);
	before = real | mine.hidden;
	if (set) {
		if (!changed(how, before, *set, &after))
			return -EINVAL;
		signals_blocked(after & ~real);
		usable = signals_in_use();
		/* What the kernel blocks already is of a handler, and so until that returns. */
		hidden = after & usable & (~real | mine.hidden);
		mine.hidden = hidden;
		fpe_before_thread();
		kernel_mask(SIG_SETMASK, after & ~(hidden & ~real));
		mask_drain(after & ~real & signals_set() & ~usable);
	}
	if (old)
		*old = before;
	return 0;
}

void mask_adopt(void)
{
	uint64_t real = kernel_mask(SIG_BLOCK, 0);

	if (!(real & signals_watched()))
		return;
	signals_blocked(real);
	mine.hidden = real & signals_in_use();
	kernel_mask(SIG_UNBLOCK, mine.hidden);
}

void mask_end(void)
{
	kernel_mask(SIG_BLOCK, mine.hidden);
	mine.hidden = 0;
}

void mask_settle(void)
{
	if (mine.hidden && !is_child())
		kernel_mask(SIG_BLOCK, mine.hidden);
	signals_lend(true);
}

void mask_unsettle(void)
{
	if (mine.hidden && run_mine()) {
		mine.hidden &= signals_in_use();
		kernel_mask(SIG_UNBLOCK, mine.hidden);
	}
	signals_lend(false);
}

/* Old headers have no names for these. */
enum { PIDFD_OF_THREAD = O_EXCL, TO_PROCESS = 1 << 1, OPEN_PIDFD = 434, SEND_BY_PIDFD = 424 };

/*
 * To the process, with the information that the signal had. The kernel takes that from its first
 * thread alone, or by a descriptor since 6.9.
 */
static void queue_to_process(int signal, const siginfo_t *info)
{
	int pid = (int)sys0(SYS_getpid), fd;
	long err = sys3(SYS_rt_sigqueueinfo, pid, signal, info);

	if (err != -EPERM)
		return;
	fd = (int)sys2(OPEN_PIDFD, sys0(SYS_gettid), PIDFD_OF_THREAD);
	if (fd >= 0) {
		err = sys4(SEND_BY_PIDFD, fd, signal, info, TO_PROCESS);
		sys_close(fd);
	}
	if (err < 0)
		sys2(SYS_kill, pid, signal);
}

/*
 * Ours are sent to threads. So may be others whose information is as that of a process's: these
 * become the process's.
 */
static void queue_again(int signal, const siginfo_t *info)
{
	if (info->si_code == SI_TKILL)
		sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), sys0(SYS_gettid), signal, info);
	else
		queue_to_process(signal, info);
}

uint64_t mask_drain(uint64_t set)
{
	const struct timespec now = { 0, 0 };
	uint64_t own = 0;
	siginfo_t info;

	/* Of each signal a thread has one at most, which it gets before one of the process. */
	for (int s = 1; set >> (s - 1); s++) {
		uint64_t bit = signals_bit(s);

		if (!(set & bit))
			continue;
		/* Behind a tick there may be one of the program's. */
		while (sys4(SYS_rt_sigtimedwait, &bit, &info, &now, sizeof bit) == s) {
			if (clock_is_tick(s, &info))
				continue;
			queue_again(s, &info);
			own |= bit;
			break;
		}
	}
	return own;
}

uint64_t mask_descriptor_set(uint64_t set)
{
	clock_avoid(set);
	/* What is retired by that is the kernel's at once. */
	mask_change(SIG_BLOCK, &(uint64_t){ 0 }, NULL);
	return set & ~signals_in_use();
}

void mask_descriptor(int fd, uint64_t set)
{
	for (int i = 0; i < DESCRIPTORS; i++) {
		int is = atomic_load(&descriptors[i].fd);

		if (is && is != fd + 1)
			continue;
		atomic_store(&descriptors[i].set, set);
		atomic_store(&descriptors[i].fd, fd + 1);
		return;
	}
	/* There are too many: none of this one's signals is hidden. */
	sys4(SYS_signalfd4, fd, &set, sizeof set, 0);
}

/* A signal has been retired: descriptors are for it too. */
static void refill_descriptors(uint64_t bit)
{
	for (int i = 0; i < DESCRIPTORS; i++) {
		int fd = atomic_load(&descriptors[i].fd) - 1;
		uint64_t set = atomic_load(&descriptors[i].set);

		if (fd < 0 || !(set & bit))
			continue;
		set &= ~signals_in_use();
		/* One that was closed meanwhile is none, or another file's. */
		if (sys4(SYS_signalfd4, fd, &set, sizeof set, 0) < 0)
			atomic_store(&descriptors[i].fd, 0);
	}
}

void mask_sends(int signal)
{
	if (signals_ours(signal) && signal != SIGTRAP && run_mine())
		clock_yield_signal(signal);
}

uint64_t mask_waits(char *frame, uint64_t set)
{
	uint64_t before = mine.hidden;

	mine.outside = before;
	mine.frame = frame;
	mine.hidden = set & signals_in_use();
	return before;
}

void mask_waited(uint64_t before)
{
	mine.hidden = before;
	mine.frame = NULL;
}

void mask_landed(uintptr_t sp)
{
	if (mine.frame && (uintptr_t)mine.frame < sp)
		mask_waited(mine.outside);
}

bool mask_holds(int signal, siginfo_t *info, ucontext_t *context)
{
	uint64_t bit = signals_bit(signal);

	if (!signals_ours(signal) || signals_forced(signal, info) || !(mine.hidden & bit))
		return false;
	if (run_mine()) {
		if (fpe_needs(signal))
			fpe_held(context);
		clock_yield_signal(signal);
		mine.hidden &= ~bit;
		refill_descriptors(bit);
		mask_drain(bit);
	}
	sigaddset(&context->uc_sigmask, signal);
	queue_again(signal, info);
	return true;
}
