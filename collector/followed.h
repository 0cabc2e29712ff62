/*
 * followed.h: whether the program's threads are followed as they begin and end, each with a clock
 * of its own.
 *
 * They are where the library is preloaded, which stands before the functions that make threads
 * (thread.c). Where it is linked in, the first thread's clock is for all.
 */
#ifndef PCT_FOLLOWED_H
#define PCT_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>

/* Defined in the preloaded library alone. */
extern const bool threads_followed __attribute__((weak));

static inline bool threads_are_followed(void)
{
	return &threads_followed && threads_followed;
}

#endif
