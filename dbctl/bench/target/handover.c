/* handover N: forks N children, one after another, and prints how long each took
 * from before the fork to its first instruction, in ns. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int p[2], n = argc > 1 ? atoi(argv[1]) : 1;

	if (pipe(p))
		return 1;
	for (int i = 0; i < n; i++) {
		long long before = now(), then;
		pid_t pid = fork();
		if (pid == 0) {
			then = now();
			_exit(write(p[1], &then, sizeof then) != sizeof then);
		}
		if (pid < 0 || read(p[0], &then, sizeof then) != sizeof then || waitpid(pid, NULL, 0) != pid)
			return 1;
		printf("%lld\n", then - before);
	}
	return 0;
}
