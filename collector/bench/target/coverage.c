/*
 * coverage apart|near|pairs|mixed|phases|kernel SEED: calls of f, with something else between them, all of random length. Prints
 * the mean of the CPU time of the long calls and the sum of that of all, in ns.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noipa))

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static volatile unsigned long sum;
static double rate; /* turns a ms, about */
static bool in_kernel; /* some of the time */

static void turns(double n)
{
	for (long i = 0; i < (long)n; i++)
		sum += (unsigned long)i;
}

APART static void calibrate(void)
{
	enum { TURNS = 500000, TIMES = 8 };

	for (int i = 0; i < TIMES; i++) {
		long long began = now(CLOCK_THREAD_CPUTIME_ID);
		double found;

		turns(TURNS);
		found = TURNS * 1e6 / (double)(now(CLOCK_THREAD_CPUTIME_ID) - began);
		if (found > rate)
			rate = found;
	}
}

/* No system call is in it, unless they are asked for: then one half of the time is theirs. */
APART static void spin(double ms)
{
	static char zeros[1 << 14];
	long long end = now(CLOCK_THREAD_CPUTIME_ID) + (long long)(1e6 * ms);
	int fd = in_kernel ? open("/dev/zero", O_RDONLY) : -1;

	if (!in_kernel)
		turns(rate * ms);
	while (in_kernel && now(CLOCK_THREAD_CPUTIME_ID) < end) {
		turns(rate / 500);
		if (read(fd, zeros, sizeof zeros) < 0)
			abort();
	}
	if (in_kernel)
		close(fd);
}

APART static void f(double ms) { spin(ms); sum++; }
APART static void other(double ms) { spin(ms); sum++; }

static double even(double low, double high)
{
	return low + (high - low) * drand48();
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int calls, every; double low, high, short_high; int gaps; double between_low, between_high; } all[] = {
		{ "apart", 8, 1, 6, 14, 0, 1, 2, 6 },
		{ "near", 10, 1, 6, 14, 0, 1, 0, 0.6 },
		{ "pairs", 8, 1, 6, 14, 0, 2, 2, 6 },
		{ "mixed", 300, 100, 15, 25, 0.1, 1, 0.1, 0.3 },
		{ "phases", 1, 1, 40, 80, 0, 1, 40, 80 },
		{ "kernel", 8, 1, 6, 14, 0, 1, 2, 6 },
	};
	double longs = 0, n = 0;
	long long in_f = 0;

	for (unsigned k = 0; argc == 3 && k < sizeof all / sizeof *all; k++) {
		if (strcmp(argv[1], all[k].name))
			continue;
		srand48(atol(argv[2]));
		calibrate();
		in_kernel = !strcmp(all[k].name, "kernel");
		other(even(0, 5));
		for (int i = 0; i < all[k].calls; i++) {
			int is_long = i % all[k].every == all[k].every / 2;
			double ms = is_long ? even(all[k].low, all[k].high) : even(0, all[k].short_high);
			long long began = now(CLOCK_THREAD_CPUTIME_ID), took;

			f(ms);
			took = now(CLOCK_THREAD_CPUTIME_ID) - began;
			in_f += took;
			if (is_long) {
				longs += (double)took;
				n++;
			}
			if (i % all[k].gaps == all[k].gaps - 1)
				other(even(all[k].between_low, all[k].between_high));
		}
		other(even(0, 5));
		printf("%.0f %lld\n", longs / n, in_f);
		return 0;
	}
	return 1;
}
