// Programs with little stack, many stacks, or none left: stacks NAME [N].
#include "abuse.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

static volatile long sum;
static sigjmp_buf back;

// A stack for signals of so many bytes, with nothing readable below it.
static char *guarded(size_t n)
{
	size_t room = (n + 4095) & ~(size_t)4095;
	char *p = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED && !mprotect(p, 4096, PROT_NONE));
	return p + 4096 + room - n;
}

static void set_alternate(size_t n)
{
	stack_t stack = { .ss_sp = guarded(n), .ss_size = n };

	CHECK(!sigaltstack(&stack, NULL));
}

// What a stack for signals is used of, from the first sample on in code that was not seen before.
static void depth(int n, char **more)
{
	const size_t room = 1 << 16;
	unsigned char *stack;
	size_t unused = 0;
	stack_t of = { .ss_size = room };

	(void)more;
	of.ss_sp = stack = memset(guarded(room), 0xa5, room);
	CHECK(!sigaltstack(&of, NULL));
	burn(0.1 * n);
	(void)sqrt_in_libm();
	while (unused < room && stack[unused] == 0xa5)
		unused++;
	stack_used = (long)(room - unused);
}

CALLED static void use(long bytes)
{
	char here[512];

	memset(here, (int)bytes, sizeof here);
	__asm__ volatile("" : : "r"(here) : "memory");
	if (bytes > 1024)
		use(bytes - 560);
	else
		burn(0.03);
	sum += here[7];
}

static void *deep(void *bytes)
{
	use(*(long *)bytes);
	return NULL;
}

// Threads with the least stack, of which they leave N bytes.
static void threads(int n, char **more)
{
	size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	long bytes = (long)least - 2048 - n; // what the C library has of it
	pthread_attr_t a;
	pthread_t t[4];

	(void)more;
	CHECK(!pthread_attr_init(&a) && !pthread_attr_setstacksize(&a, least));
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++)
			CHECK(!pthread_create(&t[i], &a, deep, &bytes));
		for (int i = 0; i < 4; i++)
			CHECK(!pthread_join(t[i], NULL));
	}
}

CALLED static void jump(int levels)
{
	if (levels)
		jump(levels - 1);
	spin(300);
	sum++;
	siglongjmp(back, levels + 1);
}

static void jumps(int n, char **more)
{
	(void)more;
	for (volatile int i = 0; i < 200000 * n; i++)
		if (!sigsetjmp(back, i % 64 == 0))
			jump(i % 50);
	printf("%ld\n", sum);
}

#pragma GCC diagnostic ignored "-Winfinite-recursion"

CALLED static long endless(long depth)
{
	volatile char here[100];

	here[depth % 100] = (char)depth;
	return endless(depth + 1) + here[depth % 100];
}

static void on_overflow(int s)
{
	(void)s;
	siglongjmp(back, 1);
}

static void limit_stack(void)
{
	struct rlimit l;

	CHECK(!getrlimit(RLIMIT_STACK, &l));
	l.rlim_cur = 8 << 20;
	CHECK(!setrlimit(RLIMIT_STACK, &l));
}

// It is called again and again until there is no stack, and goes on.
static void recovers(int n, char **more)
{
	struct sigaction a = { .sa_handler = on_overflow, .sa_flags = SA_ONSTACK };
	volatile int times = 0;

	(void)more;
	limit_stack();
	set_alternate(1 << 16);
	CHECK(!sigaction(SIGSEGV, &a, NULL));
	while (times < 100 * n)
		if (!sigsetjmp(back, 1))
			sum += endless(0);
		else
			times++;
	printf("%d times\n", times);
}

static void *thread_recovers(void *unused)
{
	sigjmp_buf *mine = &back;

	set_alternate(1 << 14);
	for (volatile int i = 0; i < 200; i++)
		if (!sigsetjmp(*mine, 1))
			sum += endless(0);
	return unused;
}

// The same in a thread of 64 KB.
static void thread_overflows(int n, char **more)
{
	struct sigaction a = { .sa_handler = on_overflow, .sa_flags = SA_ONSTACK };
	pthread_attr_t at;
	pthread_t t;

	(void)more;
	CHECK(!sigaction(SIGSEGV, &a, NULL));
	CHECK(!pthread_attr_init(&at) && !pthread_attr_setstacksize(&at, 1 << 16));
	for (int i = 0; i < 5 * n; i++)
		CHECK(!pthread_create(&t, &at, thread_recovers, NULL) && !pthread_join(t, NULL));
}

static void dies(int n, char **more)
{
	(void)n;
	(void)more;
	limit_stack();
	puts("begins");
	fflush(stdout);
	burn(0.05);
	sum += endless(0);
}

enum { COROUTINES = 64 };
static ucontext_t home, contexts[COROUTINES];

CALLED static void coroutine(int number)
{
	for (;;) {
		spin(number * 20);
		sum += number;
		swapcontext(&contexts[number], &contexts[(number + 1) % COROUTINES]);
		if (number == COROUTINES - 1)
			swapcontext(&contexts[number], &home);
	}
}

static void coroutines(int n, char **more)
{
	(void)more;
	for (volatile int i = 0; i < COROUTINES; i++) {
		CHECK(!getcontext(&contexts[i]));
		contexts[i].uc_stack.ss_sp = guarded(16384);
		contexts[i].uc_stack.ss_size = 16384;
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
	}
	for (int i = 0; i < 1500 * n; i++)
		swapcontext(&home, &contexts[0]);
	printf("%ld\n", sum);
}

static const struct mode modes[] = {
	{ "depth", depth }, { "threads", threads }, { "jumps", jumps }, { "recovers", recovers },
	{ "thread-overflows", thread_overflows }, { "dies", dies }, { "coroutines", coroutines },
};

MODES(modes)
