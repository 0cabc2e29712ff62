/* parts SPINS BYTES MS none|urg: blocks these signals; in turn calls work, which spins, and has the kernel make BYTES zero bytes, for MS ms of
 * CPU time. Prints the share of its CPU time, in percent, that work had by its own clock. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burn.h"

__attribute__((noinline)) void work(long spins)
{
	for (volatile long i = 0; i < spins; i++)
		;
}

int main(int argc, char **argv)
{
	static char buffer[1 << 22];
	long spins = argc > 1 ? atol(argv[1]) : 0;
	size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	double ms = argc > 3 ? atof(argv[3]) : 0, start = burnt(CLOCK_THREAD_CPUTIME_ID), now = start, own = 0;
	int zero = open("/dev/zero", O_RDONLY);
	sigset_t set;

	sigemptyset(&set);
	if (argc > 4 && strcmp(argv[4], "urg") == 0)
		sigaddset(&set, SIGURG);
	sigprocmask(SIG_BLOCK, &set, NULL);

	while (now < start + ms) {
		double before = burnt(CLOCK_THREAD_CPUTIME_ID);
		work(spins);
		now = burnt(CLOCK_THREAD_CPUTIME_ID);
		own += now - before;
		if (read(zero, buffer, bytes) < 0)
			return 1;
		now = burnt(CLOCK_THREAD_CPUTIME_ID);
	}
	printf("%.3f\n", 100 * own / (now - start));
	return 0;
}
