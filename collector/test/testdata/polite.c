// Programs that a collector could harm in ways of their own: `polite NAME`. Each prints
// what it would print without a collector.
#define _GNU_SOURCE
#include "burn.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, strerror(errno)); exit(1); } } while (0)

// A clock of its own, as of a library that shifts time, which takes a lock.
static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	pthread_mutex_lock(&clock_lock);
	int err = (int)syscall(SYS_clock_gettime, clock, t);
	pthread_mutex_unlock(&clock_lock);
	return err;
}

static void own_clock(void)
{
	struct timespec t;
	double end = cpu() + 0.4;
	while (cpu() < end)
		for (int i = 0; i < 1000; i++)
			clock_gettime(CLOCK_MONOTONIC, &t);
	puts("done");
}

static void *lives_on(void *p)
{
	(void)p;
	burn(2.5);
	puts("done");
	exit(0);
}

// The first thread ends, and the other runs longer than the map is believed.
static void leaderless(void)
{
	pthread_t t;
	CHECK(!pthread_create(&t, NULL, lives_on, NULL));
	pthread_exit(NULL);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void old_signals(void)
{
	burn(0.05);
	CHECK(!sigignore(SIGTRAP));
	burn(0.05);
	CHECK(sigset(SIGTRAP, SIG_DFL) == SIG_IGN);
	burn(0.1);
	puts("done");
}

static void waits_for_trap(void)
{
	struct timespec now = { 0, 0 };
	sigset_t trap;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	burn(0.05);
	CHECK(!sigprocmask(SIG_BLOCK, &trap, NULL));
	burn(0.05);
	CHECK(sigtimedwait(&trap, NULL, &now) == -1 && errno == EAGAIN);
	raise(SIGTRAP);
	CHECK(sigtimedwait(&trap, NULL, &now) == SIGTRAP);
	puts("done");
}

static void confined(void)
{
	burn(0.1);
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	spin(300000000);
	CHECK(write(1, "done\n", 5) == 5);
	syscall(SYS_exit, 0);
}

// As runtimes do that make their system calls themselves.
static long by_instruction(long n, long a, long b, long c, long d)
{
#ifdef __x86_64__
	register long r10 __asm__("r10") = d;
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return r;
#else
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#endif
}

static void takes_unseen(void)
{
	struct { void *handler; unsigned long flags, restorer, mask; } ignore = { SIG_IGN, 0, 0, 0 };
	burn(0.1);
	CHECK(!by_instruction(SYS_rt_sigaction, SIGURG, (long)&ignore, 0, 8));
	burn(0.1);
	puts("done");
}

static void on_any(int s) { (void)s; }

static void takes_all(void)
{
	burn(0.1);
	for (int s = 1; s < 32; s++)
		if (s != SIGKILL && s != SIGSTOP) {
			void (*was)(int) = signal(s, on_any);
			CHECK(was == SIG_DFL || was == SIG_IGN); /* as of nohup */
		}
	burn(0.1);
	puts("done");
}

static void little_space(void)
{
	struct rlimit l = { 400 << 20, 400 << 20 };
	CHECK(!setrlimit(RLIMIT_AS, &l));
	burn(0.1);
	(void)sqrt_in_libm();
	for (int i = 0; i < 300; i++)
		CHECK(malloc(1 << 20));
	puts("done");
}

static void locked(void)
{
	CHECK(!mlockall(MCL_CURRENT | MCL_FUTURE));
	burn(0.2);
	puts("done");
}

// Closes all descriptors, and has another file by the number of one that it did not open.
static void closes(void)
{
	burn(0.05);
	for (int i = 3; i < 100; i++)
		close(i);
	FILE *f = tmpfile();
	CHECK(f && fputs("late", f) >= 0);
	fflush(stdout);
	pid_t p = fork();
	CHECK(p >= 0);
	if (p == 0)
		_exit(write(fileno(f), "child", 5) != 5);
	int status;
	CHECK(waitpid(p, &status, 0) == p && status == 0);
	puts("done");
}

static const struct { const char *name; void (*f)(void); } table[] = {
	{ "own-clock", own_clock }, { "leaderless", leaderless }, { "old-signals", old_signals }, { "waits-for-trap", waits_for_trap },
	{ "confined", confined }, { "little-space", little_space }, { "locked", locked }, { "closes", closes }, { "takes-unseen", takes_unseen }, { "takes-all", takes_all },
};

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(argv[1], table[i].name)) {
			table[i].f();
			return 0;
		}
	return 2;
}
