/*
 * allocations MODE: asks for memory, by functions and in sizes that are known.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 10 };

/* Each is a function of its own, and not left by a jump. */
#define ASKS(name, expression)                        \
	__attribute__((noipa)) void *by_##name(void)  \
	{                                             \
		void *p = (expression);               \
		__asm__ volatile("" : : "r"(p) : "memory"); \
		return p;                             \
	}

static void *aligned(size_t alignment, size_t n)
{
	void *p;

	return posix_memalign(&p, alignment, n) ? NULL : p;
}

ASKS(malloc, malloc(1000))
ASKS(calloc, calloc(10, 200))
ASKS(realloc, realloc(malloc(10), 5000))
ASKS(array, reallocarray(NULL, 3, 2000))
ASKS(memalign, memalign(64, 3200))
ASKS(posix, aligned(64, 7000))
ASKS(aligned, aligned_alloc(64, 6400))
ASKS(valloc, valloc(4100))
ASKS(strdup, strdup("123456789"))
ASKS(mmap, mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
ASKS(reserved, mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
ASKS(small, malloc(64))
ASKS(kilobyte, malloc(1024))

static void known(void)
{
	for (int i = 0; i < TIMES; i++) {
		by_malloc();
		by_calloc();
		by_realloc();
		by_array();
		by_memalign();
		by_posix();
		by_aligned();
		by_valloc();
		by_strdup();
		by_mmap();
		by_reserved();
	}
}

static void ten(void)
{
	for (int i = 0; i < 10; i++)
		free(by_kilobyte());
}

static void *of_thread(void *unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++)
		free(by_small());
	return NULL;
}

static void family(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, of_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	if (fork() == 0) {
		known();
		exit(0);
	}
	wait(NULL);
}

static volatile int ticks;

/* Not permitted, but done. */
static void on_alarm(int signal)
{
	(void)signal;
	ticks++;
	by_strdup();
}

static void ratio(void)
{
	signal(SIGURG, on_alarm);
	for (int i = 0; i < 100000; i++) {
		free(by_small());
		free(by_kilobyte());
		if (i % 1000 == 0)
			raise(SIGURG);
	}
	printf("%d\n", ticks);
}

#ifdef TAKES_MALLOC
void *(*volatile taken)(size_t);
#endif

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
#ifdef TAKES_MALLOC
	taken = &malloc;
#endif
	if (!strcmp(argv[1], "known"))
		known();
	else if (!strcmp(argv[1], "ten"))
		ten();
	else if (!strcmp(argv[1], "family"))
		family();
	else if (!strcmp(argv[1], "ratio"))
		ratio();
	puts("done");
	return 0;
}

#ifdef OWN_MALLOC

/* A program's own: memory of a stack that grows, never given back. */
static char arena[1 << 20];
static size_t used;

void *malloc(size_t n)
{
	void *p = arena + used;

	used += (n + 15) & ~(size_t)15;
	return p;
}

void *calloc(size_t count, size_t n)
{
	return malloc(count * n);
}

void *realloc(void *old, size_t n)
{
	void *p = malloc(n);

	if (old)
		memmove(p, old, n);
	return p;
}

void free(void *p)
{
	(void)p;
}

#endif
