/*
 * valuelog.h: the files of values, one beside each file of call paths. What is not said to be for
 * handlers is for the holder of the slow lock.
 */
#ifndef PCT_VALUELOG_H
#define PCT_VALUELOG_H

#include "valuesfile.h"

#include <stddef.h>

/* Makes the file of a resource, if there are plans. */
void valuelog_open(uint32_t resource);

/* In handlers: appends a record of so many bytes, a multiple of 4; lost if there is no room. */
void valuelog_append(uint32_t resource, const struct values_record *r, size_t n);

/* Cuts off the room that records did not use: the program ends, no clock ticks. */
void valuelog_complete(void);

/* The same while the program goes on, of what is more than is permitted. */
void valuelog_shrink(void);

/* Forgets all: the parent process has it. */
void valuelog_forget(void);

#endif
