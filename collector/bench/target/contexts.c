/*
 * Figure 1 of Froyd, Mellor-Crummey and Fowler, "Low-Overhead Call Path Profiling of Unmodified, Optimized
 * Code" (ICS 2005): a call of c from b costs half of one from a, and there are twice as many. The compiler
 * has to leave the calls alone. Prints the CPU time that they took, in ns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noipa))

static int huge;

APART void d(void) {}
APART void c(int n) { int i, most = huge / n; for (i = 0; i < most; ++i) d(); }
APART void b(void (*f)(int)) { f(2); f(2); f(2); f(2); }
APART void a(void (*f)(int)) { f(1); f(1); }

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long long began = now();

	huge = argc > 1 ? 1 << atoi(argv[1]) : 1 << 28;
	a(c);
	b(c);
	printf("%lld\n", now() - began);
	return 0;
}
