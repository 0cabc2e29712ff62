/* Nested, recursive and indirect calls, the C library's own calls back, large
 * and variable frames, a signal handler: a function of each kind of frame. */
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

volatile int sink;

NOINLINE int leaf(int n)
{
	sink += n;
	return n + 1;
}

NOINLINE int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int r = leaf(a) + leaf(b) * leaf(c) + leaf(d);

	return r + leaf(e) + leaf(f) + g * h + leaf(r);
}

NOINLINE int variable(int n)
{
	char *p = alloca(n);

	memset(p, n, n);
	return leaf(p[n / 2]) + leaf(n);
}

NOINLINE int large(int n)
{
	char buf[5000];

	memset(buf, n, sizeof buf);
	return leaf(buf[n]) + n;
}

NOINLINE int aligned(int n)
{
	int v[16] __attribute__((aligned(64)));

	for (int i = 0; i < 16; i++)
		v[i] = leaf(n + i);
	return v[n & 15];
}

NOINLINE int recursive(int n)
{
	return n == 0 ? leaf(n) : recursive(n - 1) + leaf(n);
}

NOINLINE int through(int (*f)(int), int n)
{
	return f(n) + 1;
}

static int compare(const void *a, const void *b)
{
	return leaf(*(const int *)a) - leaf(*(const int *)b);
}

static void handler(int sig)
{
	sink += leaf(sig);
}

int main(void)
{
	int v[] = {5, 3, 8, 1, 9, 2};
	char text[100];
	struct timespec t;
	static char other[1 << 16];
	stack_t ss = {.ss_sp = other, .ss_size = sizeof other};
	struct sigaction sa = {.sa_handler = handler};

	__asm__ volatile("int3"); /* the test begins here */
	many(1, 2, 3, 4, 5, 6, 7, 8);
	variable(100);
	large(50);
	aligned(3);
	recursive(10);
	through(leaf, 1);
	through(variable, 40);
	qsort(v, 6, sizeof v[0], compare);
	snprintf(text, sizeof text, "%d %s %g\n", v[0], "text", 1.5);
	sink += strlen(text);
	clock_gettime(CLOCK_MONOTONIC, &t);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	sigaltstack(&ss, NULL);
	sa.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &sa, NULL);
	raise(SIGUSR2);
	__asm__ volatile("int3"); /* and ends here */
	return 0;
}
