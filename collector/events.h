/*
 * events.h: resources that the kernel counts and tells the program's threads of, such as page
 * faults.
 *
 * Each thread has an event for each of them, of the thread's slot (slot.h). It traps the thread at
 * the instruction that consumed the gtick which the interval timer asks for. What the collector
 * itself consumes is not sampled. Where no event can be had, a note says so.
 */
#ifndef PCT_EVENTS_H
#define PCT_EVENTS_H

#include "source.h"

#include <stdbool.h>
#include <stdint.h>

/* To be started before clocks begin, which start its events. */
extern const struct source events_source;

/* For who holds the slot: starts and stops the events of its thread. */
void events_start(int slot, int tid);
void events_stop(int slot);

/* Tells that a thread has none, as its stack is small. */
void events_left_out(void);

/* Forgets the events of so many slots, which the parent process has. */
void events_forget(uint32_t slots);

/*
 * No event is started any more, for the program wants SIGTRAP; the caller stops those there are.
 * False if there are none.
 */
bool events_give_up(void);

#endif
