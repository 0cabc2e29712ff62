/* counted SIGNAL N MODE: takes SIGNAL N times while it uses CPU time, and prints
 * how often its handler ran. MODE raise: it sends them to itself, thread: to
 * another of its threads, queue: a child queues them (for real-time signals).
 * It has the signal for itself from 20 ms after it took it. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burn.h"

static volatile sig_atomic_t count, foreign;
static int sig, n;

static void take(int s, siginfo_t *info, void *context)
{
	(void)context;
	count++;
	foreign += s != sig || (info->si_code != SI_TKILL && info->si_code != SI_QUEUE) || info->si_pid == 0;
}

static volatile int done;

static void *spin(void *arg)
{
	while (!done)
		burn(1);
	return arg;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 3 ? argv[3] : "raise";
	struct sigaction a = { .sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART };

	sig = atoi(argv[1]);
	n = atoi(argv[2]);
	sigaction(sig, &a, NULL);
	burn(20); /* for a profiler to see that the signal is taken */
	if (!strcmp(mode, "raise")) {
		for (int i = 0; i < n; i++) {
			raise(sig);
			burn(0.5);
		}
	} else if (!strcmp(mode, "thread")) {
		pthread_t t;
		pthread_create(&t, NULL, spin, NULL);
		for (int i = 0; i < n; i++) {
			pthread_kill(t, sig);
			for (int ms = 0; count <= i && ms < 5000; ms++)
				usleep(1000);
			if (count <= i)
				break;
		}
		done = 1;
		pthread_join(t, NULL);
	} else {
		pid_t child = fork();
		if (child == 0) {
			union sigval v = { 0 };
			for (int i = 0; i < n; i++) {
				while (sigqueue(getppid(), sig, v) != 0)
					usleep(1000);
				usleep(300);
			}
			_exit(0);
		}
		for (int ms = 0; count < n && ms < 5000; ms++)
			burn(1);
		waitpid(child, NULL, 0);
		burn(10); /* none too many */
	}
	printf("%d of %d, %d foreign\n", count, n, foreign);
	return 0;
}
