/*
 * handler.h: frames of libgcc's unwinder at the instructions where it goes to a handler of an
 * exception.
 *
 * The functions that do (_Unwind_RaiseException, _Unwind_Resume and the like) write the registers
 * of the handler's frame over those that they saved in their own, load them, and jump. Their call
 * frame information tells nothing of this. From the first store on, the frame that a return would
 * lead to is not there any more: the caller is that of the handler, about to execute its landing
 * pad.
 */
#ifndef PCT_UNWIND_HANDLER_H
#define PCT_UNWIND_HANDLER_H

#include "rules.h"

#include <stddef.h>

/*
 * libgcc's struct _Unwind_Context of x86-64, the same since GCC 3.4: what it knows of a frame. Of
 * registers it has the addresses where they are saved, or the values if `by_value` says so.
 */
enum {
	CONTEXT_CFA = 0x90,
	CONTEXT_PC = 0x98,
	CONTEXT_FLAGS = 0xc0,
	CONTEXT_ARGUMENTS = 0xd0, /* bytes of arguments on the stack at the call */
	CONTEXT_BY_VALUE = 0xd8,
};
#define CONTEXT_EXTENDED ((uint64_t)1 << 62)

/*
 * Corrects the row of an address in a function that can go to a handler, of so many
 * bytes of code from start on. Leaves it as it is where the code is not of a known kind.
 */
void handler_correct(struct row *row, uintptr_t start, size_t length, uintptr_t address);

#endif
