/* forks: makes 20 children by fork, vfork and posix_spawn, which call worker as it
 * does itself; prints how many did not exit with 3. */
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int calls;

void __attribute__((noinline)) worker(int n) { calls += n; }

static pid_t child(int way, char **argv)
{
	char *again[] = { argv[0], "child", NULL };
	pid_t p;

	switch (way) {
	case 0:
		p = fork();
		if (p == 0) {
			worker(1);
			_exit(3);
		}
		return p;
	case 1:
		p = vfork();
		if (p == 0) {
			worker(0);
			_exit(3);
		}
		return p;
	}
	return posix_spawnp(&p, argv[0], NULL, NULL, again, environ) ? -1 : p;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc > 1) {
		worker(1);
		return 3;
	}
	for (int i = 0; i < 20; i++) {
		pid_t p = child(i % 3, argv);
		int status;
		worker(1);
		bad += waitpid(p, &status, 0) != p || !WIFEXITED(status) || WEXITSTATUS(status) != 3;
	}
	printf("%d bad\n", bad);
	return 0;
}
