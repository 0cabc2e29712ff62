/*
 * timer.h: timers of the kernel, and the accounts of CPU time that they can measure.
 */
#ifndef PCT_TIMER_H
#define PCT_TIMER_H

#include "sys.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * A thread that the kernel's tick finds on a processor, and whose signals are not blocked, has
 * used less CPU time than so many ticks since the one before: that it was found so seldom by
 * chance is past one in a million.
 */
enum { TICKS_UNSEEN = 16 };

/*
 * Which time. The first two are counted by the kernel's ticks, each put to user mode or the
 * kernel, as it was found.
 */
enum account { ACCOUNT_TICKS, ACCOUNT_USER, ACCOUNT_CPU };

/*
 * The clock of a thread's account, of the process's if tid is 0; encoded as the kernel does for
 * other threads.
 */
static inline clockid_t timer_account(int tid, enum account which)
{
	return tid ? (clockid_t)((unsigned)~tid << 3 | 4 | which) : (clockid_t)(~0u << 3 | which);
}

/* As the kernel reads it; the names of libraries for its last member differ. */
struct sigevent_tid {
	union sigval value;
	int signo, notify, tid, pad[11];
};

/* Tells our timers from others' in a signal's value. */
#define TIMER_MAGIC (UINT64_C(0x70637423) << 32)

/* Makes a timer that sends a signal with a number to a thread, to the process if tid is 0. */
static inline bool timer_make(int *timer, clockid_t clock, int signal, int tid, uint32_t number)
{
	struct sigevent_tid e = {
		.value = { .sival_ptr = (void *)(TIMER_MAGIC | number) },
		.signo = signal,
		.notify = tid ? 4 /* SIGEV_THREAD_ID */ : SIGEV_SIGNAL,
		.tid = tid,
	};

	return sys3(SYS_timer_create, clock, &e, timer) == 0;
}

/* Whether a signal is of such a timer, and its number. */
static inline bool timer_told(const siginfo_t *info, uint32_t *number)
{
	uint64_t value = (uint64_t)info->si_value.sival_ptr;

	*number = (uint32_t)value;
	return info->si_code == SI_TIMER && (value & ~(uint64_t)UINT32_MAX) == TIMER_MAGIC;
}

static inline struct timespec timer_spec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
}

#endif
