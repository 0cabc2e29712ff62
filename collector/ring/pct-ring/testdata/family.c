/* family N: call one() N times in this process, in a thread, in a child, and in a thread that the child makes; and have
 * a shell end by 7. Fails if any of these can't be made. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sink;

__attribute__((noinline, noclone)) void one(void) { sink++; }

static void *calls(void *n)
{
	for (long i = 0; i < (long)n; i++)
		one();
	return NULL;
}

static void in_a_thread(void *n)
{
	pthread_t t;
	if (pthread_create(&t, NULL, calls, n) || pthread_join(t, NULL))
		abort();
}

int main(int argc, char **argv)
{
	void *n = (void *)(argc > 1 ? atol(argv[1]) : 100);
	int status;

	calls(n);
	in_a_thread(n);
	pid_t child = fork();
	if (child == 0) {
		calls(n);
		in_a_thread(n);
		_exit(3);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
		abort();
	if (WEXITSTATUS(system("exit 7")) != 7)
		abort();
	return 0;
}
