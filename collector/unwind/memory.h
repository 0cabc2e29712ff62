/*
 * memory.h: reading words that may not be there.
 */
#ifndef PCT_UNWIND_MEMORY_H
#define PCT_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW = 1024 };

/*
 * What may be read of a thread's memory: ranges whose reading can't fault, for the time of one
 * path, and a window on what was read last elsewhere.
 */
struct memory {
	uintptr_t low, span;         /* read directly: from low, up to a word at low + span */
	uintptr_t own_low, own_high; /* the thread's own stack */
	uintptr_t window_at;         /* 0: nothing */
	uint8_t window[WINDOW] __attribute__((aligned(8)));
};

/* Reads by a system call, at most a page; false if not all is readable. */
bool memory_peek(uintptr_t at, void *to, size_t n);

/*
 * Begins a path at a stack pointer; the signal's own stack, if it's on one, is [alt, alt + size).
 */
void memory_begin(struct memory *m, uintptr_t sp, uintptr_t alt, size_t size);

/* What memory_load does for a word outside the direct range. */
bool memory_load_elsewhere(struct memory *m, uintptr_t at, uint64_t *word);

/* Reads bytes anywhere, all or none of them. */
bool memory_read(struct memory *m, uintptr_t at, void *to, size_t n);

/* A word anywhere: registers and expressions may lead to one that is not aligned. */
struct memory_word {
	uint64_t v;
} __attribute__((packed, may_alias));

/* Reads a word of a stack. */
static inline bool memory_load(struct memory *m, uintptr_t at, uint64_t *word)
{
	if (__builtin_expect(at - m->low <= m->span, 1)) {
		*word = ((const struct memory_word *)at)->v;
		return true;
	}
	return memory_load_elsewhere(m, at, word);
}

#endif
