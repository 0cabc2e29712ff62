/*
 * marking.h: setting a mark and finding one, by stub.c and trampoline.c. The stub's part must not
 * leave its section, so that all of it is inlined.
 */
#ifndef PCT_UNWIND_MARKING_H
#define PCT_UNWIND_MARKING_H

#include "mark.h"
#include "thread.h"

enum { FRAMES_TRIED = 64 };

static inline uint64_t mark_stub(void)
{
	return (uintptr_t)trampoline_stub;
}

static inline uintptr_t mark_slot(const struct unwind_frame *outer)
{
	return outer->sp - 8;
}

static inline uint64_t *mark_word(uintptr_t slot)
{
	return (uint64_t *)slot;
}

/* Whether a frame's return address may be replaced, given the frame that it returns to. */
static inline bool mark_fits(const struct unwind_frame *f, const struct unwind_frame *outer)
{
	return (f->flags & (UNWIND_SIMPLE | UNWIND_GUESS | UNWIND_SIGNAL)) == UNWIND_SIMPLE && f->ra_slot == -1 &&
	       !(outer->flags & (UNWIND_GUESS | UNWIND_SIGNAL |
				 UNWIND_EXACT)) && outer->sp % 8 == 0 && mark_slot(outer) >= f->sp;
}

/*
 * Marks the innermost of the known frames from `from` out to `to` that can be marked. The slot is
 * told before it is changed, since the program's handlers may leave the stub for ever anywhere.
 */
static inline __attribute__((always_inline)) bool mark_set(struct mark *m, uint32_t from, uint32_t to)
{
	const struct unwind_frame *known = m->thread->known;

	for (uint32_t i = from; i > 0 && i >= to && from - i < FRAMES_TRIED; i--) {
		const struct unwind_frame *outer = &known[i - 1];

		if (!mark_fits(&known[i], outer) || *mark_word(mark_slot(outer)) != outer->pc)
			continue;
		atomic_store_explicit(&m->original, outer->pc, memory_order_relaxed);
		m->pc = unwind_address(&known[i]);
		m->at = i;
		atomic_store_explicit(&m->slot, mark_slot(outer), memory_order_release);
		atomic_signal_fence(memory_order_seq_cst);
		*(volatile uint64_t *)mark_word(mark_slot(outer)) = mark_stub();
		return true;
	}
	return false;
}

/* The mark at a slot, of whatever thread; NULL if there is none. */
static inline __attribute__((always_inline)) struct mark *mark_find(uintptr_t slot, uint64_t *original)
{
	uint32_t n = atomic_load(&trampoline_marks_used);

	for (uint32_t i = 0; i < n; i++) {
		if (atomic_load(&trampoline_marks[i].slot) != slot)
			continue;
		*original = atomic_load(&trampoline_marks[i].original);
		if (atomic_load(&trampoline_marks[i].slot) == slot)
			return &trampoline_marks[i];
	}
	return NULL;
}

#endif
