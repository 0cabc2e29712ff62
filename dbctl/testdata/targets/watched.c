/* watched: three threads, one after the other, each count themselves, call the
 * kernel and end; prints how many they were. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int total;

static void __attribute__((noinline)) work(void)
{
	total++;
	getppid();
}

static void *thread(void *unused)
{
	work();
	return unused;
}

int main(void)
{
	pthread_t id;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
			abort();
	printf("%d\n", total);
	return 0;
}
