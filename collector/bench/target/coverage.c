/*
 * coverage apart|near|pairs|mixed|phases SEED: calls of f, with something else between them, all of random length. Prints
 * the mean of the CPU time of the long calls, in ns, and what part all calls have of that of the process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noipa))

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static volatile unsigned long sum;

APART static void spin(double ms)
{
	long long end = now(CLOCK_THREAD_CPUTIME_ID) + (long long)(1e6 * ms);

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 40000; i++)
			sum += (unsigned long)i;
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
		{ "apart", 14, 1, 8, 16, 0, 1, 3, 9 },
		{ "near", 20, 1, 8, 16, 0, 1, 0, 0.6 },
		{ "pairs", 16, 1, 8, 16, 0, 2, 3, 9 },
		{ "mixed", 600, 200, 25, 35, 0.1, 1, 0.1, 0.4 },
		{ "phases", 1, 1, 60, 140, 0, 1, 60, 140 },
	};
	double longs = 0, n = 0;
	long long in_f = 0;

	for (unsigned k = 0; argc == 3 && k < sizeof all / sizeof *all; k++) {
		if (strcmp(argv[1], all[k].name))
			continue;
		srand48(atol(argv[2]));
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
		printf("%.0f %.6f\n", longs / n, (double)in_f / (double)now(CLOCK_PROCESS_CPUTIME_ID));
		return 0;
	}
	return 1;
}
