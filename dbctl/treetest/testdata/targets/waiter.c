/* waiter CALL MS FILE: blocks in a system call, for MS ms at most if it is one with
 * a time-out, while another thread uses a little CPU time. A line on the standard
 * input makes happen what the call waits for. Prints what the call returned, and
 * whether a time-out came early. FILE is for locks. Without arguments it prints
 * the calls that it knows, and whether they have a time-out. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "waits.h"

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* spin uses a twentieth of a processor. */
static void *spin(void *arg)
{
	struct timespec pause = {0, 20000000};
	for (;;) {
		double end = seconds(CLOCK_THREAD_CPUTIME_ID) + 0.001;
		while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
			;
		nanosleep(&pause, NULL);
	}
	return arg;
}

static void *releaser(void *release)
{
	char line[16];
	if (fgets(line, sizeof line, stdin))
		((const struct wait *)release)->release();
	return NULL;
}

static void nothing(int signal) { (void)signal; }

int main(int argc, char **argv)
{
	const struct wait *w = waits;
	struct sigaction a = {.sa_handler = nothing};
	pthread_t t;

	if (argc == 1)
		for (; w->name; w++)
			printf("%s %s\n", w->name, w->timed ? "timed" : "released");
	if (argc != 4)
		return argc == 1 ? 0 : 2;
	while (w->name && strcmp(w->name, argv[1]))
		w++;
	if (!w->name || prepare(atoi(argv[2]), argv[3])) {
		fprintf(stderr, "waiter: cannot do %s: %s\n", argv[1], strerror(errno));
		return 3;
	}
	sigaction(SIGUSR1, &a, NULL);
	sigprocmask(w->block ? SIG_BLOCK : SIG_UNBLOCK, usr1(), NULL);
	if (pthread_create(&t, NULL, spin, NULL) || (!w->timed && pthread_create(&t, NULL, releaser, (void *)w)))
		return 3;
	double start = seconds(CLOCK_MONOTONIC);
	set_limits();
	errno = 0;
	int r = w->call();
	int e = r < 0 ? errno : 0;
	double took = seconds(CLOCK_MONOTONIC) - start;
	printf("%s: %d %s%s\n", w->name, r, e ? strerror(e) : "", w->timed && took < atoi(argv[2]) / 1e3 ? " early" : "");
	fprintf(stderr, "%.3f s\n", took);
	clear();
	return 0;
}
