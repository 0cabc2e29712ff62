/* Threads that are busy in a function of their own. */
#include <pthread.h>
#include <stdio.h>

volatile int sink;

__attribute__((noinline)) void work(void)
{
	while (1)
		sink++;
}

static void *worker(void *arg)
{
	puts("");
	fflush(stdout);
	work();
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	pthread_join(t[0], NULL);
	return 0;
}
