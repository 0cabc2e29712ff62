// Known call paths, in optimised code without frame pointers: paths MODE [ARGUMENT].
#include "burn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone))

static volatile long sum; /* what is added after a call keeps it from being a jump */

CALLED void work(long n)
{
	spin(n);
}

CALLED void once(long n)
{
	work(n);
	sum++;
}

CALLED void twice(long n)
{
	work(n);
	work(n);
	sum++;
}

CALLED void ratio(void)
{
	for (double end = cpu() + 0.6; cpu() < end;) {
		once(30000);
		twice(30000);
	}
}

CALLED void down(int levels)
{
	if (levels)
		down(levels - 1);
	else
		burn(0.25);
	sum++;
}

/* Deep, and never twice by the same path. */
CALLED void bushy(int levels, unsigned long path)
{
	if (!levels) {
		spin(3000000);
	} else if (path & 1) {
		bushy(levels - 1, path >> 1);
		__asm__ volatile("nop");
	} else {
		bushy(levels - 1, path >> 1);
		__asm__ volatile("nop; nop");
	}
	sum++;
}

CALLED void *of_thread(void *unused)
{
	burn(0.15);
	sum++;
	return unused;
}

static void threads(void)
{
	pthread_t t[4];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, of_thread, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
}

CALLED void of_child(void)
{
	burn(0.15);
	sum++;
}

CALLED void of_parent(void)
{
	burn(0.15);
	sum++;
}

static void family(const char *self)
{
	of_parent();
	if (fork() == 0) {
		of_child();
		execl(self, self, "deep", "30", NULL);
		_exit(1);
	}
	wait(NULL);
	of_parent();
}

static void loaded(const char *first, const char *second)
{
	const char *const libraries[] = { first, second };

	for (int i = 0; i < 60; i++) {
		void *library = dlopen(libraries[i % 2], RTLD_NOW);
		void (*f)(double) = (void (*)(double))dlsym(library, "work");

		f(0.01);
		dlclose(library);
	}
}

static jmp_buf back;

CALLED void jump(int levels)
{
	if (levels)
		jump(levels - 1);
	spin(30000);
	sum++;
	longjmp(back, 1);
}

CALLED void jumps(void)
{
	for (double end = cpu() + 0.3; cpu() < end;)
		if (!setjmp(back))
			jump(5);
}

CALLED void on_alternative_stack(int s)
{
	(void)s;
	burn(0.25);
	sum++;
}

CALLED void interrupted(void)
{
	raise(SIGUSR1);
	sum++;
}

static void handler(void)
{
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction a = { .sa_handler = on_alternative_stack, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &a, NULL);
	interrupted();
}

/* Generated code with, or without, a frame pointer: a loop. */
static void generated(int pointer)
{
	static const unsigned char with[] = {
		0x55, 0x48, 0x89, 0xe5,             /* push %rbp; mov %rsp, %rbp */
		0xff, 0xcf, 0x75, 0xfc, 0x5d, 0xc3, /* 1: dec %edi; jne 1b; pop %rbp; ret */
	};
	static const unsigned char without[] = {
		0x55, 0x31, 0xed,                   /* push %rbp; xor %ebp, %ebp */
		0xff, 0xcf, 0x75, 0xfc, 0x5d, 0xc3, /* 1: dec %edi; jne 1b; pop %rbp; ret */
	};
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, pointer ? with : without, pointer ? sizeof with : sizeof without);
	for (double end = cpu() + 0.3; cpu() < end; sum++)
		((void (*)(int))(void *)code)(1000000);
}

int main(int argc, char **argv)
{
	const char *mode = argv[1];

	if (!strcmp(mode, "ratio"))
		ratio();
	else if (!strcmp(mode, "deep"))
		down(atoi(argv[2]));
	else if (!strcmp(mode, "bushy"))
		for (unsigned long path = 1; path <= 400; path++)
			bushy(30000, path);
	else if (!strcmp(mode, "threads"))
		threads();
	else if (!strcmp(mode, "family"))
		family(argv[0]);
	else if (!strcmp(mode, "loaded") && argc > 3)
		loaded(argv[2], argv[3]);
	else if (!strcmp(mode, "jumps"))
		jumps();
	else if (!strcmp(mode, "handler"))
		handler();
	else if (!strcmp(mode, "generated"))
		generated(argc > 2);
	else if (!strcmp(mode, "killed")) {
		ratio();
		kill(getpid(), SIGKILL);
	}
	puts("done");
	return 0;
}
