// Call paths that stay for some time each: recursion, inlined functions, arguments that are not kept, tail
// calls, a signal, a thread, and pointers. Each path ends in `spin`, a loop.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

#define FUNCTION __attribute__((noinline))

enum color { RED, GREEN = 7, BLUE = 8 };
struct pair { int x, y; };

volatile unsigned sink;
static char title[] = "a \"title\" <- b";
static int table[4] = { 4, 3, 2, 1 };
static unsigned turns;

FUNCTION void spin(unsigned n, const char *why)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
	sink += (unsigned char)why[0];
}

static inline __attribute__((always_inline)) long inlined(long twice, unsigned char c)
{
	spin(turns, title);
	return twice + c;
}

FUNCTION double shapes(enum color c, double d, float f, struct pair p, struct pair *q, int unused, _Bool yes)
{
	long l = inlined(2 * (long)c, 'x');

	(void)unused;
	return (double)l + d + (double)f + p.x + q->y + yes;
}

FUNCTION int deep(int k, long total, int *at)
{
	int below;

	if (k > 0)
		below = deep(k - 1, total + k, at + 1);
	else
		below = (int)shapes(GREEN, 2.5, 0.25f, (struct pair){ 1, 2 }, &(struct pair){ 3, 4 }, 9, 1);
	sink += (unsigned)below;
	return below + k;
}

FUNCTION int same(int k, int kept)
{
	int below = k ? same(k - 1, kept) : deep(0, kept, table);

	sink += (unsigned)below;
	return below;
}

FUNCTION int tail(int a, int b)
{
	return deep(2, a + b, table);
}

FUNCTION int callback(const void *a, const void *b)
{
	spin(turns, "callback");
	return *(const int *)a - *(const int *)b;
}

FUNCTION int calls(int (*f)(const void *, const void *), int n)
{
	int sum = n;

	for (int n = sum; n > 0; n = 0) /* which hides the parameter */
		sum = f(&table[n], &table[0]);
	sink += (unsigned)sum;
	return sum;
}

static void handler(int signal, siginfo_t *info, void *context)
{
	spin(turns, "signal");
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
	sink += (unsigned)(signal + info->si_code);
}

FUNCTION void interrupted(int n, const char *name)
{
	__asm__ volatile("ud2");
	sink += (unsigned)(n + name[0]);
}

static void *thread(void *arg)
{
	int *of = arg;

	spin(turns, "thread");
	sink += (unsigned)of[1];
	return arg;
}

int main(int argc, char **argv)
{
	struct sigaction ill = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t t;

	turns = (unsigned)atoi(argv[argc - 1]);
	sigaction(SIGILL, &ill, NULL);
	for (int i = 0; i < 10; i++) {
		sink += (unsigned)tail(40, 2);
		sink += (unsigned)same(30, 77);
		sink += (unsigned)calls(callback, 2);
		interrupted(5, "name");
		pthread_create(&t, NULL, thread, table);
		pthread_join(t, NULL);
	}
	return 0;
}
