/*
 * counts.h: the sink of samples that are counted by program counter, in a count file of each
 * object (store.h).
 */
#ifndef PCT_COUNTS_H
#define PCT_COUNTS_H

#include "sink.h"

extern const struct sink counts_sink;

#endif
