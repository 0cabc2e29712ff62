// A function of each kind of frame, to be executed an instruction at a time.
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <time.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))

extern "C" {
void by_rbx(void (*)());
void by_expression(void (*)());
void keep(void (*)());
void stepper_signal(void *context) __attribute__((weak));
}

volatile int sink;

NOINLINE static int leaf(int n)
{
	sink = sink + n;
	return n + 1;
}

NOINLINE static int deep(int n) { return n == 0 ? leaf(n) : deep(n - 1) + leaf(n); }

// Aligned, with room of variable size: the CFA stands in memory.
NOINLINE static int realigned(int n, ...)
{
	int v[16] __attribute__((aligned(64)));
	char *p = (char *)alloca(n * 16);
	va_list l;
	va_start(l, n);
	memset(p, n, n * 16);
	for (int i = 0; i < 16; i++)
		v[i] = leaf(p[i]) + va_arg(l, int);
	va_end(l);
	return v[n & 15] + deep(3);
}

struct Guard {
	~Guard() { leaf(1); }
};

NOINLINE static void thrower(int n)
{
	Guard g;
	if (n == 0)
		throw std::runtime_error("thrown");
	thrower(n - 1);
	leaf(n);
}

NOINLINE static int rethrower(int n)
{
	try {
		thrower(n);
	} catch (const std::exception &) {
		leaf(2);
		throw;
	}
	return leaf(n);
}

NOINLINE static int catcher(int n)
{
	try {
		rethrower(n);
	} catch (const std::exception &e) {
		return leaf((int)strlen(e.what()));
	}
	return 0;
}

#pragma GCC diagnostic ignored "-Winfinite-recursion"
NOINLINE static void jumper(jmp_buf &b, int n)
{
	if (n == 0)
		longjmp(b, 1);
	jumper(b, n - 1);
	leaf(n);
}

NOINLINE static int jump()
{
	jmp_buf b;
	if (setjmp(b) == 0)
		jumper(b, 5);
	return leaf(1);
}

NOINLINE static int odd(int n);
NOINLINE static int even(int n) { return n == 0 ? leaf(n) : odd(n - 1); }
NOINLINE static int odd(int n) { return n == 0 ? leaf(-n) : even(n - 1); }

static int compare(const void *a, const void *b) { return leaf(*(const int *)a) - leaf(*(const int *)b); }

static void handler(int, siginfo_t *, void *context)
{
	if (stepper_signal)
		stepper_signal(context);
	deep(3);
}

static void callback() { deep(2); }

NOINLINE static void library()
{
	int v[] = {5, 3, 8, 1, 9, 2};
	char text[100], other[100];
	struct timespec t;

	qsort(v, 6, sizeof v[0], compare);
	snprintf(text, sizeof text, "%d %s %.17g", v[0], "text", v[1] / 3.0);
	memmove(other, text, sizeof text);
	sink = sink + (int)strtol(other, nullptr, 10) + (strstr(other, "ext") != nullptr);
	clock_gettime(CLOCK_MONOTONIC, &t);
	free(realloc(malloc(100), 100000));
	std::string s = std::to_string(t.tv_nsec);
	s.insert(s.begin(), 100, 'x');
	sink = sink + (int)s.find('9');
}

int main(int argc, char **argv)
{
	static char other[1 << 16];
	stack_t ss = {};
	struct sigaction a = {};

	a.sa_sigaction = handler;
	a.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR1, &a, nullptr);
	a.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGUSR2, &a, nullptr);
	ss.ss_sp = other;
	ss.ss_size = sizeof other;
	sigaltstack(&ss, nullptr);
	__asm__ volatile("int3"); // the steps begin here
	deep(20);
	realigned(3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
	catcher(3);
	jump();
	even(9);
	library();
	by_rbx(callback);
	by_expression(callback);
	keep(callback);
	raise(SIGUSR1);
	raise(SIGUSR2);
	if (argc > 1) {
		void *h = dlopen(argv[1], RTLD_LAZY);
		if (!h)
			abort();
		sink = sink + ((int (*)(int))dlsym(h, "plugin"))(3);
	}
	__asm__ volatile("int3"); // and end here
	return 0;
}
