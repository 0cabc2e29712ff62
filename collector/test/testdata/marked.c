// What leaves, copies and reads stacks in other ways than by returning: marked MODE.
#define _GNU_SOURCE
#include "burn.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone))

extern char **environ;
static volatile long sum;
static double until;

static int going(void)
{
	return cpu() < until;
}

static void check(int good, const char *what)
{
	if (!good) {
		puts(what);
		exit(1);
	}
}

/* Deep enough that a sample finds frames to mark. */
CALLED long down(int levels, long (*f)(void))
{
	long r;

	spin(300);
	r = levels ? down(levels - 1, f) + 1 : f();
	spin(300);
	return r;
}

CALLED static long none(void)
{
	spin(3000);
	return 0;
}

static jmp_buf out, again;

CALLED static long jump(void)
{
	spin(3000);
	longjmp(out, 1);
}

static void jumps(void)
{
	while (going()) {
		volatile int turns = 0;

		if (!setjmp(out))
			down(20, jump);
		setjmp(again);
		check(down(5, none) == 5, "after a jump");
		if (turns++ < 3)
			longjmp(again, 1);
	}
}

static sigjmp_buf from_handler;

static void on_signal(int s)
{
	(void)s;
	down(5, none);
	siglongjmp(from_handler, 1);
}

CALLED static long raises(void)
{
	raise(SIGUSR1);
	return 0;
}

static void handlers(void)
{
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction a = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &a, NULL);
	while (going()) {
		if (!sigsetjmp(from_handler, 1))
			down(10, raises);
		check(down(5, none) == 5, "after a handler");
	}
}

/* Coroutines that are resumed by this thread and others in turn. */
enum { COROUTINES = 4 };

static struct coroutine {
	ucontext_t here;
	ucontext_t *back;
	long turns;
	int done;
} coroutines[COROUTINES];
static __thread struct coroutine *current;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* What the thread is may change in a call, which a compiler must not know. */
CALLED static struct coroutine *running(void)
{
	__asm__ volatile("");
	return current;
}

CALLED static long leave(void)
{
	struct coroutine *c = running();

	spin(2000);
	swapcontext(&c->here, c->back);
	spin(2000);
	return 0;
}

static void coroutine(void)
{
	for (long i = 0; i < 200; i++)
		check(down(10, leave) == 10, "in a coroutine");
	running()->done = 1;
	setcontext(running()->back);
}

CALLED static long resume(void)
{
	ucontext_t back;

	for (int i = 0; i < COROUTINES; i++) {
		pthread_mutex_lock(&turn);
		if (!coroutines[i].done) {
			current = &coroutines[i];
			current->back = &back;
			swapcontext(&back, &coroutines[i].here);
		}
		pthread_mutex_unlock(&turn);
	}
	return 0;
}

static void *resumer(void *unused)
{
	for (int i = 0; i < 150; i++)
		check(down(3, resume) == 3, "after a coroutine");
	return unused;
}

static void contexts(void)
{
	pthread_t threads[3];

	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&coroutines[i].here);
		coroutines[i].here.uc_stack = (stack_t){ .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
		makecontext(&coroutines[i].here, coroutine, 0);
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, resumer, NULL);
	resumer(NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

CALLED static long forks(void)
{
	int status;
	pid_t child = fork();

	spin(2000);
	if (child) {
		waitpid(child, &status, 0);
		check(status == 0, "a child");
	}
	return child ? 0 : 1000;
}

CALLED static long spawns(void)
{
	char *const arguments[] = { "true", NULL };
	int status;
	pid_t child = vfork();

	if (!child) {
		execv("/bin/true", arguments);
		_exit(1);
	}
	waitpid(child, &status, 0);
	check(status == 0, "after vfork");
	check(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0, "posix_spawn");
	waitpid(child, &status, 0);
	check(status == 0, "after posix_spawn");
	return 0;
}

static void processes(void)
{
	while (going()) {
		long r = down(30, forks);

		if (r >= 1000)
			_exit(r != 1030);
		check(r == 30, "after fork");
		check(down(10, spawns) == 10, "after a child");
	}
}

static volatile sig_atomic_t child, died;

/* Forks where it has interrupted what a marked frame returned to. */
static void divides(int signal, siginfo_t *information, void *context)
{
	const ucontext_t *u = context;
	Dl_info info;
	int status;
	pid_t pid;

	(void)signal;
	(void)information;
	if (child || !dladdr((void *)u->uc_mcontext.gregs[REG_RIP], &info) || !strstr(info.dli_fname, "libpct.so"))
		return;
	pid = fork();
	child = pid == 0;
	if (pid > 0 && (waitpid(pid, &status, 0) != pid || status != 0))
		died = 1;
}

/* The child of such a fork comes out of its handler, and returns from frame to frame as its parent does. */
static void interrupted(void)
{
	struct sigaction action = { .sa_sigaction = divides, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec once = { .it_value.tv_nsec = 0 };
	timer_t timer;

	sigaction(SIGUSR1, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	for (unsigned long i = 1; going(); i++) {
		long r;

		once.it_value.tv_nsec = 1 + (long)(i * 7919 % 100000);
		timer_settime(timer, 0, &once, NULL);
		r = down(30, none);

		if (child)
			_exit(r != 30 || down(30, none) != 30);
		check(r == 30, "after a fork in a handler");
		check(!died, "the child of a handler");
	}
	timer_delete(timer);
}

static void cleaned(void *counter)
{
	++*(int *)counter;
	down(3, none);
}

static int cleanups;

CALLED static long waits(void)
{
	pthread_cleanup_push(cleaned, &cleanups);
	for (;;) {
		spin(3000);
		pthread_testcancel();
	}
	pthread_cleanup_pop(0);
}

CALLED static long exits(void)
{
	pthread_cleanup_push(cleaned, &cleanups);
	spin(3000);
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
}

static void *canceled(void *exiting)
{
	return (void *)down(20, exiting ? exits : waits);
}

static void threads(void)
{
	int n = 0;

	for (; going(); n++) {
		pthread_t t;
		void *result;

		pthread_create(&t, NULL, canceled, n % 2 ? &n : NULL);
		down(10, none);
		if (n % 2 == 0)
			pthread_cancel(t);
		pthread_join(t, &result);
		check(result == (n % 2 ? NULL : PTHREAD_CANCELED), "a thread's result");
	}
	check(cleanups == n, "handlers of threads that were cancelled");
}

CALLED static long traces(void)
{
	void *frames[64];
	int n = backtrace(frames, 64);

	for (int i = 0; i < n; i++)
		check(frames[i] != NULL, "backtrace");
	return n * 1000;
}

static void backtraces(void)
{
	long first = down(20, traces);

	while (going())
		check(down(20, traces) == first && first > 22000, "the frames of backtrace");
}

/*
 * Returns with all that it was called with, after some time: in registers that functions may change too, and flags.
 */
long keeps(void);
__asm__(
	".globl keeps\n"
	".type keeps, @function\n"
	"keeps:\n"
	".cfi_startproc\n"
	"	mov $2000, %eax\n"
	"1:	dec %eax\n"
	"	jnz 1b\n"
	"	mov $0x1234, %eax\n"
	"	stc\n"
	"	ret\n"
	".cfi_endproc\n"
	".size keeps, . - keeps\n");

static void registers(void)
{
	while (going()) {
		long got[12], expected[12] = { 0x1234, 2, 3, 4, 5, 6, 7, 8, 9, 1, 11, 1 };
		double vector[4] = { 1, 2, 3, 4 }, after[4] = { 0 };

		memset(got, 0, sizeof got);
		__asm__ volatile(
			"mov %0, %%rbx\n vmovupd (%1), %%ymm3\n vmovupd (%1), %%ymm15\n fld1\n"
			"mov $2, %%ecx\n mov $3, %%edx\n mov $4, %%esi\n mov $5, %%edi\n"
			"mov $6, %%r8d\n mov $7, %%r9d\n mov $8, %%r10d\n mov $9, %%r11d\n"
			"mov %%rsp, %%r12\n and $-16, %%rsp\n mov %%rsp, %%r13\n"
			"call keeps\n"
			"setc 88(%%rbx)\n"
			"mov %%rax, (%%rbx)\n mov %%rcx, 8(%%rbx)\n mov %%rdx, 16(%%rbx)\n mov %%rsi, 24(%%rbx)\n"
			"mov %%rdi, 32(%%rbx)\n mov %%r8, 40(%%rbx)\n mov %%r9, 48(%%rbx)\n mov %%r10, 56(%%rbx)\n"
			"mov %%r11, 64(%%rbx)\n"
			"fistpll 72(%%rbx)\n"
			"vmovupd %%ymm3, (%2)\n vaddpd (%2), %%ymm15, %%ymm15\n vmovupd %%ymm15, (%2)\n vzeroupper\n"
			"mov $11, %%eax\n cmp %%rsp, %%r13\n je 1f\n xor %%eax, %%eax\n"
			"1: mov %%rax, 80(%%rbx)\n"
			"mov %%r12, %%rsp\n"
			:
			: "r"(got), "r"(vector), "r"(after)
			: "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "xmm3", "xmm15", "st", "memory", "cc");
		check(!memcmp(got, expected, sizeof got), "general registers");
		for (int i = 0; i < 4; i++)
			check(after[i] == 2 * vector[i], "vectors");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*f)(void);
	} modes[] = {
		{ "jumps", jumps }, { "handlers", handlers }, { "contexts", contexts }, { "processes", processes }, { "interrupted", interrupted },
		{ "threads", threads }, { "backtraces", backtraces }, { "registers", registers },
	};

	until = cpu() + (argc > 2 ? atof(argv[2]) : 0.3);
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
		if (argc > 1 && !strcmp(argv[1], modes[i].name)) {
			modes[i].f();
			puts("done");
			return 0;
		}
	return 1;
}
