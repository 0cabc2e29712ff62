/*
 * values.h: the values of expressions in a sample's call path, each in the innermost frame that it
 * is for, and the arguments of its functions.
 */
#ifndef PCT_VALUES_H
#define PCT_VALUES_H

#include "asked.h"
#include "planfile.h"
#include "resource.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

/* What a thread needs for it, zero at first. */
struct values_memory {
	struct asked_memory asked;
	uint32_t empty[RESOURCES_MOST]; /* outermost frames of its last whole path with nothing to evaluate */
	_Alignas(8) char record[PLANS_RECORD];
};

/* The bytes of that; 0: nothing is evaluated. */
size_t values_room(void);

/*
 * In handlers: evaluates the expressions and keeps what they come to. The path has been
 * counted with that weight, and is still in use.
 */
void values_take(uint32_t resource, struct unwind_thread *t, const struct unwind_path *path, int tid, uint32_t weight,
		 struct values_memory *memory);

#endif
