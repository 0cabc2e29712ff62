/*
 * kernelclock.h: the clock of a thread's time in the kernel, beside an event that sees user mode
 * alone.
 *
 * It ticks where the kernel's own tick finds the thread on a processor, and tells by the thread's
 * account, which that tick has just been put to, whether it was in the kernel: in a system call, a
 * page fault, or an interrupt. Such a tick is worth the CPU time that no sample stands for yet:
 * what was due to the event since the one before and found the thread in the kernel, or between
 * threads with interrupts off, where no clock finds one.
 *
 * What the kernel does to deliver a tick hides an event that is due meanwhile. Both repeat: an
 * event that was hidden once would be at every tick, a quarter of all at 1000 Hz. A tick in user
 * mode where the event is due is its sample, therefore, and the event itself none if it comes yet.
 */
#ifndef PCT_KERNELCLOCK_H
#define PCT_KERNELCLOCK_H

#include "sample.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeros are one that stands still. */
struct kernelclock {
	bool live;
	int timer;
	/* by the thread until the last tick: CPU time, and what the kernel put to user mode, ns */
	uint64_t used, user;
	int64_t owed;        /* CPU time that no sample stands for yet, ns */
	uint64_t sampled;    /* CPU time at the event's last sample, ns; 0: there was none */
	bool stood_in;       /* a tick was that sample */
};

/*
 * Starts the clock of a thread of ours; each tick sends it the signal, with the number of its
 * slot. False if the kernel refuses.
 */
bool kernelclock_start(struct kernelclock *k, int tid, int slot, int signal);

void kernelclock_stop(struct kernelclock *k);

/* What an event stands for, called by the thread, whose clock does not stand still. */
struct tick kernelclock_event(struct kernelclock *k, uint64_t used);

/*
 * What a tick stands for that found the thread with such accounts: the one of CPU time, and what
 * the kernel put to user mode.
 */
struct tick kernelclock_tick(struct kernelclock *k, uint64_t used, uint64_t user);

#endif
