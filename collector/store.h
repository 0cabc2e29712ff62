/*
 * store.h: count files of the objects, and how a sample gets into one.
 */
#ifndef PCT_STORE_H
#define PCT_STORE_H

#include "object.h"

#include <stdbool.h>

/*
 * Makes, or opens to add to, the count file of an object; its state says whether there
 * is one now. For the holder of the slow lock.
 */
void store_open(struct object *o, uint64_t bias);

/*
 * Counts n samples at an address of an object that has a count file. From any handler at any
 * time: takes no lock, and touches no page for which the file has no room.
 */
void store_add(struct object *o, uint64_t vaddr, uint64_t n);

/* Makes room in the file for all that can be counted; false if there isn't. */
bool store_reserve(struct object *o);

/* Counts n samples that could not be stored; o may be NULL. */
void store_lost(struct object *o, uint64_t n);

/* Cuts off the room that logs did not use: the program ends, no clock ticks. */
void store_complete(void);

/* Forgets all count files: they are those of the parent process. */
void store_forget(void);


#endif
