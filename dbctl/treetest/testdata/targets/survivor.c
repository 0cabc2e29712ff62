/* survivor FILE plain MS | survivor FILE forks N: uses MS ms of CPU time in each of
 * two threads, or makes N short processes in several ways and checks how they
 * end, and goes on so until there is a file FILE.go. Then writes to FILE whether
 * all was right, and how many bytes of its text and how many signals and timers
 * are not as they were; exits with 7. */
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include "self.h"

extern char **environ;

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static unsigned step(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum = sum * 31 + i % 7;
	return sum;
}

/* work uses CPU time and is right if each step gives the same. */
static unsigned work(double s)
{
	double end = seconds(CLOCK_THREAD_CPUTIME_ID) + s;
	unsigned want = step(5000), right = 1;

	while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
		right &= step(5000) == want;
	return right;
}

static double each;
static char go[4096];

static int must_go_on(void) { return access(go, F_OK) != 0; }

static void *thread(void *right)
{
	unsigned r = work(each);
	while (must_go_on())
		r &= work(0.01);
	*(unsigned *)right = r;
	return NULL;
}

static unsigned plain(void)
{
	unsigned a = 0, b = 0;
	pthread_t t;

	if (pthread_create(&t, NULL, thread, &a))
		return 0;
	thread(&b);
	return pthread_join(t, NULL) == 0 && a && b;
}

/* child makes the ith process, which ends with the status i % 100. */
static pid_t child(int i, char *self)
{
	char status[16];
	char *argv[] = {self, "child", status, NULL};
	double s = i % 5 ? 0.0005 : 0.012;
	pid_t pid;

	snprintf(status, sizeof status, "%d", i % 100);
	switch (i % 4) {
	case 0:
		pid = fork();
		if (pid == 0)
			_exit(work(s) ? i % 100 : 255);
		return pid;
	case 1:
		pid = vfork();
		if (pid == 0) {
			execv(self, argv);
			_exit(255);
		}
		return pid;
	case 2:
		return posix_spawn(&pid, self, NULL, NULL, argv, environ) ? -1 : pid;
	default:
		pid = vfork();
		if (pid == 0)
			_exit(i % 100);
		return pid;
	}
}

static unsigned ended(int i, pid_t pid)
{
	int ws = 0;

	if (waitpid(pid, &ws, 0) == pid && WIFEXITED(ws) && WEXITSTATUS(ws) == i % 100)
		return 1;
	fprintf(stderr, "survivor: child %d, %d: wait status %#x\n", i, (int)pid, (unsigned)ws);
	return 0;
}

static unsigned forks(int n, char *self)
{
	unsigned right = 1;

	for (int i = 0; i < n || must_go_on(); i += 2) {
		pid_t a = child(i, self), b = child(i + 1, self);
		right &= ended(i, a);
		right &= ended(i + 1, b);
	}
	return right;
}

int main(int argc, char **argv)
{
	char tmp[4096];

	if (argc == 3)
		return work(0.001) ? atoi(argv[2]) : 255;
	if (argc != 4)
		return 2;
	each = atoi(argv[3]) / 1e3;
	snprintf(go, sizeof go, "%.4000s.go", argv[1]);
	unsigned right = strcmp(argv[2], "forks") == 0 ? forks(atoi(argv[3]), "/proc/self/exe") : plain();
	snprintf(tmp, sizeof tmp, "%s.tmp", argv[1]);
	FILE *f = fopen(tmp, "w");
	if (!f)
		return 3;
	fprintf(f, "%s text %d signals %d\n", right ? "right" : "wrong", changed_text(), changed_signals());
	if (fclose(f) || rename(tmp, argv[1]))
		return 3;
	return 7;
}
