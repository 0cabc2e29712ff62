/*
 * contexts.h: the files of the call paths, a calling context tree for each resource.
 *
 * A tree and what it tells of objects are in one mapped file, made at the first sample of
 * its resource. All know the same objects. What is not said to be for handlers is for the holder
 * of the slow lock.
 */
#ifndef PCT_CONTEXTS_H
#define PCT_CONTEXTS_H

#include "unwind/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the file of a resource, which is not there; false if there can be none. */
bool contexts_open(uint32_t resource);

/* Whether the address space and data have n bytes more for each resource. */
bool contexts_permitted(uint64_t n);

/* Appends a line about an object to a resource's file, which is there; false if it has no room. */
bool contexts_append(uint32_t resource, const char *line, size_t n);

/* In handlers: a resource's tree; NULL if there is none. */
struct tree *contexts_tree(uint32_t resource);

/* In handlers: a root for a thread, or for several if there are many. */
uint32_t contexts_root(uint32_t resource, int tid);

/* In handlers: counts n samples of a resource that were not taken. */
void contexts_lost(uint32_t resource, uint64_t n);

/* The nodes of all trees. */
uint64_t contexts_nodes(void);

/* Cuts off the room that the trees did not use: the program ends, no clock ticks. */
void contexts_complete(void);

/* The same while the program goes on, of what is more than is permitted. */
void contexts_shrink(void);

/* Forgets all: the parent process has it. */
void contexts_forget(void);

#endif
