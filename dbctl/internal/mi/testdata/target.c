// The target of record.sh: threads that wait, and a recursive function that
// stops itself with a signal at its deepest point, with arguments and local
// variables of many types.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum color { RED, GREEN };
struct point {
	int x, y;
	const char *name;
	double d[3];
	struct point *next;
};

static struct point origin = {1, 2, "gr\303\274n \"q\" \033[0m \a", {1.5, 2.5, 3.5}, &origin};

static int inner(int depth, struct point *p, const char *s, enum color c, double f, struct point v)
{
	long local = depth * 3;
	char buf[32] = "tab\tnewline\n\a\\ end";
	int squares[4] = {0, 1, 4, 9};
	if (depth == 0) {
		raise(SIGURG);
		return (int)local + squares[1] + buf[0];
	}
	return inner(depth - 1, p, s, c, f + 1, v) + (int)local;
}

static void *waiting(void *arg)
{
	pause();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[3];
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, waiting, argv);
	for (int i = 0; i < 4; i++)
		printf("%d\n", inner(5 + 5 * i, &origin, "with \"quotes\" and \\", GREEN, 2.5, origin));
	return argc + 2;
}
