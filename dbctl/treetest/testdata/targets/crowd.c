/* crowd N MS: makes N processes that live at the same time; each uses MS ms of CPU
 * time. When all have, prints "ready", and lets them end when its standard input
 * ends. Exits with 11 if all ended as they should. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ready[2], release[2];

__attribute__((noinline)) static void work(int n)
{
	struct timespec t;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < n);
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[1]) : 0, wrong = 0, ws;
	char c;

	if (n < 1 || pipe(ready) || pipe(release))
		return 2;
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		if (pid < 0)
			return 3;
		if (pid > 0)
			continue;
		close(release[1]);
		work(atoi(argv[2]));
		if (write(ready[1], "r", 1) != 1 || read(release[0], &c, 1) != 0)
			_exit(1);
		_exit(i % 100 + 1);
	}
	for (int i = 0; i < n; i++)
		wrong += read(ready[0], &c, 1) != 1;
	printf("ready\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	close(release[1]);
	long sum = 0;
	for (int i = 0; i < n; i++) {
		wrong += wait(&ws) < 0 || !WIFEXITED(ws);
		sum += WEXITSTATUS(ws) - (i % 100 + 1);
	}
	printf("%d wrong, %ld\n", wrong, sum);
	return wrong || sum ? 1 : 11;
}
