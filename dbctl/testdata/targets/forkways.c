// Makes processes in several ways. Each appends its pid to a file; the parent
// prints what is the same in every run: statuses, and what a process knows of its
// signals and rounding.
//
//	forkways WAY FILE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

static int file;

static void note(void)
{
	char line[16];
	int n = snprintf(line, sizeof line, "%d\n", getpid());
	if (write(file, line, n) != n)
		abort();
}

static int status(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			abort();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Two children, with two each, and so on. The status is how many there are.
static int nest(int levels)
{
	int made = 1;
	note();
	for (int i = 0; levels > 0 && i < 2; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(nest(levels - 1));
		made += status(pid);
	}
	return made;
}

static volatile sig_atomic_t traps;

static void trap(int sig)
{
	(void)sig;
	traps++;
}

// Its own handler of SIGTRAP, from the fifth fork on.
static void own(void)
{
	for (int i = 0; i < 10; i++) {
		if (i == 5)
			signal(SIGTRAP, trap);
		pid_t pid = fork();
		if (pid == 0) {
			note();
			if (i >= 5)
				raise(SIGTRAP);
			_exit(10 + traps);
		}
		printf("%d\n", status(pid));
	}
}

static void *forker(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(nest(1));
		if (status(pid) != 3)
			abort();
	}
	return NULL;
}

// From one thread before there are others, and from three at a time.
static void threads(void)
{
	forker(NULL);
	pthread_t ids[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, forker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
	forker(NULL);
	puts("20 forked");
}

// All ways in turn, of which pause-trap knows two. A child of each forks too.
static void ways(void)
{
	for (int i = 0; i < 12; i++) {
		pid_t pid;
		if (i % 4 == 0)
			pid = syscall(SYS_fork);
		else if (i % 4 == 1)
			pid = _Fork();
		else if (i % 4 == 2)
			pid = vfork();
		else
			pid = fork();
		if (pid == 0 && i % 4 == 2) {
			note();
			_exit(9);
		}
		if (pid == 0)
			_exit(nest(1));
		printf("%d\n", status(pid));
	}
}

static void tell(const char *who)
{
	struct sigaction action;
	unsigned long mask = 0;
	sigset_t set;
	sigaction(SIGTRAP, NULL, &action);
	sigprocmask(SIG_BLOCK, NULL, &set);
	memcpy(&mask, &set, sizeof mask);
	printf("%s: SIGTRAP %p %#x, mask %#lx, rounding %#x\n", who, (void *)action.sa_handler, action.sa_flags, mask,
	       _mm_getcsr() & _MM_ROUND_MASK);
}

// What a fork must not change, with SIGTRAP defaulted, ignored and blocked.
static void state(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	_mm_setcsr(_mm_getcsr() | _MM_ROUND_UP);
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			signal(SIGTRAP, SIG_IGN);
		sigaddset(&set, SIGTRAP);
		if (i == 2)
			sigprocmask(SIG_BLOCK, &set, NULL);
		pid_t pid = fork();
		if (pid == 0) {
			note();
			tell("child");
			_exit(0);
		}
		printf("%d\n", status(pid));
		tell("parent");
	}
}

// One after the other.
static void many(void)
{
	int sum = 0;
	for (int i = 0; i < 300; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			note();
			_exit(i % 50);
		}
		sum += status(pid);
	}
	printf("%d\n", sum);
}

int main(int argc, char **argv)
{
	if (argc < 3 || (file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) < 0)
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(argv[1], "nest") == 0) {
		printf("%d\n", nest(4));
	} else {
		note();
		if (strcmp(argv[1], "own") == 0)
			own();
		else if (strcmp(argv[1], "threads") == 0)
			threads();
		else if (strcmp(argv[1], "ways") == 0)
			ways();
		else if (strcmp(argv[1], "state") == 0)
			state();
		else if (strcmp(argv[1], "many") == 0)
			many();
	}
	return 7;
}
