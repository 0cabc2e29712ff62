/*
 * exceptions MODE: floating point exceptions, known in number, whose results and flags are printed: the same
 * with and without a collector.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 300 };

typedef float four __attribute__((vector_size(16)));

static uint64_t digest;

static void keep(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	digest = (digest ^ bits) * UINT64_C(0x100000001b3);
}

/* Prints the result, and the flags that were raised, then clears those. */
static void show(const char *name)
{
	printf("%s %016lx %x\n", name, (unsigned long)digest, (unsigned)fetestexcept(FE_ALL_EXCEPT));
	feclearexcept(FE_ALL_EXCEPT);
}

__attribute__((noinline)) void divide(void)
{
	volatile double zero = 0;

	for (int i = 1; i <= TIMES; i++)
		keep(i / zero);
}

__attribute__((noinline)) void invalid(void)
{
	volatile double zero = 0;

	for (int i = 0; i < TIMES; i++)
		keep(zero / zero);
}

__attribute__((noinline)) void overflow(void)
{
	volatile double large = 1e300;

	for (int i = 0; i < TIMES; i++)
		keep(large * large);
}

__attribute__((noinline)) void underflow(void)
{
	volatile double small = 1e-200;

	for (int i = 0; i < TIMES; i++)
		keep(small * small);
}

/* Exact although it is tiny: no exception when it's masked. */
__attribute__((noinline)) void tiny(void)
{
	volatile double least = 0x1p-1022;

	for (int i = 0; i < TIMES; i++)
		keep(least * 0.5);
}

__attribute__((noinline)) void denormal(void)
{
	volatile double d = 0x1p-1030;

	for (int i = 0; i < TIMES; i++)
		keep(d + 1024);
}

__attribute__((noinline)) void inexact(void)
{
	volatile double three = 3;

	for (int i = 0; i < TIMES; i++)
		keep(1 / three);
}

__attribute__((noinline)) void packed(void)
{
	volatile four zeros = { 0, 1, 0, 1 }, ones = { 1, 2, 3, 4 };

	for (int i = 0; i < TIMES; i++) {
		four q = ones / zeros;

		keep(q[0] + q[1]);
	}
}

static void all(void)
{
	divide();
	show("divide");
	invalid();
	show("invalid");
	overflow();
	show("overflow");
	tiny();
	show("tiny");
	underflow();
	show("underflow");
	tiny();
	show("tiny");
	denormal();
	show("denormal");
	inexact();
	show("inexact");
	packed();
	show("packed");
	printf("%x\n", (unsigned)fegetexcept());
}

static void *of_thread(void *unused)
{
	sigset_t full;

	(void)unused;
	sigfillset(&full);
	pthread_sigmask(SIG_BLOCK, &full, NULL);
	divide();
	return NULL;
}

static void threads(void)
{
	pthread_attr_t blocked;
	pthread_t t;
	sigset_t all;

	sigfillset(&all);
	pthread_attr_init(&blocked);
	pthread_attr_setsigmask_np(&blocked, &all);
	for (int i = 0; i < 2; i++) {
		pthread_create(&t, i % 2 ? &blocked : NULL, of_thread, NULL);
		pthread_join(t, NULL);
	}
	if (fork() == 0) {
		invalid();
		exit(0);
	}
	wait(NULL);
}

static sigjmp_buf back;
static volatile int caught;

static void on_fpe(int signal, siginfo_t *info, void *unused)
{
	(void)signal;
	(void)unused;
	caught++;
	printf("caught %d\n", info->si_code);
	siglongjmp(back, 1);
}

/* Handles SIGFPE, raised by an integer division, kill and an exception that it enables itself. */
static void catcher(void)
{
	struct sigaction a = { .sa_sigaction = on_fpe, .sa_flags = SA_SIGINFO }, old;
	volatile int zero = 0;
	volatile double nought = 0;

	divide();
	sigaction(SIGFPE, &a, NULL);
	sigaction(SIGFPE, NULL, &old);
	printf("%d\n", old.sa_sigaction == on_fpe);
	if (!sigsetjmp(back, 1))
		printf("%d\n", 1 / zero);
	if (!sigsetjmp(back, 1))
		kill(getpid(), SIGFPE);
	divide();
	feclearexcept(FE_ALL_EXCEPT);
	printf("%x\n", (unsigned)feenableexcept(FE_DIVBYZERO));
	if (!sigsetjmp(back, 1))
		keep(1 / nought);
	printf("%d %x\n", caught, (unsigned)fedisableexcept(FE_ALL_EXCEPT));
	show("end");
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void blocked(void)
{
	int fpe = 1 << (SIGFPE - 1);

	sigblock(fpe);
	divide();
	sigsetmask(fpe);
	divide();
	sigsetmask(0);
	printf("%d\n", sighold(SIGFPE));
	divide();
	sigsetmask(0);
	printf("%d\n", sigset(SIGFPE, SIG_HOLD) == SIG_DFL);
	divide();
	printf("%d\n", sighold(SIGUSR1));
	printf("%d\n", (sigblock(0) & 1 << (SIGUSR1 - 1)) != 0);
}

int main(int argc, char **argv)
{
	volatile int zero = 0;

	if (argc != 2)
		return 2;
	setbuf(stdout, NULL);
	if (!strcmp(argv[1], "all"))
		all();
	else if (!strcmp(argv[1], "threads"))
		threads();
	else if (!strcmp(argv[1], "catcher"))
		catcher();
	else if (!strcmp(argv[1], "blocked"))
		blocked();
	else if (!strcmp(argv[1], "integer"))
		return 1 / zero;
	puts("done");
	return 0;
}
