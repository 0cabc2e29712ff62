/*
 * program.h: the instructions of call frame information, of a CIE and then of an FDE.
 */
#ifndef PCT_UNWIND_PROGRAM_H
#define PCT_UNWIND_PROGRAM_H

#include "cfi.h"

/*
 * Executes instructions on work->row, given work->common and work->initial, from the address that the first is for
 * until the next would be for one after the target. False if one isn't known or can't be read; the row is then of no use.
 */
bool program_execute(struct cfi_work *work, struct cursor *c, uint64_t start, uint64_t target);

#endif
