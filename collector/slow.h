/*
 * slow.h: the slow lock, of the one thread that reads the memory map or makes files.
 */
#ifndef PCT_SLOW_H
#define PCT_SLOW_H

#include <stdbool.h>
#include <stdint.h>

/* In a handler, or where signals are blocked. False if it can't be had. */
bool slow_take(void);
void slow_release(void);

/*
 * The same from elsewhere. Signals wait until it is released: a tick of the calling thread's own
 * would not get the lock.
 */
bool slow_take_blocked(uint64_t *mask);
void slow_release_blocked(const uint64_t *mask);

/* In the child of a fork: another thread may have held it. */
void slow_forget(void);

#endif
