/*
 * pace.h: keeps handlers from taking a thread's whole time.
 *
 * A handler that has much to do (a deep stack that is new to it, the map of many objects) can need
 * longer than the period. The next tick would be due when it returns, and the program would stand
 * still. So where samples with much to do follow each other closely, those that come within twice
 * the time that one took are lost.
 */
#ifndef PCT_PACE_H
#define PCT_PACE_H

#include <stdbool.h>

/* A handler begins; false if its sample is to be lost. */
bool pace_begin(void);

/* It has much to do. */
void pace_heavy(void);

/* It ends, unless pace_begin said false. */
void pace_end(void);

#endif
