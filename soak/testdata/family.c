/*
 * A tree of processes and threads as a number says, with signals between them: `family SEED [SECONDS]`. It prints a sum of what all of it did, which
 * depends on the number alone.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static _Atomic int handled;
static double each = 0.002;

static unsigned turn(unsigned *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static void handle(int s)
{
	int err = errno;

	(void)s;
	handled++;
	errno = err;
}

__attribute__((noinline)) static void burn(double seconds)
{
	struct timespec t;
	double end = -1, now;

	do {
		for (volatile int i = 0; i < 5000; i++) {}
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
		end = end < 0 ? now + seconds : end;
	} while (now < end);
}

static void *work(void *p)
{
	unsigned seed = *(unsigned *)p, sum = 0;

	for (unsigned n = turn(&seed) % 6 + 1; n; n--) {
		sum += turn(&seed) % 100;
		burn(each);
		/* Each is sent, handled once, and does nothing else. */
		if (turn(&seed) % 2)
			pthread_kill(pthread_self(), turn(&seed) % 2 ? SIGUSR1 : SIGURG);
		free(malloc(turn(&seed) % 100000));
	}
	*(unsigned *)p = sum;
	return NULL;
}

static unsigned threads(unsigned *seed)
{
	pthread_t t[8];
	unsigned s[8], n = turn(seed) % 8, sum = 0;

	for (unsigned i = 0; i < n; i++) {
		s[i] = turn(seed);
		if (pthread_create(&t[i], NULL, work, &s[i]))
			exit(90);
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(t[i], NULL);
		sum += s[i];
	}
	return sum;
}

static unsigned family(unsigned *seed, int depth, const char *self)
{
	unsigned sum = threads(seed), n = depth ? turn(seed) % 4 : 0;
	pid_t child[4];
	int status;

	for (unsigned i = 0; i < n; i++) {
		unsigned theirs = turn(seed), how = turn(seed) % 8;
		char number[16], *argv[] = { (char *)self, number, "0", NULL };

		snprintf(number, sizeof number, "%u", theirs);
		if (how == 0) {
			if (posix_spawn(&child[i], self, NULL, NULL, argv, environ))
				exit(91);
			continue;
		}
		child[i] = fork();
		if (child[i] < 0)
			exit(92);
		if (child[i])
			continue;
		if (how == 1)
			execv(self, argv);
		if (how == 2)
			raise(SIGKILL);
		_exit((int)(family(&theirs, depth - 1, self) % 64));
	}
	for (unsigned i = 0; i < n; i++) {
		while (waitpid(child[i], &status, 0) < 0)
			if (errno != EINTR)
				exit(93);
		sum = sum * 31 + (WIFSIGNALED(status) ? 1000 + (unsigned)WTERMSIG(status) : (unsigned)WEXITSTATUS(status));
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct sigaction a = { .sa_handler = handle, .sa_flags = SA_RESTART };
	unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0, sum;
	int depth = argc > 2 ? 1 : 3;

	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGURG, &a, NULL);
	sum = family(&seed, depth, argv[0]);
	sum = sum * 31 + (unsigned)handled;
	if (depth > 1)
		printf("sum %u\n", sum);
	return (int)(sum % 64);
}
