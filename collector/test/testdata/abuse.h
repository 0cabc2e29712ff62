// What programs that abuse the system have in common: PROGRAM NAME [ARGUMENT] runs the one of that name.
// Each prints what it would print without a collector. $LEFT names a file that gets what the process
// holds in the end: descriptors, mappings, timers, KB in memory, KB of address space at most.
#define _GNU_SOURCE
#include "burn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, strerror(errno)); fflush(stdout); _exit(1); } } while (0)
#define CALLED __attribute__((noinline, noclone))

struct mode {
	const char *name;
	void (*f)(int n, char **more);
};

static inline long entries(const char *directory)
{
	DIR *d = opendir(directory);
	long n = 0;

	CHECK(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static inline long lines(const char *file, const char *key)
{
	char line[5000];
	FILE *f = fopen(file, "r");
	long n = 0;

	while (f && fgets(line, sizeof line, f))
		n += !strncmp(line, key, strlen(key));
	if (f)
		fclose(f);
	return n;
}

static inline long kilobytes(const char *key)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	long n = -1;

	CHECK(f);
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)))
			n = atol(line + strlen(key));
	fclose(f);
	return n;
}

static long stack_used; // of a stack for signals, where that was looked at

static inline void tell_what_is_left(void)
{
	FILE *f = getenv("LEFT") ? fopen(getenv("LEFT"), "w") : NULL;

	if (!f)
		return;
	fprintf(f, "descriptors %ld\nmappings %ld\ntimers %ld\n", entries("/proc/self/fd"), lines("/proc/self/maps", ""), lines("/proc/self/timers", "ID:"));
	fprintf(f, "stack %ld\nrss %ld\npeak %ld\n", stack_used, kilobytes("VmRSS:"), kilobytes("VmPeak:"));
	fclose(f);
}

static inline int run_mode(const struct mode *modes, size_t n, int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < n; i++) {
		if (strcmp(argv[1], modes[i].name))
			continue;
		modes[i].f(argc > 2 ? atoi(argv[2]) : 1, argv + (argc > 3 ? 3 : argc));
		puts("done");
		fflush(stdout);
		tell_what_is_left();
		return 0;
	}
	return 2;
}

#define MODES(modes) int main(int argc, char **argv) { return run_mode(modes, sizeof modes / sizeof *modes, argc, argv); }
