/* owntimer MS: uses ITIMER_VIRTUAL itself, every 10 ms, for MS ms of CPU time;
 * prints how many signals came and how many are right. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include "burn.h"

static volatile int count;

static void tick(int sig)
{
	(void)sig;
	count++;
}

/* The time that the timer goes by, in ms: user mode as the kernel accounts for it, in
 * its own ticks. On a busy machine it can be much more, or less, than the time used. */
static double virtual(void)
{
	return burnt((clockid_t)(~0u << 3 | 1)); /* CPUCLOCK_VIRT of the process */
}

int main(int argc, char **argv)
{
	int ms = argc > 1 ? atoi(argv[1]) : 300;
	struct itimerval t = { { 0, 10000 }, { 0, 10000 } }, off = { { 0, 0 }, { 0, 0 } }, old;

	signal(SIGVTALRM, tick);
	double begin = virtual();
	setitimer(ITIMER_VIRTUAL, &t, &old);
	burn(ms);
	setitimer(ITIMER_VIRTUAL, &off, NULL);
	double due = (virtual() - begin) / 10;
	printf("%s %d\n", count > 0 && count >= due - 2 && count <= due + 1 ? "right" : "wrong", count);
	return 0;
}
