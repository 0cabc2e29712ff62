// Functions called a known number of times, each for much longer than a period: counted MODE [ARGUMENT].
#include "burn.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLED __attribute__((noinline, noclone))

static volatile long sum; /* what is added after a call keeps it from being a jump */

CALLED void c(void)
{
	burn(0.02);
	sum++;
}

CALLED void a(void)
{
	c();
	sum++;
	c();
	sum++;
}

CALLED void b(void)
{
	for (int i = 0; i < 4; i++)
		c();
	sum++;
}

/* As in the paper on csprof: a calls c twice, b four times. */
static void figure(void)
{
	a();
	b();
}

static void loop(void)
{
	for (int i = 0; i < 25; i++)
		c();
}

/* Jumps to another function, which returns in its place. */
CALLED void jumps_to_c(void)
{
	burn(0.02);
	c();
}

static void tail(void)
{
	for (int i = 0; i < 5; i++) {
		jumps_to_c();
		sum++;
	}
}

CALLED void down(int levels)
{
	burn(0.02);
	if (levels)
		down(levels - 1);
	sum++;
}

static void recursion(void)
{
	for (int i = 0; i < 3; i++)
		down(2);
}

static jmp_buf out;

CALLED void leaves(int levels)
{
	if (levels)
		leaves(levels - 1);
	burn(0.02);
	longjmp(out, 1);
}

/* Comes to its end by a jump, with no sample between that and the next call. */
CALLED void tries(void)
{
	if (!setjmp(out))
		leaves(1);
	sum++;
}

static void jumps(void)
{
	for (int i = 0; i < 10; i++)
		tries();
}

static volatile sig_atomic_t handled;

/* Calls c twice. */
CALLED void handles(int signal)
{
	(void)signal;
	c();
	c();
	handled++;
}

static void handler(void)
{
	signal(SIGUSR1, handles);
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
}

/* Goes into the kernel for some 500 ns. */
CALLED void asks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	sum++;
}

static void briefly(void)
{
	for (int i = 0; i < 100000; i++) {
		for (int k = 0; k < 1000; k++)
			sum += k;
		asks();
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "figure"))
		figure();
	else if (!strcmp(mode, "loop"))
		loop();
	else if (!strcmp(mode, "tail"))
		tail();
	else if (!strcmp(mode, "recursion"))
		recursion();
	else if (!strcmp(mode, "jumps"))
		jumps();
	else if (!strcmp(mode, "briefly"))
		briefly();
	else if (!strcmp(mode, "handler"))
		handler();
	else
		return 1;
	puts("done");
	return 0;
}
