/* eintr CALL thread|alone MS: one thread blocks in CALL again and again for MS ms,
 * while another uses CPU time (thread) or it uses CPU time itself in between
 * (alone). Prints how many calls failed with EINTR, or ended early. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "burn.h"

static volatile int done;
static int pipes[2], sockets[2], ep;
static sem_t sem;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }

/* call blocks for 20 ms (recv 100), or until a byte comes; it returns errno. */
static int call(void)
{
	struct timespec ts = { 0, 20 * 1000 * 1000 }, abs;
	struct timeval tv = { 0, 20 * 1000 };
	struct epoll_event ev;
	struct pollfd pfd = { pipes[0], POLLIN, 0 };
	sigset_t set;
	fd_set fds;
	char c;
	int r;

	errno = 0;
	if (is("epoll_wait"))
		r = epoll_wait(ep, &ev, 1, 20);
	else if (is("nanosleep"))
		r = nanosleep(&ts, NULL);
	else if (is("recv"))
		r = recv(sockets[0], &c, 1, 0);
	else if (is("sigtimedwait")) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		r = sigtimedwait(&set, NULL, &ts);
	} else if (is("poll"))
		r = poll(&pfd, 1, 20);
	else if (is("select")) {
		FD_ZERO(&fds);
		FD_SET(pipes[0], &fds);
		r = select(pipes[0] + 1, &fds, NULL, NULL, &tv);
	} else if (is("sem_timedwait")) {
		clock_gettime(CLOCK_REALTIME, &abs);
		abs.tv_nsec += 20 * 1000 * 1000;
		if (abs.tv_nsec >= 1000000000) {
			abs.tv_nsec -= 1000000000;
			abs.tv_sec++;
		}
		r = sem_timedwait(&sem, &abs);
	} else if (is("read"))
		r = read(pipes[0], &c, 1);
	else {
		fprintf(stderr, "eintr: no call %s\n", what);
		exit(2);
	}
	return r < 0 ? errno : 0;
}

static void *spin(void *arg)
{
	while (!done)
		burn(1);
	return arg;
}

static void *feed(void *arg) /* wakes read */
{
	while (!done) {
		usleep(20000);
		if (write(pipes[1], "x", 1) != 1)
			break;
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct timeval tv = { 0, 100 * 1000 };
	pthread_t other, feeder;
	int interrupted = 0, early = 0, calls = 0, threaded = argc > 2 && !strcmp(argv[2], "thread");
	double ms = argc > 3 ? atof(argv[3]) : 500, start = burnt(CLOCK_MONOTONIC);

	what = argv[1];
	/* The kernel counts a socket's time in ticks, and counts late ones of a busy machine together. */
	double least = is("recv") ? 50 : 19;
	if (pipe(pipes) || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets))
		return 1;
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	ep = epoll_create1(0);
	sem_init(&sem, 0, 0);
	if (is("sigtimedwait")) {
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	}
	if (threaded)
		pthread_create(&other, NULL, spin, NULL);
	if (is("read"))
		pthread_create(&feeder, NULL, feed, NULL);
	while (burnt(CLOCK_MONOTONIC) - start < ms) {
		double before = burnt(CLOCK_MONOTONIC);
		int e = call();
		calls++;
		interrupted += e == EINTR;
		early += !is("read") && burnt(CLOCK_MONOTONIC) - before < least;
		if (!threaded)
			burn(3);
	}
	done = 1;
	if (threaded)
		pthread_join(other, NULL);
	printf("%d interrupted, %d early\n", interrupted, early);
	fprintf(stderr, "%d calls\n", calls);
	return 0;
}
