/* Uses CPU time in known proportions, and tells what it was started with.
 *
 *   spin N         N units of work in spin(); 0: for ever
 *   spin ratio N   N rounds of 3 parts in heavy(), 1 part in light(); rounds of
 *                  irregular lengths, so that no clock runs in step
 *   spin threads N three threads with N units each in spin()
 *   spin later N   a line of input later: a thread and a child with N units each
 *
 * Threads, and the child, print their ids and the nanoseconds of CPU time that they
 * used; equal work takes unequal times where others use the processors.
 *   spin state     prints what a program gets from the one that started it
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

/* Each step waits for the one before: wherever the code stands, it takes the same time. */
#define WORK(units)                                     \
	unsigned long x = 1;                            \
	for (long i = 0; i < (units) * 1000L; i++)      \
		x = x * 6364136223846793005UL + 1;      \
	sink = x

__attribute__((noinline)) void spin(long units) { WORK(units); }
__attribute__((noinline)) void heavy(long units) { WORK(units); }
__attribute__((noinline)) void light(long units) { WORK(units); }

static void tell_cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	printf("%d %lld\n", gettid(), t.tv_sec * 1000000000LL + t.tv_nsec);
	fflush(stdout);
}

static void *thread(void *units)
{
	spin((long)units);
	tell_cpu();
	return 0;
}

static void state(char **argv)
{
	extern char **environ;
	for (char **a = argv; *a; a++) printf("arg %s\n", *a);
	for (char **e = environ; *e; e++) printf("env %s\n", *e);
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, "Sig", 3) || !strncmp(line, "NoNewPrivs", 10) || !strncmp(line, "Threads", 7)) fputs(line, stdout);
	fclose(f);
	for (int fd = 0; fd < 100; fd++) {
		char name[64], to[256];
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(name, to, sizeof to - 1);
		if (n >= 0) printf("fd %d %.*s\n", fd, strncmp(to, "pipe", 4) ? (int)n : 4, to);
	}
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	printf("files %ld %ld\n", (long)files.rlim_cur, (long)files.rlim_max);
	printf("group %d session %d nice %d\n", getpgrp(), getsid(0), getpriority(PRIO_PROCESS, 0));
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;
	if (argc < 2) return 2;
	if (!strcmp(argv[1], "ratio")) {
		srandom(1);
		while (n--) {
			long part = 1 + random() % 260;
			heavy(3 * part), light(part);
		}
	} else if (!strcmp(argv[1], "threads")) {
		pthread_t t[3];
		for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, thread, (void *)n);
		for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	} else if (!strcmp(argv[1], "later")) {
		pthread_t t;
		if (getchar() != '\n') return 1;
		pthread_create(&t, 0, thread, (void *)n);
		pthread_join(t, 0);
		if (fork() == 0) {
			spin(n);
			tell_cpu();
			_exit(0);
		}
		wait(0);
	} else if (!strcmp(argv[1], "state")) {
		state(argv);
	} else if (atol(argv[1]) == 0) {
		for (;;) spin(1000);
	} else {
		spin(atol(argv[1]));
	}
	return 0;
}
