/*
 * faulting MODE PAGES: touches fresh pages, as many in `one` as PAGES, in `three` three times as many; prints 1 if by
 * the kernel's account of the thread that took at least as many page faults.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t pages = 1000, page;

static char *fresh(size_t n)
{
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, n * page, MADV_NOHUGEPAGE);
	return p;
}

static long faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_minflt + u.ru_majflt;
}

__attribute__((noipa)) void touch(volatile char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i * page] = 1;
}

__attribute__((noipa)) void one(char *p)
{
	touch(p, pages);
	__asm__ volatile("");
}

__attribute__((noipa)) void three(char *p)
{
	touch(p, 3 * pages);
	__asm__ volatile("");
}

static void both(void)
{
	char *p = fresh(4 * pages);
	long before = faults();

	one(p);
	three(p + pages * page);
	printf("%d\n", faults() - before >= (long)(4 * pages));
	munmap(p, 4 * pages * page);
}

static void *of_thread(void *unused)
{
	(void)unused;
	both();
	return NULL;
}

static void threads(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, of_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	if (fork() == 0) {
		both();
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

static void on_trap(int signal)
{
	(void)signal;
	if (write(1, "trap\n", 5) != 5)
		_exit(1);
}

/* The program takes SIGTRAP for itself. */
static void catcher(void)
{
	both();
	signal(SIGTRAP, on_trap);
	both();
	raise(SIGTRAP);
}

/* A program that has a page of its own given by a handler of SIGSEGV. */
static char *guarded;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	mprotect((char *)((size_t)info->si_addr & ~(page - 1)), page, PROT_READ | PROT_WRITE);
}

static void barrier(void)
{
	struct sigaction a = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &a, NULL);
	guarded = mmap(NULL, pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	touch(guarded, pages);
}

/* The kernel touches the pages for it. */
static void reads(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	if (read(fd, fresh(4 * pages), 4 * pages * page) < 0)
		exit(1);
	touch(fresh(pages / 2), pages / 2);
}

int main(int argc, char **argv)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2)
		pages = strtoul(argv[2], NULL, 10);
	if (argc > 1 && !strcmp(argv[1], "threads"))
		threads();
	else if (argc > 1 && !strcmp(argv[1], "catcher"))
		catcher();
	else if (argc > 1 && !strcmp(argv[1], "barrier"))
		barrier();
	else if (argc > 1 && !strcmp(argv[1], "reads"))
		reads();
	else
		both();
	return 0;
}
