/*
 * A program that others look at for a while: `steady SECONDS`. It burns, waits, calls, allocates, writes and reads, and
 * prints what that came to, which is the same each time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static unsigned leaf(unsigned n)
{
	for (int i = 0; i < 20000; i++)
		n = n * 1664525 + 1013904223;
	return n;
}

/* One piece of work, always with the same result. */
static unsigned piece(int fds[2])
{
	char text[4096], *copy = malloc(sizeof text);
	unsigned n = leaf(7);

	memset(text, 'a', sizeof text);
	if (write(fds[1], text, sizeof text) != sizeof text || read(fds[0], copy, sizeof text) != sizeof text || memcmp(text, copy, sizeof text))
		exit(80);
	free(copy);
	return n;
}

static double seconds;

static void *works(void *p)
{
	double end = now() + seconds;
	unsigned first, other = 0;
	int fds[2];

	(void)p;
	if (pipe(fds))
		exit(81);
	for (first = piece(fds); now() < end;) {
		other |= piece(fds) ^ first;
		if (nanosleep(&(struct timespec){ 0, 200000 }, NULL))
			exit(82);
	}
	return other ? "different" : NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	void *wrong[2];

	seconds = argc > 1 ? atof(argv[1]) : 1;
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, works, NULL))
			return 83;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], &wrong[i]);
	printf("%s\n", wrong[0] || wrong[1] ? "wrong" : "right");
	return wrong[0] || wrong[1] ? 84 : 7;
}
