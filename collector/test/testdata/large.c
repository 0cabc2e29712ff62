// A program with much text, of which each byte is an instruction: `large threads N SECONDS`,
// `large fork SECONDS`, `large limit BYTES SECONDS_BEFORE SECONDS`, `large forever`.
#define _GNU_SOURCE
#include "burn.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void wide(void);
__asm__(".text\n.type wide,@function\nwide: .fill 300000, 1, 0x90\nret\n.size wide, .-wide\n");

static void *walk(void *p)
{
	double end = cpu() + *(double *)p;

	while (cpu() < end)
		wide();
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	double seconds = argc > 2 ? atof(argv[argc - 1]) : 1e9;

	if (strcmp(how, "threads") == 0) {
		pthread_t t[16];
		int n = atoi(argv[2]);

		for (int i = 0; i < n; i++)
			pthread_create(&t[i], NULL, walk, &seconds);
		for (int i = 0; i < n; i++)
			pthread_join(t[i], NULL);
	} else if (strcmp(how, "fork") == 0) {
		pid_t child;

		walk(&seconds);
		child = fork();
		walk(&seconds);
		if (child == 0)
			exit(0);
		waitpid(child, NULL, 0);
		printf("%d ", child);
	} else if (strcmp(how, "limit") == 0) {
		struct rlimit limit = { (rlim_t)atol(argv[2]), (rlim_t)atol(argv[2]) };
		double before = atof(argv[3]);

		walk(&before);
		setrlimit(RLIMIT_FSIZE, &limit);
		walk(&seconds);
	} else {
		puts("ready");
		fflush(stdout);
		walk(&seconds);
	}
	puts("done");
}
