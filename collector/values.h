/*
 * values.h: the values of expressions in a sample's call path, each in the innermost frame
 * that it is for.
 */
#ifndef PCT_VALUES_H
#define PCT_VALUES_H

#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

/* The bytes that a thread needs for it, aligned to 8; 0: nothing is evaluated. */
size_t values_room(void);

/*
 * In handlers: evaluates the expressions and keeps what they come to. The path has been
 * counted with that weight, and is still in use.
 */
void values_take(uint32_t resource, struct unwind_thread *t, const struct unwind_path *path, int tid, uint32_t weight,
		 void *room);

#endif
