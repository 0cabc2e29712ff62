/* Uses resources in known amounts.
 *
 *   uses WORD [N [M]]...   one after the other, in functions of their own:
 *     touch N    write to N fresh pages            ask N      N system calls
 *     read N M   N reads of M bytes                write N M  N writes of M bytes
 *     step N     N calls of stepped()              sleep N M  N sleeps of M ms
 *     wait N M   N waits for a futex of M ms       spin N     N ms of CPU time
 *     nap N      N sleeps as short as can be
 *     turns N M  each M-th of N times in one function, else in another: write to a fresh page,
 *                make a system call, and call stepped()
 *     rest       read standard input to its end, while a thread waits for a futex
 *
 * Prints for each word the time and the CPU time that it took, in ms, and the sum of the
 * squares of the times of naps so far.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OWN __attribute__((noinline, noclone))

static volatile long sink;

OWN void touch(long n)
{
	char *m = mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED || madvise(m, n * 4096, MADV_NOHUGEPAGE)) abort();
	for (long i = 0; i < n; i++)
		m[i * 4096] = 1;
	sink++;
}

OWN void ask(long n)
{
	while (n-- > 0)
		syscall(SYS_getppid);
	sink++;
}

static char room[1 << 20];

OWN void reading(long n, long size)
{
	int fd = open("/dev/zero", O_RDONLY);
	while (n-- > 0)
		if (read(fd, room, size) != size) abort();
	sink++;
}

OWN void writing(long n, long size)
{
	int fd = open("/dev/null", O_WRONLY);
	while (n-- > 0)
		if (write(fd, room, size) != size) abort();
	sink++;
}

OWN void stepped(long n) { sink = n; }

OWN void step(long n)
{
	while (n-- > 0)
		stepped(n);
	sink++;
}

static char *fresh;

#define USE(n) (*fresh = 1, fresh += 4096, syscall(SYS_getppid), stepped(n), sink++)
OWN void some(long n) { USE(n); }
OWN void others(long n) { USE(n); }

OWN void turns(long n, long every)
{
	fresh = mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED || madvise(fresh, n * 4096, MADV_NOHUGEPAGE)) abort();
	while (n-- > 0)
		if (n % every) others(n);
		else some(n);
	sink++;
}

static struct timespec ms(long n) { return (struct timespec){ n / 1000, n % 1000 * 1000000 }; }

OWN void sleeping(long n, long m)
{
	struct timespec t = ms(m);
	while (n-- > 0)
		nanosleep(&t, NULL);
	sink++;
}

OWN void waiting(long n, long m)
{
	struct timespec t = ms(m);
	int word = 0;
	while (n-- > 0)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, m ? &t : NULL, NULL, 0);
	sink++;
}

OWN void spin(long n)
{
	struct timespec t;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < n);
	sink++;
}

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double squares; /* of the times of naps */

OWN void nap(long n)
{
	struct timespec t = { 0, 1 };
	for (double before = now(CLOCK_MONOTONIC), after; n-- > 0; before = after) {
		nanosleep(&t, NULL);
		after = now(CLOCK_MONOTONIC);
		squares += (after - before) * (after - before);
	}
	sink++;
}

static void *forever(void *arg)
{
	(void)arg;
	waiting(1, 0);
	return NULL;
}

OWN void rest(void)
{
	pthread_t thread;
	char c;
	if (pthread_create(&thread, NULL, forever, NULL)) abort();
	while (read(0, &c, 1) > 0)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	static char report[1 << 12]; /* written at the end: it uses resources, too */
	int at = 0;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		double real = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
#define NEXT (i + 1 < argc ? atol(argv[++i]) : 0)
		if (!strcmp(word, "rest")) rest();
		long n = NEXT;
		if (!strcmp(word, "touch")) touch(n);
		else if (!strcmp(word, "ask")) ask(n);
		else if (!strcmp(word, "step")) step(n);
		else if (!strcmp(word, "spin")) spin(n);
		else if (!strcmp(word, "nap")) nap(n);
		else {
			long m = NEXT;
			if (!strcmp(word, "read")) reading(n, m);
			else if (!strcmp(word, "write")) writing(n, m);
			else if (!strcmp(word, "sleep")) sleeping(n, m);
			else if (!strcmp(word, "wait")) waiting(n, m);
			else if (!strcmp(word, "turns")) turns(n, m);
			else return 2;
		}
		at += snprintf(report + at, sizeof report - at, "%s %f %f %f\n", word,
			now(CLOCK_MONOTONIC) - real, now(CLOCK_PROCESS_CPUTIME_ID) - cpu, squares);
	}
	return write(1, report, at) != at;
}
