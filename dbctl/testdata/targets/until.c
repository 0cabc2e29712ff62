/* until FILE MS [THREADS]: uses MS ms of CPU time in each of 1 or THREADS
 * threads, calling through dlopen'd code and the heap, then writes "right" and a
 * checksum to FILE, and exits with 7. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burn.h"

static int ms;

static void *work(void *arg)
{
	unsigned *sum = arg;
	double end = burnt(CLOCK_THREAD_CPUTIME_ID) + ms;

	*sum = 1;
	while (burnt(CLOCK_THREAD_CPUTIME_ID) < end) {
		char *p = malloc(5000);
		memset(p, (int)*sum, 5000);
		for (int i = 0; i < 5000; i++)
			if (p[i] != p[0])
				*sum = 0;
		free(p);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[3]) : 1;
	unsigned sums[16];
	pthread_t t[16];
	void *libm;

	ms = atoi(argv[2]);
	for (int i = 0; i + 1 < n; i++)
		pthread_create(&t[i], NULL, work, &sums[i]);
	work(&sums[n - 1]);
	for (int i = 0; i + 1 < n; i++)
		pthread_join(t[i], NULL);
	/* A debugger's breakpoint in the dynamic linker would be met here. */
	libm = dlopen("libm.so.6", RTLD_NOW);
	double (*cosine)(double) = (double (*)(double))dlsym(libm, "cos");
	unsigned right = cosine(0) == 1;
	for (int i = 0; i < n; i++)
		right &= sums[i];
	char tmp[4096];
	snprintf(tmp, sizeof tmp, "%s.tmp", argv[1]);
	FILE *f = fopen(tmp, "w");
	fprintf(f, "%s\n", right ? "right" : "wrong");
	fclose(f);
	rename(tmp, argv[1]);
	return 7;
}
