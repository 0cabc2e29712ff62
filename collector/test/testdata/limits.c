// Programs that limit what they may use, or do: limits NAME [N].
#include "abuse.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

/* Reads and writes where the kernel permits nothing else, not even to read the processor's clock. */
static void strict(int n, char **more)
{
	char c;
	int p[2];

	(void)n, (void)more;
	CHECK(!pipe(p));
	burn(0.02);
	CHECK(write(p[1], "x", 1) == 1 && read(p[0], &c, 1) == 1);
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	for (int i = 0; i < 100; i++)
		if (write(p[1], "x", 1) != 1 || read(p[0], &c, 1) != 1)
			syscall(SYS_exit, 9);
	if (write(1, "done\n", 5) == 5)
		syscall(SYS_exit, 5);
}

/* As many timers as may be. */
static void timers(int n, char **more)
{
	struct rlimit limit = { (rlim_t)n, (rlim_t)n };
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t t;
	int made = 0;

	(void)more;
	burn(0.02);
	CHECK(!setrlimit(RLIMIT_SIGPENDING, &limit));
	while (made < 50 && !timer_create(CLOCK_MONOTONIC, &e, &t))
		made++;
	CHECK(errno == EAGAIN);
	printf("%d timers\n", made);
	burn(0.02);
}

/* As many pending signals as may be. */
static void queued(int n, char **more)
{
	struct rlimit limit = { (rlim_t)n, (rlim_t)n };
	sigset_t set;
	int sent = 0;

	(void)more;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 3);
	CHECK(!sigprocmask(SIG_BLOCK, &set, NULL));
	burn(0.02);
	CHECK(!setrlimit(RLIMIT_SIGPENDING, &limit));
	while (sent < 50 && !sigqueue(getpid(), SIGRTMIN + 3, (union sigval){ .sival_int = 1 }))
		sent++;
	CHECK(errno == EAGAIN);
	printf("%d queued\n", sent);
	burn(0.02);
}

static CALLED void before(void)
{
	burn(0.1);
	__asm__ volatile("");
}

static CALLED void after(void)
{
	burn(0.2);
	__asm__ volatile("");
}

/* Not much memory, of which half is taken. */
static void data(int n, char **more)
{
	struct rlimit limit = { (rlim_t)n << 20, (rlim_t)n << 20 };

	if (*more)
		before();
	CHECK(!setrlimit(RLIMIT_DATA, &limit));
	after();
	for (int i = 0; i < n / 2; i++)
		CHECK(malloc(1 << 20));
}

static const struct mode modes[] = { { "strict", strict }, { "timers", timers }, { "queued", queued }, { "data", data } };

MODES(modes)
