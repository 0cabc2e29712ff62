// Programs to be sampled: `target NAME ARG…` runs the one of that name. Each prints what
// it would print without a collector.
#define _GNU_SOURCE
#include "burn.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define CHECK(x) do { if (!(x)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, strerror(errno)); exit(1); } } while (0)

// Three parts of its time in three, one in one.
__attribute__((noipa)) static void three(long n) { spin(3 * n); __asm__ volatile(""); }
__attribute__((noipa)) static void one(long n) { spin(n); __asm__ volatile(""); }

static void ratio(char **a)
{
	double seconds = atof(a[0]), end = cpu() + seconds;
	while (cpu() < end)
		for (int i = 0; i < 20; i++) { three(5000); one(5000); }
	puts("done");
}

static void *burner(void *p) { burn(*(double *)p); return NULL; }

static void threads(char **a)
{
	enum { N = 8 };
	pthread_t t[N];
	double seconds = atof(a[0]);
	for (int i = 0; i < N; i++) CHECK(!pthread_create(&t[i], NULL, burner, &seconds));
	for (int i = 0; i < N; i++) CHECK(!pthread_join(t[i], NULL));
	puts("done");
}

// Many short threads: their clocks must be given back.
static void births(char **a)
{
	double seconds = 0;
	for (int i = 0; i < atoi(a[0]); i++) {
		pthread_t t[4];
		for (int j = 0; j < 4; j++) CHECK(!pthread_create(&t[j], NULL, burner, &seconds));
		for (int j = 0; j < 4; j++) CHECK(!pthread_join(t[j], NULL));
	}
	burn(0.1);
	puts("done");
}

static void wait_for(pid_t p)
{
	int status;
	CHECK(p > 0);
	CHECK(waitpid(p, &status, 0) == p);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	printf("child %d\n", p);
	fflush(stdout);
}

static char *self[] = { "/proc/self/exe", "ratio", "0.2", NULL };

static void family(char **a)
{
	pid_t p;
	(void)a;
	printf("parent %d\n", getpid());
	fflush(stdout);
	burn(0.1);
	if ((p = fork()) == 0) { burn(0.2); exit(0); }
	wait_for(p);
	if ((p = fork()) == 0) { burn(0.2); _exit(0); }
	wait_for(p);
	if ((p = vfork()) == 0) { execv(self[0], self); _exit(1); }
	wait_for(p);
	CHECK(!posix_spawn(&p, self[0], NULL, NULL, self, environ));
	wait_for(p);
	CHECK(system("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 0") == 0);
	burn(0.1);
}

// Children that the collector isn't told of: they are not sampled, and come to no harm.
static void raw(char **a)
{
	pid_t p;
	(void)a;
	burn(0.1);
	if ((p = _Fork()) == 0) { burn(0.2); _exit(0); }
	wait_for(p);
	if ((p = syscall(SYS_fork)) == 0) { burn(0.2); signal(SIGURG, SIG_DFL); _exit(0); }
	wait_for(p);
	if ((p = vfork()) == 0) { for (int s = 1; s < 65; s++) signal(s, SIG_DFL); burn(0.1); _exit(0); }
	wait_for(p);
	burn(0.2);
}

static void reopen(char **a)
{
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 2; j++) {
			void *h = dlopen(a[j], RTLD_NOW);
			CHECK(h);
			void (*work)(double) = (void (*)(double))dlsym(h, "work");
			CHECK(work);
			printf("at %p\n", (void *)work);
			work(0.15);
			dlclose(h);
		}
	}
}

// mov $n,%rax; 1: dec %rax; jnz 1b; ret
static void jit(char **a)
{
	unsigned char code[] = { 0x48, 0xb8, 0, 0xe1, 0xf5, 0x05, 0, 0, 0, 0, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
	(void)a;
	for (int i = 0; i < 5; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(p != MAP_FAILED);
		memcpy(p, code, sizeof code);
		((void (*)(void))p)();
		munmap(p, 4096);
	}
	puts("done");
}

static void vdso(char **a)
{
	struct timespec t;
	double end = cpu() + 0.4;
	(void)a;
	while (cpu() < end)
		for (int i = 0; i < 10000; i++)
			clock_gettime(CLOCK_MONOTONIC, &t);
	puts("done");
}

static volatile sig_atomic_t ticks, other;
static void on_tick(int s) { (void)s; ticks++; }
static void on_other(int s) { (void)s; other++; }

// Its own profiling timer: as many ticks as without us, which the kernel's tick limits. On a busy
// virtual machine 50 ticks' worth of time by cpu() were up to 75 without us, and 2: time for which
// the machine itself stands still is counted, too, without a tick. So it goes on until some come.
static void profiler(char **a)
{
	struct itimerval it = { { 0, 10000 }, { 0, 10000 } }, got;
	struct sigaction sa = { .sa_handler = on_tick }, old;
	(void)a;
	CHECK(!sigaction(SIGPROF, &sa, &old) && old.sa_handler == SIG_DFL);
	CHECK(!setitimer(ITIMER_PROF, &it, NULL));
	double start = cpu(), used;
	do {
		burn(0.5);
		used = cpu() - start;
	} while (ticks < 5 && used < 5);
	CHECK(!getitimer(ITIMER_PROF, &got) && got.it_interval.tv_usec == 10000);
	if (ticks < 5 || ticks > 180 * used) printf("%d ticks in %.1f s\n", (int)ticks, used);
	puts("done");
}

// A handler for the signals that the clock uses.
static void handlers(char **a)
{
	struct sigaction sa = { .sa_handler = on_other }, old;
	burn(0.04);
	for (; *a; a++) {
		int s = atoi(*a);
		other = 0;
		CHECK(!sigaction(s, &sa, &old) && old.sa_handler == SIG_DFL);
		burn(0.04);
		CHECK(other == 0);
		raise(s);
		CHECK(other == 1);
		CHECK(!sigaction(s, NULL, &old) && old.sa_handler == on_other);
		burn(0.04);
		CHECK(other == 1);
		CHECK(signal(s, SIG_IGN) == on_other);
		raise(s);
		CHECK(other == 1 && signal(s, SIG_DFL) == SIG_IGN);
	}
	puts("done");
}

static void trap(char **a)
{
	(void)a;
	burn(0.1);
	__asm__ volatile("int3");
	puts("not reached");
}

static void blocked(char **a)
{
	sigset_t all, got;
	siginfo_t info;
	struct timespec now = { 0, 0 };
	(void)a;
	sigfillset(&all);
	CHECK(!sigprocmask(SIG_BLOCK, &all, NULL));
	burn(0.3);
	CHECK(!sigprocmask(SIG_BLOCK, NULL, &got) && sigismember(&got, SIGTERM) == 1);
	kill(getpid(), SIGUSR1);
	CHECK(sigtimedwait(&all, &info, &now) == SIGUSR1);
	CHECK(sigtimedwait(&all, &info, &now) == -1 && errno == EAGAIN);
	puts("done");
}

static void error_number(char **a)
{
	double end = cpu() + 0.2;
	(void)a;
	errno = 12345;
	while (cpu() < end)
		for (int i = 0; i < 10000; i++)
			if (*(volatile int *)&errno != 12345) { puts("errno changed"); exit(1); }
	puts("done");
}

static void small_stacks(char **a)
{
	static double seconds = 0.1;
	static char stack[16384];
	stack_t alt = { .ss_sp = stack, .ss_size = 8192 };
	pthread_attr_t at;
	pthread_t t[4];
	(void)a;
	CHECK(!sigaltstack(&alt, NULL));
	pthread_attr_init(&at);
	CHECK(!pthread_attr_setstacksize(&at, 16384));
	for (int i = 0; i < 4; i++) CHECK(!pthread_create(&t[i], &at, burner, &seconds));
	burn(0.1);
	for (int i = 0; i < 4; i++) CHECK(!pthread_join(t[i], NULL));
	puts("done");
}

static void file_limit(char **a)
{
	struct rlimit l = { atoi(a[0]), atoi(a[0]) };
	CHECK(!setrlimit(RLIMIT_FSIZE, &l));
	burn(0.2);
	fputs("done\n", stdout);
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;
	CHECK(d);
	while (readdir(d)) n++;
	closedir(d);
	return n;
}

static void close_all(char **a)
{
	static double seconds = 0.1;
	pthread_t t;
	(void)a;
	burn(0.1);
	printf("%d descriptors\n", descriptors());
	for (int i = 3; i < 1024; i++) close(i);
	CHECK(!pthread_create(&t, NULL, burner, &seconds));
	burn(0.2);
	pthread_join(t, NULL);
	printf("%d descriptors\n", descriptors());
}

static void change_root(char **a)
{
	burn(0.1);
	CHECK(!chroot(a[0]) && !chdir("/"));
	burn(0.2);
	(void)sqrt_in_libm();
	puts("done");
}

static void drop_user(char **a)
{
	(void)a;
	burn(0.1);
	CHECK(!setgroups(0, NULL) && !setgid(65534) && !setuid(65534));
	burn(0.2);
	(void)sqrt_in_libm();
	puts("done");
}

// Executes itself as another program, after one that is not there.
static void again(char **a)
{
	burn(0.1);
	CHECK(execlp("/nowhere/at-all", "a", "b", NULL) == -1 && errno == ENOENT);
	burn(0.1);
	if (a[0])
		execl(a[0], "again", "ratio", "0.1", NULL);
	puts("not reached");
}

static void forever(char **a)
{
	(void)a;
	puts("ready");
	fflush(stdout);
	for (;;) { burn(0.01); if (fork() == 0) { burn(0.02); _exit(0); } }
}

static const struct { const char *name; void (*f)(char **); } table[] = {
	{ "ratio", ratio }, { "threads", threads }, { "births", births }, { "family", family }, { "raw", raw },
	{ "reopen", reopen }, { "jit", jit }, { "vdso", vdso }, { "profiler", profiler }, { "handlers", handlers },
	{ "trap", trap }, { "blocked", blocked }, { "errno", error_number }, { "small-stacks", small_stacks },
	{ "file-limit", file_limit }, { "close-all", close_all }, { "chroot", change_root }, { "drop-user", drop_user },
	{ "exec", again }, { "forever", forever },
};

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(argv[1], table[i].name)) {
			table[i].f(argv + 2);
			return 0;
		}
	return 2;
}
