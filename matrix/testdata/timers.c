/* Ways of using timers, which a clock of another must leave alone. */
#include "way.h"
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>

static volatile sig_atomic_t ticks;

static void counts(int s) { (void)s; ticks++; }

static void interval(int which, int s)
{
	struct itimerval each = { { 0, 10000 }, { 0, 10000 } }, left, none = { { 0, 0 }, { 0, 0 } };

	signal(s, counts);
	MUST(!getitimer(which, &left));
	SAY("before: %s", left.it_value.tv_sec || left.it_value.tv_usec || left.it_interval.tv_usec ? "armed" : "not armed");
	MUST(!setitimer(which, &each, NULL));
	burn(0.12);
	MUST(!setitimer(which, &none, &left));
	SAY("%s ticks, each %ld µs", ticks >= 4 ? "enough" : "too few", (long)left.it_interval.tv_usec);
	ticks = 0;
	burn(0.03);
	SAY("%d ticks after it", ticks);
}

static void prof(void) { interval(ITIMER_PROF, SIGPROF); }
static void virtual_time(void) { interval(ITIMER_VIRTUAL, SIGVTALRM); }
static void real_time(void) { interval(ITIMER_REAL, SIGALRM); }

static void posix_of(clockid_t clock)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec each = { { 0, 10000000 }, { 0, 10000000 } }, left;
	timer_t t;

	signal(SIGUSR1, counts);
	MUST(!timer_create(clock, &e, &t));
	MUST(!timer_settime(t, 0, &each, NULL));
	burn(0.12);
	MUST(!timer_gettime(t, &left));
	MUST(!timer_delete(t));
	SAY("%s ticks, each %ld ns", ticks >= 4 ? "enough" : "too few", left.it_interval.tv_nsec);
	ticks = 0;
	burn(0.03);
	SAY("%d ticks after it", ticks);
}

static void posix_monotonic(void) { posix_of(CLOCK_MONOTONIC); }
static void posix_cpu(void) { posix_of(CLOCK_PROCESS_CPUTIME_ID); }
static void posix_thread(void) { posix_of(CLOCK_THREAD_CPUTIME_ID); }

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static int notified;

static void notify(union sigval v)
{
	burn(0.03);
	pthread_mutex_lock(&lock);
	notified = v.sival_int;
	pthread_cond_signal(&came);
	pthread_mutex_unlock(&lock);
}

static void in_thread(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify, .sigev_value.sival_int = 42 };
	struct itimerspec soon = { { 0, 0 }, { 0, 10000000 } };
	timer_t t;

	burn(0.03);
	MUST(!timer_create(CLOCK_MONOTONIC, &e, &t));
	MUST(!timer_settime(t, 0, &soon, NULL));
	pthread_mutex_lock(&lock);
	while (!notified)
		pthread_cond_wait(&came, &lock);
	pthread_mutex_unlock(&lock);
	SAY("notified: %d", notified);
	timer_delete(t);
	burn(0.03);
}

static void by_descriptor(void)
{
	struct itimerspec each = { { 0, 5000000 }, { 0, 5000000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t n, sum = 0;

	MUST(fd >= 0 && !timerfd_settime(fd, 0, &each, NULL));
	while (sum < 10) {
		MUST(read(fd, &n, sizeof n) == sizeof n);
		sum += n;
		burn(0.01);
	}
	burn(0.05);
	SAY("done");
}

static void alarms(void)
{
	signal(SIGALRM, counts);
	SAY("alarm: %u", alarm(100));
	burn(0.05);
	SAY("alarm: %s", alarm(0) > 90 ? "was there" : "was lost");
	ualarm(20000, 0);
	pause();
	SAY("%d alarms", ticks);
	burn(0.05);
}

static void over_exec(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 30000 } };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	burn(0.02);
	again(".awaits");
}

static void awaits(void)
{
	struct timespec seconds = { 5, 0 };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	burn(0.05);
	SAY("got %d", sigtimedwait(&alarm, NULL, &seconds));
}

static void unhandled(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 20000 } };

	setitimer(ITIMER_PROF, &soon, NULL);
	burn(10);
}

/* Calls that wait for a time return when it is over, and not before. */
static void waiting(void)
{
	struct timespec t = { 0, 20000000 }, now;
	struct timeval v = { 0, 20000 };
	struct epoll_event e;
	int ep = epoll_create1(0);

	for (int i = 0; i < 2; i++) {
		burn(0.02);
		SAY("select %d", select(0, NULL, NULL, NULL, &v));
		v.tv_usec = 20000;
		SAY("epoll_wait %d", epoll_wait(ep, &e, 1, 20));
		SAY("usleep %d", usleep(10000));
		clock_gettime(CLOCK_MONOTONIC, &now);
		now.tv_nsec += 10000000;
		if (now.tv_nsec >= 1000000000) {
			now.tv_nsec -= 1000000000;
			now.tv_sec++;
		}
		SAY("clock_nanosleep %d", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL));
		SAY("nanosleep %d", nanosleep(&t, NULL));
	}
	burn(0.04);
}

/* Its own clocks do not run backwards. */
static void clocks(void)
{
	static const clockid_t kinds[] = { CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_BOOTTIME };
	struct timespec was[LENGTH(kinds)] = { { 0, 0 } }, now;
	int backwards = 0;

	for (int i = 0; i < 100000; i++) {
		size_t k = (size_t)i % LENGTH(kinds);

		clock_gettime(kinds[k], &now);
		backwards += now.tv_sec < was[k].tv_sec || (now.tv_sec == was[k].tv_sec && now.tv_nsec < was[k].tv_nsec);
		was[k] = now;
	}
	burn(0.05);
	SAY("backwards: %d", backwards);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "prof", prof },
		{ "virtual", virtual_time },
		{ "real", real_time },
		{ "posix-monotonic", posix_monotonic },
		{ "posix-cpu", posix_cpu },
		{ "posix-thread", posix_thread },
		{ "in-thread", in_thread },
		{ "by-descriptor", by_descriptor },
		{ "alarms", alarms },
		{ "over-exec", over_exec },
		{ "unhandled", unhandled },
		{ "waiting", waiting },
		{ "clocks", clocks },
		{ ".awaits", awaits },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
