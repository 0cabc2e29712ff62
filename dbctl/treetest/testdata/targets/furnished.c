/* furnished FILE: a process with handlers, blocked and pending signals, timers, an
 * alternate stack, open files and threads, some busy, some blocked. Answers each
 * line on its standard input with all that it can see of these, and "end". */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int handled, miscounted, returned, ready;
static int pipes[2];

static void handle(int signal)
{
	(void)signal;
	handled++;
}

static void inform(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	handled++;
}

/* compute is inexact in a way that depends on the rounding mode, and on all
 * registers being kept. */
static double compute(void)
{
	double sum = 0;
	long double wide = 0;
	for (int i = 1; i < 4000; i++) {
		sum += 1.0 / i;
		wide += 1.0L / (sum + i);
	}
	return sum + (double)wide;
}

static void *busy(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fesetround(*(int *)arg);
	double want = compute();
	ready++;
	for (;;)
		miscounted += compute() != want || fegetround() != *(int *)arg;
	return NULL;
}

static void *sleeper(void *arg)
{
	struct timespec t = {100000, 0};

	ready++;
	nanosleep(&t, NULL);
	returned++;
	return arg;
}

static void *reader(void *arg)
{
	char c;

	ready++;
	if (read(pipes[0], &c, 1) <= 1)
		returned++;
	return arg;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locker(void *arg)
{
	ready++;
	pthread_mutex_lock(&lock);
	returned++;
	return arg;
}

static void *poller(void *arg)
{
	struct epoll_event e = {.events = EPOLLIN};
	int ep = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(ep, EPOLL_CTL_ADD, pipes[0], &e);
	ready++;
	epoll_wait(ep, &e, 1, -1);
	returned++;
	return arg;
}

static void set_signals(void)
{
	static char stack[1 << 16];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction a = {.sa_sigaction = inform, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent none = {.sigev_notify = SIGEV_NONE}, rt = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
	struct itimerspec long_time = {{3000, 0}, {4000, 0}};
	struct itimerval real = {{2000, 0}, {1000, 0}}, prof = {{0, 0}, {5000, 0}};
	union sigval value = {.sival_int = 17};
	sigset_t block;
	timer_t timer;

	sigaltstack(&alternate, NULL);
	sigaddset(&a.sa_mask, SIGHUP);
	sigaction(SIGUSR1, &a, NULL);
	a.sa_handler = handle;
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &a, NULL);
	sigaction(SIGALRM, &a, NULL);
	sigaction(SIGPROF, &a, NULL);
	a.sa_flags = SA_NODEFER;
	sigaction(SIGRTMIN + 3, &a, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	setitimer(ITIMER_REAL, &real, NULL);
	setitimer(ITIMER_PROF, &prof, NULL);
	if (timer_create(CLOCK_MONOTONIC, &none, &timer) || timer_settime(timer, 0, &long_time, NULL))
		exit(3);
	if (timer_create(CLOCK_REALTIME, &rt, &timer) || timer_settime(timer, 0, &long_time, NULL))
		exit(3);
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGRTMIN + 1);
	sigaddset(&block, SIGTSTP);
	sigprocmask(SIG_BLOCK, &block, NULL);
	sigqueue(getpid(), SIGRTMIN + 1, value);
	sigqueue(getpid(), SIGRTMIN + 1, value);
	raise(SIGTSTP);
}

static void report(void)
{
	sigset_t blocked;
	stack_t alternate;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int s = 1; s < NSIG; s++) {
		struct sigaction a;
		if (sigaction(s, NULL, &a))
			continue;
		printf("signal %d: %p %#x %#lx%s\n", s, (void *)(size_t)a.sa_handler, (unsigned)a.sa_flags,
		       *(unsigned long *)&a.sa_mask, sigismember(&blocked, s) ? " blocked" : "");
	}
	for (int w = ITIMER_REAL; w <= ITIMER_PROF; w++) {
		struct itimerval v;
		getitimer((__itimer_which_t)w, &v);
		printf("timer %d: every %ld s, %s\n", w, (long)v.it_interval.tv_sec, v.it_value.tv_sec ? "runs" : "off");
	}
	sigaltstack(NULL, &alternate);
	printf("stack %p %#x\ndumpable %d, death signal ", alternate.ss_sp, (unsigned)alternate.ss_flags, prctl(PR_GET_DUMPABLE));
	int death;
	prctl(PR_GET_PDEATHSIG, &death);
	printf("%d\nhandled %d, miscounted %d, returned %d\nend\n", death, handled, miscounted, returned);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static int modes[] = {FE_TONEAREST, FE_DOWNWARD};
	void *(*const threads[])(void *) = {busy, busy, sleeper, reader, locker, poller};
	char line[100];
	pthread_t t;

	if (argc != 2 || pipe(pipes))
		return 2;
	int fd = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "some text", 9) != 9 || lseek(fd, 4, SEEK_SET) != 4)
		return 2;
	eventfd(5, EFD_NONBLOCK);
	memfd_create("memory", MFD_CLOEXEC);
	pthread_mutex_lock(&lock);
	set_signals();
	for (int i = 0; i < 6; i++)
		if (pthread_create(&t, NULL, threads[i], &modes[i & 1]))
			return 3;
	while (ready < 6)
		sched_yield();
	while (fgets(line, sizeof line, stdin))
		report();
	return miscounted || returned ? 1 : 9;
}
