/* watched [N]: three threads, one after the other, each count themselves, call the
 * kernel and end; with N they run at once, and do so N times. Prints how often. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int total;
static int times;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void __attribute__((noinline)) work(void)
{
	total++;
	getppid();
}

static void *thread(void *unused)
{
	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(&mutex);
		work();
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t id[3];

	times = argc > 1 ? atoi(argv[1]) : 1;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&id[i], NULL, thread, NULL) ||
		    (argc == 1 && pthread_join(id[i], NULL)))
			abort();
	for (int i = 0; argc > 1 && i < 3; i++)
		if (pthread_join(id[i], NULL))
			abort();
	printf("%d\n", total);
	return 0;
}
