/* threads N MS [mask]: N threads, of which thread i uses about i*MS ms of CPU
 * time. Prints of each its kernel id and the ms that it used. With mask each
 * blocks all signals. The main thread waits. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "burn.h"

static int ms, masked;

static void *spin(void *arg)
{
	long i = (long)arg;

	if (masked) {
		sigset_t all;
		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, NULL);
	}
	burn(i * ms);
	printf("%d %.1f\n", (int)gettid(), burnt(CLOCK_THREAD_CPUTIME_ID));
	return NULL;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	pthread_t t[64];

	ms = atoi(argv[2]);
	masked = argc > 3;
	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, spin, (void *)(i + 1));
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
