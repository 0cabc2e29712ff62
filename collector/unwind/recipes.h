/*
 * recipes.h: how to leave a frame at one address, in little room, and the cache of it by address.
 *
 * The cache is one for the process. An entry is one word, so that it is read and replaced
 * by one instruction: the part of the address that its place does not tell, the epoch of the
 * table of objects, and the number of the recipe. Recipes are few, since
 * many addresses have the same; they never change and are never freed.
 */
#ifndef PCT_UNWIND_RECIPES_H
#define PCT_UNWIND_RECIPES_H

#include "machine.h"
#include "cfi.h"

#include <stdatomic.h>

enum recipe_kind {
	RECIPE_NONE,   /* the address is in no object */
	RECIPE_GUESS,  /* there is no call frame information */
	RECIPE_SP,     /* the CFA is sp + offset */
	RECIPE_FP,     /* fp + offset */
	RECIPE_LOAD,   /* the word at fp + offset */
	RECIPE_OTHER,  /* register + offset */
	RECIPE_EXPR,   /* what an expression gives */
	RECIPE_ROW,    /* too special: the call frame information is to be read each time */
	RECIPE_SIGNAL, /* the frame of a signal: all registers are in it */
	RECIPE_HANDLER, /* libgcc's context of a handler of an exception is at fp + offset */
	RECIPE_ROOT,   /* there is no caller */
};

enum recipe_flags {
	RECIPE_FROM_FP = 1,     /* fp and saved count from fp, not from the CFA */
	RECIPE_RA_REGISTER = 2, /* the return address is in its register still */
	RECIPE_RA_SIGNED = 4,
	RECIPE_LANDS = 8,       /* the caller is about to execute its landing pad, not after a call */
	RECIPE_BEFORE = 16,     /* another function begins behind the address, and there is no call before it */
};

enum { NOT_SAVED = INT16_MIN };

struct recipe {
	uint8_t kind, flags, reg;
	uint8_t zero;
	int32_t offset;
	int16_t ra, fp; /* words from the CFA to where they are saved */
	int16_t saved[MACHINE_SAVED];
	uint16_t length; /* of the expression at `at` */
	uint64_t at;
};

enum { CACHE_BITS = 15, ADDRESS_BITS = 48, EPOCH_BITS = 14, NUMBER_BITS = 16 };

extern _Atomic uint64_t *recipes_cache; /* 1 << CACHE_BITS, in pairs */
extern const struct recipe *recipes;

bool recipes_start(void);

/* Works out the recipe of an address that the cache has not; spare holds it if there's no room. */
const struct recipe *recipes_make(struct cfi_work *w, struct objects_view *v, uintptr_t address, struct recipe *spare);

/* A place in the cache, and what an entry there that is of the address begins with. */
static inline uint32_t recipes_place(uint64_t address, uint32_t epoch, uint64_t *head)
{
	uint64_t mixed = address * 0x9e3779b97f4b & (((uint64_t)1 << ADDRESS_BITS) - 1);
	unsigned rest = ADDRESS_BITS - (CACHE_BITS - 1);

	*head = (mixed & (((uint64_t)1 << rest) - 1)) << (EPOCH_BITS + NUMBER_BITS) |
		(uint64_t)(epoch & ((1 << EPOCH_BITS) - 1)) << NUMBER_BITS;
	return (uint32_t)(mixed >> rest) << 1;
}

static inline const struct recipe *recipes_at(struct cfi_work *w, struct objects_view *v, uintptr_t address,
					      struct recipe *spare)
{
	uint64_t head, entry;
	uint32_t place = recipes_place(address, v->epoch, &head);

	if (__builtin_expect(address >> ADDRESS_BITS != 0, 0))
		return &recipes[RECIPE_NONE];
	for (uint32_t i = place; i < place + 2; i++) {
		entry = atomic_load_explicit(&recipes_cache[i], memory_order_acquire) ^ head;
		if (entry && !(entry >> NUMBER_BITS))
			return &recipes[entry];
	}
	return recipes_make(w, v, address, spare);
}

#endif
