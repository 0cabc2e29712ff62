/*
 * coroutines.c: coroutines ucontext|libco|boost LIBRARY: a coroutine whose function calls c 10 times, each for 20 ms, and goes back to main
 * after each; then a library is loaded whose function takes 100 ms.
 */
#include "burn.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define CALLED __attribute__((noipa))

enum { STACK = 1 << 16, TIMES = 10 };

static void (*change)(void); /* to the other stack */

CALLED static void c(void)
{
	burn(0.02);
}

CALLED static void coroutine(void)
{
	for (int i = 0; i < TIMES; i++) {
		c();
		change();
	}
	for (;;)
		change();
}

static ucontext_t here, there;

static void change_ucontext(void)
{
	static int inside;

	inside = !inside;
	swapcontext(inside ? &here : &there, inside ? &there : &here);
}

static void make_ucontext(char *stack)
{
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
}

/*
 * As libco and Boost do: registers are pushed, and the stack pointer is exchanged. No call frame information tells of
 * what the others do to it.
 */
void exchange(void **from, void *to);
extern const char finish[], trampoline[];
__asm__(".text\n"
	".globl exchange\n"
	".type exchange,@function\n"
	"exchange:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp,(%rdi)\n"
	"	mov %rsi,%rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size exchange,.-exchange\n"
	/* The end of make_fcontext. */
	".type trampoline,@function\n"
	"trampoline:\n"
	"	push %rbp\n"
	"	jmp *%rbx\n"
	"finish:\n"
	"	xor %rdi,%rdi\n"
	"	call _exit@PLT\n"
	"	hlt\n"
	".size trampoline,.-trampoline\n");

static void *sides[2];

static void change_exchanged(void)
{
	static int side;
	int from = side;

	side = !side;
	exchange(&sides[from], sides[side]);
}

static void crash(void)
{
	abort();
}

/* The pushed registers, r15 first, and the address that is returned to. */
static uint64_t *pushed(char *stack)
{
	uint64_t *top = (uint64_t *)(stack + STACK);

	memset(stack, 0x5a, STACK);
	return sides[1] = top - 16;
}

static void begin(void)
{
	coroutine();
}

static void make_libco(char *stack)
{
	uint64_t *sp = pushed(stack);

	sp[6] = (uintptr_t)begin;
	sp[7] = (uintptr_t)crash;
}

static void make_boost(char *stack)
{
	uint64_t *sp = pushed(stack);

	sp[4] = (uintptr_t)begin;      /* rbx */
	sp[5] = (uintptr_t)finish;     /* rbp */
	sp[6] = (uintptr_t)trampoline;
}

int main(int argc, char **argv)
{
	char *stack = malloc(STACK);
	void (*work)(double);
	void *library;

	if (argc != 3)
		return 2;
	change = change_exchanged;
	if (!strcmp(argv[1], "ucontext")) {
		change = change_ucontext;
		make_ucontext(stack);
	} else if (!strcmp(argv[1], "libco")) {
		make_libco(stack);
	} else {
		make_boost(stack);
	}
	for (int i = 0; i < TIMES; i++)
		change();
	library = dlopen(argv[2], RTLD_NOW);
	work = library ? (void (*)(double))dlsym(library, "work") : NULL;
	if (!work)
		return 1;
	work(0.1);
	puts("done");
	return 0;
}
