#include "recipes.h"
#include "memory.h"
#include "../sys.h"

enum {
	RECIPES = 1 << 14,
	INTERNED = 1 << 15,
	FEW = 32, /* addresses that a process of no more samples than a few has */
};

_Atomic uint64_t *recipes_cache;
const struct recipe *recipes;

static struct recipe *made;              /* number 0 is none, 1 a guess */
static _Atomic uint16_t *interned;       /* recipes by what they are: a hash table of their numbers */
static _Atomic uint32_t made_count = RECIPE_GUESS + 1;
static _Atomic uint32_t cleared;         /* the epochs before this one's wrap are gone from the cache */
static _Atomic uint32_t misses;

static void *reserve(size_t n)
{
	return sys_mmap(n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

bool recipes_start(void)
{
	recipes_cache = reserve(sizeof *recipes_cache << CACHE_BITS);
	made = reserve(RECIPES * sizeof *made);
	interned = reserve(INTERNED * sizeof *interned);
	recipes = made;
	if (!recipes_cache || !made || !interned)
		return false;
	made[RECIPE_GUESS].kind = RECIPE_GUESS;
	return true;
}

/* In words from the CFA; false if it can't be said so. */
static bool words(const struct rule *r, int16_t *slot)
{
	if (r->kind == RULE_NONE || r->kind == RULE_SAME) {
		*slot = NOT_SAVED;
		return true;
	}
	*slot = (int16_t)(r->offset / 8);
	return r->kind == RULE_OFFSET && r->offset % 8 == 0 && *slot == r->offset / 8 && *slot != NOT_SAVED;
}

/* Whether an expression is fp + offset, followed by a dereference or not. */
static bool from_fp(const struct rule *r, bool guarded, bool deref, int64_t *offset)
{
	enum { DEREF = 0x06, BREG0 = 0x70 };
	struct cursor c;

	if (r->kind != RULE_EXPR)
		return false;
	cursor_begin(&c, r->at, r->at + r->length, guarded);
	if (cursor_u8(&c) != BREG0 + MACHINE_FP)
		return false;
	*offset = cursor_sleb(&c);
	if (deref && cursor_u8(&c) != DEREF)
		return false;
	return cursor_done(&c) && !c.bad;
}

/* A function that has aligned its stack: all is found from fp, the CFA in memory. */
static bool aligned(const struct row *row, bool guarded, struct recipe *r)
{
	int64_t offset;

	if (!from_fp(&row->cfa, guarded, true, &offset) || offset != (int32_t)offset)
		return false;
	r->kind = RECIPE_LOAD;
	r->flags |= RECIPE_FROM_FP;
	r->offset = (int32_t)offset;
	for (int i = 0; i <= ROW_FP; i++) {
		int16_t *slot = i == ROW_FP ? &r->fp : &r->saved[i];

		*slot = NOT_SAVED;
		if (row->rules[i].kind == RULE_NONE || row->rules[i].kind == RULE_SAME)
			continue;
		if (!from_fp(&row->rules[i], guarded, false, &offset) || offset % 8 ||
		    offset / 8 != (int16_t)(offset / 8))
			return false;
		*slot = (int16_t)(offset / 8);
	}
	return true;
}

/* The frame of a signal, as the kernel makes it: the code says it, whatever the information. */
static bool is_signal(uintptr_t address)
{
	uint8_t code[2 * MACHINE_CODE];

	for (uintptr_t pc = address; pc <= address + 1; pc++)
		if (memory_peek(pc - MACHINE_CODE, code, sizeof code) &&
		    machine_leaving(code, false) == LEAVING_SIGNAL)
			return true;
	return false;
}

/*
 * Whether a function begins at an address that no call stands before: as a return address it is
 * one that the program made.
 */
static bool begins_uncalled(const struct objects_view *v, const struct object *o, uintptr_t address)
{
	uint8_t code[8];

	return cfi_start(v, o, address) == address && memory_peek(address - sizeof code, code, sizeof code) &&
	       !machine_called(code);
}

/* Puts a row in little room; false if it has none there. */
static bool pack(const struct row *row, bool guarded, uintptr_t address, struct recipe *r)
{
	const struct rule *ra = &row->rules[ROW_RA];

	*r = (struct recipe){ .offset = row->cfa.offset, .reg = row->cfa.reg, .fp = NOT_SAVED };
	if (row->signal && is_signal(address)) {
		r->kind = RECIPE_SIGNAL;
		return true;
	}
	if (ra->kind == RULE_UNDEFINED) {
		*r = (struct recipe){ .kind = RECIPE_ROOT };
		return true;
	}
	if (row->handler) {
		r->kind = RECIPE_HANDLER;
		return true;
	}
	if (row->signal || row->rules[ROW_SP].kind > RULE_SAME)
		return false;
	if (MACHINE_RA_IN_REGISTER && (ra->kind == RULE_NONE || ra->kind == RULE_SAME))
		r->flags |= RECIPE_RA_REGISTER;
	else if (!words(ra, &r->ra) || r->ra == NOT_SAVED)
		return false;
	if (row->ra_signed)
		r->flags |= RECIPE_RA_SIGNED;
	if (row->lands)
		r->flags |= RECIPE_LANDS;
	if (aligned(row, guarded, r)) {
		r->reg = 0;
		return true;
	}
	r->flags &= ~RECIPE_FROM_FP;
	for (int i = 0; i < MACHINE_SAVED; i++)
		if (!words(&row->rules[i], &r->saved[i]))
			return false;
	if (!words(&row->rules[ROW_FP], &r->fp))
		return false;
	r->offset = row->cfa.offset;
	if (row->cfa.kind == RULE_EXPR) {
		r->kind = RECIPE_EXPR;
		r->offset = r->reg = 0;
		r->at = row->cfa.at;
		r->length = row->cfa.length;
	} else if (row->cfa.kind == RULE_REGISTER) {
		r->kind = r->reg == MACHINE_SP ? RECIPE_SP : r->reg == MACHINE_FP ? RECIPE_FP : RECIPE_OTHER;
	} else {
		return false;
	}
	return true;
}

static bool equal(const struct recipe *a, const struct recipe *b)
{
	for (int i = 0; i < MACHINE_SAVED; i++)
		if (a->saved[i] != b->saved[i])
			return false;
	return a->kind == b->kind && a->flags == b->flags && a->reg == b->reg && a->offset == b->offset &&
	       a->ra == b->ra &&
	       a->fp == b->fp && a->length == b->length && a->at == b->at;
}

static uint32_t hash(const struct recipe *r)
{
	const uint64_t mixer = 0x9e3779b97f4a7c15;
	uint64_t h = r->kind | (uint64_t)r->flags << 8 | (uint64_t)r->reg << 16 | (uint64_t)(uint32_t)r->offset << 32;

	h = (h ^ (uint16_t)r->ra ^ (uint64_t)(uint16_t)r->fp << 16 ^ r->at << 32) * mixer;
	for (int i = 0; i < MACHINE_SAVED; i++)
		h = (h ^ h >> 29 ^ (uint16_t)r->saved[i]) * mixer;
	return (uint32_t)(h >> 40) % INTERNED;
}

/* The number of a recipe; 0 if there's no room. */
static uint16_t intern(const struct recipe *r)
{
	uint16_t own = 0;

	for (uint32_t i = hash(r), tries = 0; tries < INTERNED; i = (i + 1) % INTERNED, tries++) {
		uint16_t number = atomic_load_explicit(&interned[i], memory_order_acquire), none = 0;

		if (!number) {
			uint32_t n = own;

			if (!own) {
				if (atomic_load(&made_count) >= RECIPES ||
				    (n = atomic_fetch_add(&made_count, 1)) >= RECIPES)
					return 0;
				made[n] = *r;
				own = (uint16_t)n;
			}
			if (atomic_compare_exchange_strong(&interned[i], &none, own))
				return own;
			number = none;
		}
		if (equal(&made[number], r))
			return number;
	}
	return 0;
}

/* Entries of an epoch that had the same number, long ago. */
static void clear_wrapped(uint32_t epoch)
{
	uint32_t wrap = epoch >> EPOCH_BITS, seen = atomic_load(&cleared);

	if (seen == wrap || !atomic_compare_exchange_strong(&cleared, &seen, wrap))
		return;
	for (uint32_t i = 0; i < 1u << CACHE_BITS; i++)
		atomic_store_explicit(&recipes_cache[i], 0, memory_order_relaxed);
}

/*
 * Both tables are hashed, so that all their pages are soon in use. To have them at once takes a
 * fraction of the time of their faults one by one.
 */
static void have_tables(void)
{
	sys_populate(recipes_cache, sizeof *recipes_cache << CACHE_BITS);
	sys_populate(interned, INTERNED * sizeof *interned);
}

const struct recipe *recipes_make(struct cfi_work *w, struct objects_view *v, uintptr_t address, struct recipe *spare)
{
	const struct object *o = objects_find(v, address);
	uint64_t head, other;
	uint32_t place = recipes_place(address, v->epoch, &head);
	uint16_t number;

	if (!o)
		return &recipes[RECIPE_NONE];
	clear_wrapped(v->epoch);
	if (atomic_fetch_add_explicit(&misses, 1, memory_order_relaxed) == FEW)
		have_tables();
	if (!o->table || !cfi_row(w, v, o, address)) {
		number = RECIPE_GUESS;
	} else {
		if (!pack(&w->row, v->guarded, address, spare))
			*spare = (struct recipe){ .kind = RECIPE_ROW };
		if (begins_uncalled(v, o, address + 1))
			spare->flags |= RECIPE_BEFORE;
		number = intern(spare);
		if (!number)
			return spare;
	}
	/* Of the pair the one that is free or of another epoch, else either. */
	other = atomic_load_explicit(&recipes_cache[place], memory_order_relaxed);
	if (other && !((other ^ head) >> NUMBER_BITS & ((1 << EPOCH_BITS) - 1))) {
		uint64_t second = atomic_load_explicit(&recipes_cache[place + 1], memory_order_relaxed);

		if (!second || ((second ^ head) >> NUMBER_BITS & ((1 << EPOCH_BITS) - 1)) || address >> 4 & 1)
			place++;
	}
	atomic_store_explicit(&recipes_cache[place], head | number, memory_order_release);
	return &recipes[number];
}
