/*
 * Values that belong together, in frames that registers and the stack hold: of every sample in `leaf`,
 * down's depth is top's total, and all else follows from it. Arguments: milliseconds, and "threads" or
 * "fork".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone, noipa))

struct thing {
	int depth;
	char name[16];
	const char *text;
	double half;
	unsigned low : 3, high : 5;
};

long turns;
static volatile __thread int mine;
double share;
static volatile unsigned sink;

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

FUNCTION void leaf(int level)
{
	for (int i = 0; i < 20000 + level; i++)
		sink += (unsigned)i;
}

FUNCTION long down(int depth, int total, struct thing *above, long square)
{
	struct thing t = { .depth = depth, .text = above ? above->name : NULL, .half = depth / 2.0 };
	long below = 0;

	t.low = (unsigned)depth & 7;
	t.high = (unsigned)depth & 31;
	snprintf(t.name, sizeof t.name, "depth-%d", depth);
	mine = depth + 1000;
	if (depth < total)
		below = down(depth + 1, total, &t, (long)(depth + 1) * (depth + 1));
	else
		leaf(depth + 1);
	sink += (unsigned)t.depth + t.low;
	return below + square + depth + total;
}

FUNCTION long top(int total, long end)
{
	long sum = 0, squared = (long)total * total;

	while (now_ms() < end) {
		sum += down(0, total, NULL, 0);
		sum += squared;
	}
	return sum + total;
}

static void *run(void *ms)
{
	long end = now_ms() + *(long *)ms;
	long sum = 0;

	for (int total = 3; now_ms() < end; total = (total * 7 + 5) % 61) {
		turns++;
		share = 0.5;
		sum += top(total, now_ms() + 3);
	}
	sink += (unsigned)sum;
	return NULL;
}

int main(int argc, char **argv)
{
	long ms = atol(argv[1]);
	pthread_t threads[4];

	if (argc > 2 && !strcmp(argv[2], "threads")) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, run, &ms);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	} else if (argc > 2 && !strcmp(argv[2], "fork")) {
		run(&ms);
		if (fork() == 0) {
			run(&ms);
			return 0;
		}
		wait(NULL);
	} else {
		run(&ms);
	}
	puts("done");
	return 0;
}
