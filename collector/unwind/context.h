/*
 * context.h: frames that are left by libgcc's context of a handler, as handler.h says.
 */
#ifndef PCT_UNWIND_CONTEXT_H
#define PCT_UNWIND_CONTEXT_H

#include "thread.h"

/* Leaves the frame at a depth, of RECIPE_HANDLER, to that of the handler. */
enum outcome context_leave(struct unwind_thread *t, uint32_t depth, const struct recipe *r, struct unwind_frame *next);

/* The value that a register has in the handler's frame. */
bool context_register(struct unwind_thread *t, const struct unwind_frame *f, const struct recipe *r, unsigned reg,
		      uint64_t *value);

#endif
