/*
 * lasting.h: over how many samples activations last.
 *
 * An activation is counted where it was first seen: once, once more when it has been seen by two
 * samples and by three, and by the most samples of any. Of those seen twice it is told whether the
 * sample before them, or the one before that, was in the same function called in the same context:
 * then they follow another activation after a short time. What is counted of activations that go
 * on is right at any instant, but for the most.
 *
 * A sample of a clock can weigh more than one: it stands for time before it that no sample saw.
 * Who had that time is not known, so that such a sample does not make an activation a long one.
 */
#ifndef PCT_UNWIND_LASTING_H
#define PCT_UNWIND_LASTING_H

#include "chunks.h"
#include "unwind.h"

/*
 * Counts the activations of a whole path, whose nodes are known, that so many samples saw, which
 * have that weight.
 */
void lasting_count(struct tree *t, struct unwind_thread *thread, const struct unwind_path *path, uint32_t weight,
		   uint32_t looks);

/* There was no room for a path: of the activations that went on, those that it has still do. */
void lasting_forget(struct unwind_thread *thread, const struct unwind_path *path);

#endif
