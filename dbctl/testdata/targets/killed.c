/* killed: two threads make children by vfork, which a third kills as soon as it sees them. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int makers[2];
static volatile int done[2];

static void *make(void *arg)
{
	long me = (long)arg;

	makers[me] = (int)syscall(SYS_gettid);
	for (int i = 0; i < 20; i++) {
		pid_t child = vfork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	done[me] = 1;
	return NULL;
}

static void *kill_them(void *arg)
{
	(void)arg;
	while (!done[0] || !done[1])
		for (int i = 0; i < 2; i++) {
			char name[64];
			int child;
			FILE *f;

			snprintf(name, sizeof name, "/proc/self/task/%d/children", makers[i]);
			f = fopen(name, "r");
			if (!f)
				continue;
			while (fscanf(f, "%d", &child) == 1)
				kill(child, SIGKILL);
			fclose(f);
		}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[2], NULL, kill_them, NULL);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, make, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
