/*
 * chunks.h: the words of a tree: places, and chunks that follow each other.
 */
#ifndef PCT_UNWIND_CHUNKS_H
#define PCT_UNWIND_CHUNKS_H

#include "tree.h"

enum { PLACE_BITS = 26, CHUNK_BITS = 24 };

/* The head of a new chunk of so many words, which are 0 but for it; 0 if there's no room. */
uint32_t chunk_append(struct tree *t, uint32_t parent, uint32_t length);

static inline uint64_t place_of(uint32_t object, uint64_t address)
{
	return (uint64_t)object << 48 | (address & (((uint64_t)1 << 48) - 1));
}

/* Writes a place, of 1 or 3 words; how many. */
uint32_t place_put(uint32_t *to, uint64_t where);

static inline bool place_is_long(uint32_t word)
{
	return word >> PLACE_BITS == TREE_LONG;
}

static inline uint64_t place_get(const uint32_t *at)
{
	if (place_is_long(at[0]))
		return at[1] | (uint64_t)at[2] << 32;
	return place_of(at[0] >> PLACE_BITS, at[0] & ((1u << PLACE_BITS) - 1));
}

/* The word behind a place. */
static inline uint32_t place_end(const uint32_t *words, uint32_t at)
{
	return at + (place_is_long(words[at]) ? 3 : 1);
}

#endif
