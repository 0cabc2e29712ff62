/*
 * activations.h: which activations of functions go on since the path before, by the frames and by
 * the mark that the thread returns through (csprof, section 2.3).
 */
#ifndef PCT_UNWIND_ACTIVATIONS_H
#define PCT_UNWIND_ACTIVATIONS_H

#include "thread.h"

/*
 * Whether two addresses may be in one activation that is at the same place of the stack: not if a
 * function jumped to another, which returns in its place.
 */
bool activations_same_function(struct unwind_thread *t, uintptr_t a, uintptr_t b);

/*
 * How many of the outermost frames of a path, of which n were found beyond those in common, look
 * as those of the path before that may not have returned since.
 */
uint32_t activations_alike(struct unwind_thread *t, uint32_t common, uint32_t n);

/*
 * How many of the outermost frames, which are known now, have not returned since the path before.
 */
uint32_t activations_kept(struct unwind_thread *t, const struct unwind_path *path);

#endif
