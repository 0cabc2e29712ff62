/* blocks: two threads block all signals and use CPU time, 300 ms each, then each says what is pending in it. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "burn.h"

static void *thread(void *none)
{
	char line[200];
	(void)none;

	burn(300);
	FILE *f = fopen("/proc/thread-self/status", "r");
	while (fgets(line, sizeof line, f))
		if (strncmp(line, "SigPnd", 6) == 0)
			fputs(line, stdout);
	fclose(f);
	return NULL;
}

int main(void)
{
	pthread_t other;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	pthread_create(&other, NULL, thread, NULL);
	thread(NULL);
	pthread_join(other, NULL);
	return 0;
}
