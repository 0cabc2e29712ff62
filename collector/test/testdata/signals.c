// Programs that live by signals: signals NAME [N].
#include "abuse.h"

#include <malloc.h>
#include <semaphore.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

static volatile sig_atomic_t profiled, virtually;

static void on_tick(int s)
{
	*(s == SIGPROF ? &profiled : &virtually) += 1;
}

static void *burner(void *seconds)
{
	burn(*(double *)seconds);
	return NULL;
}

// The time that the process's timers go by: 0 is the profiling one's, 1 the virtual one's. The kernel accounts for it
// in its own ticks, which on a busy machine is more, or less, than what was used.
static double accounted(unsigned timer)
{
	struct timespec t;

	CHECK(!clock_gettime((clockid_t)(~0u << 3 | timer), &t));
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// Both timers of the process at once, in four threads.
static void profilers(int n, char **more)
{
	struct itimerval every = { { 0, 10000 }, { 0, 10000 } };
	double seconds = 0.1 * n, prof = accounted(0), virtual = accounted(1);
	pthread_t t[4];

	(void)more;
	CHECK(signal(SIGPROF, on_tick) == SIG_DFL && signal(SIGVTALRM, on_tick) == SIG_DFL);
	CHECK(!setitimer(ITIMER_PROF, &every, NULL) && !setitimer(ITIMER_VIRTUAL, &every, NULL));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, burner, &seconds));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(t[i], NULL));
	memset(&every, 0, sizeof every);
	CHECK(!setitimer(ITIMER_PROF, &every, NULL) && !setitimer(ITIMER_VIRTUAL, &every, NULL));
	// The kernel's tick finds them late, and those that are pending are one; but there are none that are not due.
	prof = (accounted(0) - prof) / 0.01 + 1;
	virtual = (accounted(1) - virtual) / 0.01 + 1;
	if (profiled < 1 || profiled > prof || virtually < 1 || virtually > virtual)
		printf("%d and %d ticks\n", (int)profiled, (int)virtually);
	CHECK(signal(SIGPROF, SIG_DFL) == on_tick && signal(SIGVTALRM, SIG_IGN) == on_tick);
}

static _Atomic int due;

// A timer of each thread's own CPU time, as profilers of today have them.
static void *timed(void *seconds)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	struct itimerspec every = { { 0, 8000000 }, { 0, 8000000 } };
	timer_t timer;

	double begin = cpu();
	e._sigev_un._tid = gettid();
	CHECK(!timer_create(CLOCK_THREAD_CPUTIME_ID, &e, &timer) && !timer_settime(timer, 0, &every, NULL));
	burn(*(double *)seconds);
	CHECK(!timer_delete(timer));
	due += (int)((cpu() - begin) / 0.008);
	return NULL;
}

static void thread_timers(int n, char **more)
{
	double seconds = 0.04;
	pthread_t t[4];

	(void)more;
	CHECK(signal(SIGPROF, on_tick) == SIG_DFL);
	for (int round = 0; round < n; round++) {
		for (int i = 0; i < 4; i++)
			CHECK(!pthread_create(&t[i], NULL, timed, &seconds));
		for (int i = 0; i < 4; i++)
			CHECK(!pthread_join(t[i], NULL));
	}
	if (profiled < 1 || profiled > due)
		printf("%d ticks\n", (int)profiled);
}

static sem_t called;

static void call(union sigval v)
{
	spin(v.sival_int);
	sem_post(&called);
}

// The C library makes a thread for each expiry.
static void calling_timers(int n, char **more)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = call, .sigev_value.sival_int = 300000 };
	struct itimerspec every = { { 0, 1000000 }, { 0, 1000000 } };
	pthread_attr_t small;
	timer_t timer;

	(void)more;
	// There are as many threads at a time as the processor is late: of their memory little is to be seen.
	CHECK(!pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, 65536) && mallopt(M_ARENA_MAX, 1));
	e.sigev_notify_attributes = &small;
	CHECK(!sem_init(&called, 0, 0));
	CHECK(!timer_create(CLOCK_MONOTONIC, &e, &timer) && !timer_settime(timer, 0, &every, NULL));
	for (int i = 0; i < 100 * n; i++) {
		spin(100000);
		while (sem_wait(&called))
			CHECK(errno == EINTR);
	}
	CHECK(!timer_delete(timer));
}

// Signals as data: all are blocked, and come one by one by a descriptor.
static void descriptor(int n, char **more)
{
	sigset_t all;
	int fd;

	(void)more;
	sigfillset(&all);
	CHECK(!sigprocmask(SIG_BLOCK, &all, NULL));
	fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	CHECK(fd >= 0);
	for (int i = 0; i < 2000 * n; i++) {
		struct signalfd_siginfo got;
		int signo = i % 2 ? SIGUSR1 : SIGTERM;

		spin(50000);
		CHECK(!kill(getpid(), signo));
		CHECK(read(fd, &got, sizeof got) == sizeof got && (int)got.ssi_signo == signo && (int)got.ssi_pid == getpid());
		CHECK(read(fd, &got, sizeof got) == -1 && errno == EAGAIN);
	}
	CHECK(!close(fd));
}

static int wanted;

static void *waiter(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	for (int i = 0; i < wanted; i++) {
		int got;

		spin(100000);
		CHECK(!sigwait(&all, &got));
		if (got != SIGUSR2)
			printf("signal %d\n", got);
		CHECK(!sem_post(&called));
	}
	return unused;
}

// A thread that takes all signals of the process, which its threads block.
static void waiting(int n, char **more)
{
	struct timespec moment = { 0, 200000 };
	sigset_t all, pending;
	pthread_t t;

	(void)more;
	sigfillset(&all);
	wanted = 1000 * n;
	CHECK(!sem_init(&called, 0, 0));
	CHECK(!pthread_sigmask(SIG_BLOCK, &all, NULL));
	CHECK(!pthread_create(&t, NULL, waiter, NULL));
	for (int i = 0; i < wanted; i++) {
		spin(100000);
		CHECK(!kill(getpid(), SIGUSR2));
		while (sem_wait(&called))
			CHECK(errno == EINTR);
	}
	CHECK(!pthread_join(t, NULL));
	for (int i = 0; i < 100 * n; i++) {
		spin(100000);
		CHECK(sigtimedwait(&all, NULL, &moment) == -1 && errno == EAGAIN);
	}
	CHECK(!sigpending(&pending) && sigisemptyset(&pending));
}

// Handlers that interrupt each other, in threads that send signals to one another.
static _Atomic int handled;

static void on_usr(int s)
{
	spin(2000);
	handled++;
	if (s == SIGUSR1)
		raise(SIGUSR2);
}

static _Atomic int stop;

static void *sender(void *main)
{
	while (!stop) {
		pthread_kill(*(pthread_t *)main, SIGUSR1);
		spin(20000);
	}
	return NULL;
}

static void storm(int n, char **more)
{
	struct sigaction a = { .sa_handler = on_usr, .sa_flags = SA_NODEFER | SA_RESTART };
	pthread_t t[2], self = pthread_self();

	(void)more;
	CHECK(!sigaction(SIGUSR2, &a, NULL));
	a.sa_flags = SA_RESTART;
	CHECK(!sigaction(SIGUSR1, &a, NULL));
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&t[i], NULL, sender, &self));
	burn(0.1 * n);
	stop = 1;
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(t[i], NULL));
	CHECK(handled > 0);
}

static const struct mode modes[] = {
	{ "profilers", profilers }, { "thread-timers", thread_timers }, { "calling-timers", calling_timers },
	{ "descriptor", descriptor }, { "waiting", waiting }, { "storm", storm },
};

MODES(modes)
