/*
 * way.h: a program of many ways of meeting one thing. `PROG` prints their names; `PROG WAY` goes one, which
 * burns some CPU time, so that ticks meet it, and prints what it saw. What it prints must be the same at each run: it is
 * compared with what the same way prints under a profiler.
 */
#ifndef WAY_H
#define WAY_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct way {
	const char *name; /* with a dot before it: a program that another way executes */
	void (*go)(void);
};

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

/* What must hold for the way to be one. */
#define MUST(x) do { if (!(x)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, strerror(errno)); fflush(stdout); _exit(99); } } while (0)

static inline double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Turns without a system call. */
static inline void spin(long n)
{
	unsigned long x = 1;

	while (n--) {
		x = x * 6364136223846793005ul + 1;
		__asm__ volatile("" : : "r"(x));
	}
}

/* Uses CPU time of this thread. */
__attribute__((noinline, unused)) static void burn(double seconds)
{
	double end = cpu() + seconds;

	while (cpu() < end)
		spin(20000);
}

/* A line of standard output, at once: what comes next may end the program. */
#define SAY(...) (printf(__VA_ARGS__), putchar('\n'), fflush(stdout))

/* What a call returns, and why it failed. */
#define SAY_CALL(call) do { long result_ = (errno = 0, call); SAY("%s: %ld %s", #call, result_, result_ < 0 ? strerror(errno) : ""); } while (0)

/* The members of a set of signals. */
static inline void say_set(const char *what, const sigset_t *set)
{
	printf("%s:", what);
	for (int s = 1; s < _NSIG; s++)
		if (sigismember(set, s) == 1)
			printf(" %d", s);
	putchar('\n');
	fflush(stdout);
}

/* A line of /proc/self/status. */
static inline void say_status(const char *key)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	MUST(f);
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)))
			fputs(line, stdout);
	fclose(f);
	fflush(stdout);
}

/* How a child ended. */
static inline void say_end(pid_t child)
{
	int status;

	MUST(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status))
		SAY("child: exit status %d", WEXITSTATUS(status));
	else
		SAY("child: signal %d", WTERMSIG(status));
}

/* Executes this program anew, another way. */
static inline void again(const char *way)
{
	const char *path = (const char *)getauxval(AT_EXECFN); /* /proc/self/exe has gone with the first thread */

	execl(path, path, way, (char *)NULL);
	MUST(!"execl");
}

static inline int go(const struct way *ways, size_t n, int argc, char **argv)
{
	for (size_t i = 0; i < n; i++) {
		if (argc < 2) {
			if (ways[i].name[0] != '.')
				puts(ways[i].name);
		} else if (!strcmp(ways[i].name, argv[1])) {
			ways[i].go();
			return 0;
		}
	}
	return argc < 2 ? 0 : 98;
}

#endif
