/*
 * cfi.h: call frame information, as the compiler wrote it, is read for the rules of one address.
 */
#ifndef PCT_UNWIND_CFI_H
#define PCT_UNWIND_CFI_H

#include "objects.h"
#include "program.h"

/*
 * Works out the row for an address in an object, into work->row; false if there is none that
 * can be used.
 */
bool cfi_row(struct cfi_work *work, const struct objects_view *v, const struct object *o, uintptr_t address);

/* The first address that has the call frame information of an address; 0 if there is none. */
uintptr_t cfi_start(const struct objects_view *v, const struct object *o, uintptr_t address);

/*
 * Whether the function of the table's i-th pair goes to handlers of exceptions, as libgcc's do,
 * and where it is; false too if it has no call frame information that can be used. *start and *end
 * are set if that could be read.
 */
bool cfi_jumps(struct cfi_work *work, const struct objects_view *v, const struct object *o, uint32_t i,
	       uintptr_t *start, uintptr_t *end);

#endif
