// All that makes stacks hard to unwind, in four threads at once, for as many seconds as the
// first argument says. Further arguments are plugins to load and unload.
#include <algorithm>
#include <alloca.h>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <vector>

#define NOINLINE __attribute__((noinline, noclone))

extern "C" void sampler_generated(uintptr_t, uintptr_t) __attribute__((weak));

static std::atomic<long> sink;
static time_t until;
static int plugins;
static char **plugin_paths;

NOINLINE static int leaf(int n)
{
	for (int i = 0; i < 50; i++)
		sink += n ^ i;
	return n + 1;
}

NOINLINE static int deep(int n)
{
	return n == 0 ? leaf(n) : deep(n - 1) + (int)(sink & 1);
}

struct Guard {
	~Guard() { sink++; }
};

NOINLINE static void thrower(int n)
{
	Guard g;
	if (n == 0)
		throw std::runtime_error("thrown");
	thrower(n - 1);
	sink++;
}

NOINLINE static int catcher(int n)
{
	try {
		thrower(n);
	} catch (const std::exception &e) {
		return (int)strlen(e.what());
	}
	return 0;
}

#pragma GCC diagnostic ignored "-Winfinite-recursion"
NOINLINE static void jumper(jmp_buf &b, int n)
{
	if (n == 0)
		longjmp(b, 1);
	jumper(b, n - 1);
	sink++;
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

NOINLINE static int aligned(int n)
{
	int v[16] __attribute__((aligned(64)));
	for (int i = 0; i < 16; i++)
		v[i] = leaf(n + i);
	return v[n & 15];
}

NOINLINE static int odd(int n);
NOINLINE static int even(int n) { return n == 0 ? leaf(n) : odd(n - 1); }
NOINLINE static int odd(int n) { return n == 0 ? leaf(-n) : even(n - 1); }

static int compare(const void *a, const void *b) { return leaf(*(const int *)a) - leaf(*(const int *)b); }

NOINLINE static void library()
{
	int v[64];
	char text[200];
	std::map<std::string, int> m;
	for (int i = 0; i < 64; i++)
		v[i] = rand();
	qsort(v, 64, sizeof v[0], compare);
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof text, "%d %s %.17g", v[i], "text", v[i] / 3.0);
		m[text] += strtol(text, nullptr, 10);
	}
	std::vector<std::string> s;
	for (auto &[k, n] : m)
		s.push_back(k + std::to_string(n));
	std::sort(s.begin(), s.end(), [](const std::string &a, const std::string &b) { return a.back() < b.back(); });
	sink += (long)s.size();
}

NOINLINE static void vdso()
{
	struct timespec t;
	for (int i = 0; i < 1000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
}

static void handler(int)
{
	sink += deep(20);
}

static ucontext_t outside, inside;
static char *other_stack;

static void coroutine()
{
	for (;;) {
		sink += deep(10);
		swapcontext(&inside, &outside);
	}
}

NOINLINE static void load(int i)
{
	if (plugins == 0)
		return;
	void *h = dlopen(plugin_paths[i % plugins], RTLD_LAZY);
	if (!h)
		abort();
	sink += ((int (*)(int))dlsym(h, "plugin"))(30);
	dlclose(h);
}

#if defined __x86_64__
// push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret and, without frame pointer,
// sub $24,%rsp; call *%rdi; add $24,%rsp; ret
static const unsigned char with_fp[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
static const unsigned char without_fp[] = { 0x48, 0x83, 0xec, 0x18, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x18, 0xc3 };
#else // stp x29,x30,[sp,#-16]!; mov x29,sp; blr x0; ldp x29,x30,[sp],#16; ret, and x19 in place of x29
static const unsigned char with_fp[] = { 0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0x00, 0x00, 0x3f, 0xd6, 0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6 };
static const unsigned char without_fp[] = { 0xf3, 0x7b, 0xbf, 0xa9, 0x00, 0x00, 0x3f, 0xd6, 0xf3, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6 };
#endif
static char *code;

static void callback() { sink += deep(5); }

NOINLINE static void generated()
{
	((void (*)(void (*)()))code)(callback);
	((void (*)(void (*)()))(code + 64))(callback);
	sink++;
}

static void *work(void *arg)
{
	long who = (long)arg;
	std::vector<char> stack(1 << 16);
	stack_t ss = {};
	ss.ss_sp = stack.data();
	ss.ss_size = stack.size();
	sigaltstack(&ss, nullptr);
	for (int i = 0; time(nullptr) < until; i++) {
		deep(i % 50 ? 100 : 10000);
		catcher(i % 30);
		jump();
		variable(1 + i % 1000);
		aligned(i);
		even(i % 100);
		library();
		vdso();
		raise(SIGUSR1);
		raise(SIGUSR2);
		if (who == 0)
			load(i);
		if (who == 1)
			swapcontext(&outside, &inside);
		if (who == 2)
			generated();
	}
	ss.ss_flags = SS_DISABLE;
	sigaltstack(&ss, nullptr);
	return nullptr;
}

int main(int argc, char **argv)
{
	pthread_t t[3];
	struct sigaction a = {};

	until = time(nullptr) + atoi(argv[1]);
	plugins = argc - 2;
	plugin_paths = argv + 2;
	a.sa_handler = handler;
	sigaction(SIGUSR1, &a, nullptr);
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &a, nullptr);
	code = (char *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(code, 0x90, 4096);
	memcpy(code, with_fp, sizeof with_fp);
	memcpy(code + 64, without_fp, sizeof without_fp);
	__builtin___clear_cache(code, code + 4096);
	if (sampler_generated)
		sampler_generated((uintptr_t)code, (uintptr_t)code + 64); // the other has no frame pointer
	other_stack = (char *)mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	getcontext(&inside);
	inside.uc_stack.ss_sp = other_stack;
	inside.uc_stack.ss_size = 1 << 16;
	makecontext(&inside, coroutine, 0);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], nullptr, work, (void *)(i + 1));
	work(nullptr);
	for (auto &i : t)
		pthread_join(i, nullptr);
	return 0;
}
