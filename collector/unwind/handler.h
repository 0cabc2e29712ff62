/*
 * handler.h: frames of libgcc's unwinder at the instructions where it goes to a handler of an exception.
 *
 * The functions that do (_Unwind_RaiseException, _Unwind_Resume and the like) write the registers
 * of the handler's frame over those that they saved in their own, load them, and jump. Their call
 * frame information tells nothing of this. From the first store on, the frame that a return would lead
 * to is not there any more: the caller is that of the handler, about to execute its landing pad.
 */
#ifndef PCT_UNWIND_HANDLER_H
#define PCT_UNWIND_HANDLER_H

#include "cfi.h"
#include "thread.h"

/*
 * Corrects the row of an address in a function that can go to a handler, of so many
 * bytes of code from start on. Leaves it as it is where the code is not of a known kind.
 */
void handler_correct(struct row *row, uintptr_t start, size_t length, uintptr_t address);

/* Leaves the frame at a depth, of RECIPE_HANDLER, to that of the handler. */
enum outcome handler_leave(struct unwind_thread *t, uint32_t depth, const struct recipe *r, struct unwind_frame *next);

/* The value that a register has in the handler's frame. */
bool handler_register(struct unwind_thread *t, const struct unwind_frame *f, const struct recipe *r, unsigned reg, uint64_t *value);

#endif
