// target DEPTH CPU_MS TICK_US: the program that make bench samples. It burns
// CPU_MS milliseconds of CPU time in burn(), below DEPTH-2 activations of
// descend() and main(), and tells what sampling took away from it. If TICK_US is
// not 0 it interrupts itself with an ignored SIGVTALRM after each TICK_US
// microseconds of CPU time.
//
// It prints "ready", begins when a line or the end of its standard input comes,
// and then prints, one line each:
//   stopped NS   wall time of the burning less CPU time and less time runnable
//   wall NS      wall time of the burning
//   stops NS...  how long it stood still each time that it was stopped, in order
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 16, GAP = 4000 };

static long stops[MOST];
static int nstops;
static volatile unsigned sink;

static long now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

// runnable returns the time spent waiting for a processor, in ns.
static long runnable(void)
{
	char text[100];
	long cpu, wait;
	int fd = open("/proc/self/schedstat", O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);

	close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	return sscanf(text, "%ld %ld", &cpu, &wait) == 2 ? wait : 0;
}

// sleeps returns how often the kernel has taken the processor away because we
// could not run: each stop by a debugger counts, being preempted does not.
static long sleeps(void)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	return used.ru_nvcsw;
}

static void burn(int n, const char *name, double scale)
{
	long end = now(CLOCK_PROCESS_CPUTIME_ID) + n * 1000000L;
	long slept = sleeps(), last = now(CLOCK_MONOTONIC);

	for (unsigned i = 1; i % 1024 || now(CLOCK_PROCESS_CPUTIME_ID) < end; i++) {
		for (int k = 0; k < 100; k++)
			sink = sink * 5 + (unsigned)scale + (unsigned char)name[0];
		long t = now(CLOCK_MONOTONIC);
		if (t - last > GAP) {
			long s = sleeps();
			if (s > slept && nstops < MOST)
				stops[nstops++] = t - last;
			slept = s;
			t = now(CLOCK_MONOTONIC);
		}
		last = t;
	}
}

static void descend(int depth, int n, const char *name, double scale)
{
	if (depth > 0)
		descend(depth - 1, n, name, scale);
	else
		burn(n, name, scale);
}

static void tick(long us)
{
	struct itimerval every = {{us / 1000000, us % 1000000}, {us / 1000000, us % 1000000}};
	setitimer(ITIMER_VIRTUAL, &every, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	int depth = atoi(argv[1]), n = atoi(argv[2]);
	long us = atol(argv[3]);

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (us > 0)
		signal(SIGVTALRM, SIG_IGN);
	puts("ready");
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		;

	long wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID), wait = runnable();
	tick(us);
	descend(depth - 3, n, "a name", 2.5);
	tick(0);
	wall = now(CLOCK_MONOTONIC) - wall;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wait = runnable() - wait;

	printf("stopped %ld\nwall %ld\nstops", wall - cpu - wait, wall);
	for (int i = 0; i < nstops; i++)
		printf(" %ld", stops[i]);
	printf("\n");
	return 0;
}
