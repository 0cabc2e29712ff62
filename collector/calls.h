/*
 * calls.h: the sink of samples of whole call paths, counted in the calling context tree of their
 * resource.
 *
 * A thread's part, what its stack is walked with, is made at its own first sample of a resource.
 */
#ifndef PCT_CALLS_H
#define PCT_CALLS_H

#include "sink.h"

extern const struct sink calls_sink;

#endif
