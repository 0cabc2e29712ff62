/*
 * waits: reads from a pipe that another process fills slowly, by read and by a stream, and prints how long that
 * took by its own clock, µs.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 40, PAUSE = 5 /* ms */ };

static double spent;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int slow_pipe(void)
{
	int p[2];

	if (pipe(p) < 0)
		exit(1);
	if (fork() == 0) {
		for (int i = 0; i < LINES; i++) {
			poll(NULL, 0, PAUSE);
			if (write(p[1], "a line\n", 7) != 7)
				_exit(1);
		}
		_exit(0);
	}
	close(p[1]);
	return p[0];
}

__attribute__((noipa)) void by_read(void)
{
	char line[7];
	int fd = slow_pipe(), lines = 0;
	double since = now();

	while (read(fd, line, sizeof line) == sizeof line)
		lines++;
	spent += now() - since;
	printf("%d lines\n", lines);
	wait(NULL);
}

__attribute__((noipa)) void by_stream(void)
{
	FILE *f = fdopen(slow_pipe(), "r");
	char line[80];
	int lines = 0;
	double since = now();

	while (fgets(line, sizeof line, f))
		lines += !strcmp(line, "a line\n");
	spent += now() - since;
	fclose(f);
	printf("%d lines\n", lines);
	wait(NULL);
}

int main(void)
{
	by_read();
	by_stream();
	printf("%.0f\n", spent);
	return 0;
}
