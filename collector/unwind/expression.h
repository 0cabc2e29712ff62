/*
 * expression.h: DWARF expressions of call frame information.
 */
#ifndef PCT_UNWIND_EXPRESSION_H
#define PCT_UNWIND_EXPRESSION_H

#include "thread.h"

struct expression {
	uintptr_t at;
	unsigned length;
	bool pushed; /* initial is on the stack when it begins */
	uint64_t initial;
};

/* Gives the value that a register had in the frame at a depth; false if it is lost. */
typedef bool expression_register(struct unwind_thread *t, uint32_t depth, unsigned reg, uint64_t *value);

/* Runs an expression for the frame at a depth; false if it can't be run, or needs what is lost. */
bool expression_evaluate(struct unwind_thread *t, uint32_t depth, const struct expression *e, expression_register *get,
			 uint64_t *value);

#endif
