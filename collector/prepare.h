/*
 * prepare.h: what must be there before a call path can be counted: the unwinder, the file of the
 * resource, and what both know of the objects that are mapped.
 */
#ifndef PCT_PREPARE_H
#define PCT_PREPARE_H

#include <stdbool.h>
#include <stdint.h>

/* In handlers: whether all of that is there for a resource. */
bool prepare_done(uint32_t resource);

/*
 * In a handler, or where signals are blocked: makes what is not there, and reads the memory map
 * again if that is due, as when the address pc is in nothing that is known. Nothing if the slow
 * lock can't be had.
 */
void prepare(uint32_t resource, uintptr_t pc);

/* In handlers: the frames that a path may have. */
uint32_t prepare_frames(void);

/*
 * Gives back memory that is more than is permitted; fewer frames may then be permitted as well.
 * For the holder of the slow lock.
 */
void prepare_shrink(void);

/* Forgets all: the parent process has it. */
void prepare_forget(void);

#endif
