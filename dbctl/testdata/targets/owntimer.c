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

int main(int argc, char **argv)
{
	int ms = argc > 1 ? atoi(argv[1]) : 300;
	struct itimerval t = { { 0, 10000 }, { 0, 10000 } }, off = { { 0, 0 }, { 0, 0 } }, old;

	signal(SIGVTALRM, tick);
	setitimer(ITIMER_VIRTUAL, &t, &old);
	burn(ms);
	setitimer(ITIMER_VIRTUAL, &off, NULL);
	/* The kernel counts in its own ticks, and time in the kernel is not virtual. */
	printf("%s %d\n", count >= ms / 20 && count <= ms / 10 + 1 ? "right" : "wrong", count);
	return 0;
}
