// What makes stacks hard to unwind, the kind named by the first argument, for ever.
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))

extern "C" int many(int);

static volatile long sink;

NOINLINE static int leaf(int n)
{
	for (int i = 0; i < 50; i++)
		sink = sink + (n ^ i);
	return n + 1;
}

NOINLINE static int deep(int n) { return n == 0 ? leaf(n) : deep(n - 1) + (int)(sink & 1); }

struct Guard {
	~Guard() { sink = sink + 1; }
};

NOINLINE static void thrower(int n)
{
	Guard g;
	if (n == 0)
		throw std::runtime_error("thrown");
	thrower(n - 1);
	sink = sink + 1;
}

NOINLINE static int rethrower(int n)
{
	try {
		thrower(n);
	} catch (const std::exception &) {
		leaf(n);
		throw;
	}
	return n;
}

static void exceptions(int i)
{
	try {
		rethrower(i % 12);
	} catch (const std::exception &e) {
		sink = sink + (long)strlen(e.what());
	}
}

#pragma GCC diagnostic ignored "-Winfinite-recursion"
NOINLINE static void jumper(jmp_buf &b, int n)
{
	if (n == 0)
		longjmp(b, 1);
	jumper(b, n - 1);
	sink = sink + 1;
}

NOINLINE static int jump()
{
	jmp_buf b;
	if (setjmp(b) == 0)
		jumper(b, 20);
	return leaf(1);
}

NOINLINE static int variable(int n)
{
	char *p = (char *)alloca(n);
	memset(p, n, n);
	return leaf(p[n / 2]) + leaf(n);
}

// Aligned, with room of variable size: the CFA stands in memory.
NOINLINE static int aligned(int n)
{
	int v[16] __attribute__((aligned(64)));
	char *p = (char *)alloca(n % 200 + 1);
	memset(p, n, n % 200 + 1);
	for (int i = 0; i < 16; i++)
		v[i] = leaf(n + p[0] + i);
	return v[n & 15];
}

NOINLINE static int odd(int n);
NOINLINE static int even(int n) { return n == 0 ? leaf(n) : odd(n - 1); }
NOINLINE static int odd(int n) { return n == 0 ? leaf(-n) : even(n - 1); }

static void jumps(int i)
{
	jump();
	variable(1 + i % 1000);
	aligned(i);
	even(i % 30);
}

static void vdso(int i)
{
	struct timespec t;
	struct timeval v;

	clock_gettime(i % 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &t);
	gettimeofday(&v, nullptr);
	sink = sink + t.tv_nsec + v.tv_usec + time(nullptr);
}

static int compare(const void *a, const void *b) { return leaf(*(const int *)a) - leaf(*(const int *)b); }

static void library(int i)
{
	int v[64];
	char text[200];
	std::map<std::string, int> m;

	for (int &n : v)
		n = rand() % 1000;
	qsort(v, 64, sizeof v[0], compare);
	for (int n : v) {
		snprintf(text, sizeof text, "%d %s %.17g", n, "text", i / 3.0);
		m[text] += strtol(text, nullptr, 10);
	}
	sink = sink + (long)m.size();
}

static void handler(int n)
{
	sink = sink + deep(5);
	if (n == SIGUSR1)
		raise(SIGUSR2); // on the same stack, above this one
}

static void signals(int i) { raise(i % 2 ? SIGUSR1 : SIGUSR2); }

static ucontext_t outside, inside;

static void coroutine()
{
	for (;;) {
		sink = sink + deep(10);
		swapcontext(&inside, &outside);
	}
}

static void contexts(int i)
{
	if (i % 10 == 0)
		swapcontext(&outside, &inside);
	else
		deep(3);
}

static void begin()
{
	static char alternate[1 << 16], other[1 << 16];
	struct sigaction a = {};
	stack_t s = {};

	s.ss_sp = alternate;
	s.ss_size = sizeof alternate;
	sigaltstack(&s, nullptr);
	a.sa_handler = handler;
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &a, nullptr);
	sigaction(SIGUSR2, &a, nullptr);
	getcontext(&inside);
	inside.uc_stack.ss_sp = other;
	inside.uc_stack.ss_size = sizeof other;
	makecontext(&inside, coroutine, 0);
}

static void recursion(int) { deep(300); }
static void stubs(int i) { sink = sink + many(i); }

static const struct shape {
	const char *name;
	void (*function)(int);
} shapes[] = {
	{ "recursion", recursion }, { "exceptions", exceptions }, { "jumps", jumps }, { "vdso", vdso }, { "library", library },
	{ "signals", signals }, { "contexts", contexts }, { "stubs", stubs },
};

static void run(const char *name, long times)
{
	for (const shape &s : shapes)
		if (strcmp(name, s.name) == 0)
			for (int i = 0; times < 0 || i < times; i++)
				s.function(i);
}

// Some of them in threads of their own, which end and begin again.
static void *thread(void *argument)
{
	for (const char *name : { "recursion", "exceptions", "jumps", "library", "vdso" })
		run(name, 200);
	return argument;
}

static void threads()
{
	pthread_t t[3];

	for (;;) {
		for (auto &i : t)
			pthread_create(&i, nullptr, thread, nullptr);
		for (auto &i : t)
			pthread_join(i, nullptr);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	begin();
	if (strcmp(argv[1], "threads") == 0)
		threads();
	run(argv[1], -1);
	return 2;
}
