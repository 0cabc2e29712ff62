/*
 * clock.h: what interrupts the program's threads to sample them.
 *
 * Each thread that is sampled has a slot, and in it a clock of its own, so that the
 * thread whose time it is takes the sample. docs/COLLECTOR.md says which clocks there
 * are and why.
 */
#ifndef PCT_CLOCK_H
#define PCT_CLOCK_H

#include "source.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Chooses a clock for options.time and .period, sets run.clock and run.period, and starts the
 * clock of the calling thread. The samples that were due before count from the execution of the
 * program.
 */
extern const struct source clock_source;

/*
 * The calling thread, which has no clock yet, has a small stack. Ticks come anywhere, and find
 * room in it; but a page fault is where the stack is deeper than ever before, and leaves none for
 * a signal: these are left out.
 */
void clock_little_stack(void);

/* Starts the clock of another thread, the calling one; its slot, or -1 if it has none. */
int clock_begin(void);

/* Stops the clock of a slot, whose thread ends. */
void clock_end(int slot);

/* Stops and starts the clocks of all threads. */
void clock_pause(void);
void clock_resume(void);

/* Forgets all clocks, which the parent process has; then clock_begin starts one. */
void clock_forget(void);

/* Whether a signal is a tick of ours, or of an event; changes nothing. */
bool clock_is_tick(int signal, const siginfo_t *info);

/*
 * The program uses this signal itself: the clock goes over to another one, with all
 * threads, events that need it are given up, and it is retired.
 */
void clock_yield_signal(int signal);

/*
 * The program has a descriptor for a set of signals: the clock leaves its own if that is one of
 * them, and there is another.
 */
void clock_avoid(uint64_t set);

/*
 * The program meets its limit of pending signals, which timers count against: ours are given up.
 * False if there are none.
 */
bool clock_makes_room(void);

/* The calling thread executes another program: its clock stops; that has failed: it goes on. */
void clock_halt(void);
void clock_go_on(void);

#endif
