#include "linked.h"
#include "cfi.h"
#include "unwind.h"

#include <stdatomic.h>

enum {
	UNWINDERS = 64,
	JUMPS = 8,
	NEAR = 4096,    /* bytes around those functions that are taken for the unwinder's too */
	APART = 1 << 14 /* between them; what is farther is not looked at */
};

static struct code {
	uintptr_t low, high;  /* of the object's text */
	uintptr_t start, end; /* of the unwinder; the same: there is none */
	struct {
		uintptr_t start, end;
	} jumps[JUMPS]; /* the functions that it is known by */
	uint32_t jump_count;
} all[UNWINDERS];
static _Atomic uint32_t count; /* of those that are complete */
static atomic_flag busy = ATOMIC_FLAG_INIT;

bool linked_holds(uintptr_t address)
{
	uint32_t n = atomic_load_explicit(&count, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++)
		if (address - all[i].start < all[i].end - all[i].start)
			return true;
	return false;
}

bool linked_jumps(uintptr_t address)
{
	uint32_t n = atomic_load_explicit(&count, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < all[i].jump_count; j++)
			if (address - all[i].jumps[j].start < all[i].jumps[j].end - all[i].jumps[j].start)
				return true;
	return false;
}

uintptr_t linked_in(uintptr_t address)
{
	uint32_t n = atomic_load_explicit(&count, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++)
		if (all[i].end && address >= all[i].low && address < all[i].high)
			return all[i].low;
	return 0;
}

/* Looks from the end, where libraries are that were linked in. */
static void look(const struct object *o, uint32_t most, struct code *c)
{
	static struct cfi_work work;
	const struct objects_view view = { .last = o };

	for (uint32_t i = o->count; i-- > 0 && most-- > 0;) {
		uintptr_t start = 0, end = 0;
		bool jumps = cfi_jumps(&work, &view, o, i, &start, &end);

		if (jumps && c->end == 0)
			c->end = end;
		if (jumps) {
			c->start = start;
			if (c->jump_count < JUMPS) {
				c->jumps[c->jump_count].start = start;
				c->jumps[c->jump_count++].end = end;
			}
		} else if (c->end && end && c->start > end && c->start - end > APART)
			break;
	}
	if (!c->end)
		return;
	c->start = c->start - o->given.start > NEAR ? c->start - NEAR : o->given.start;
	c->end = o->given.end - c->end > NEAR ? c->end + NEAR : o->given.end;
}

bool unwind_linked(const struct unwind_object *object, uint32_t most)
{
	struct object o = { .given = *object };
	struct code c = { .low = object->start, .high = object->end };
	uint32_t n;

	if (atomic_flag_test_and_set(&busy))
		return true;
	objects_read_header(&o);
	look(&o, most, &c);
	n = atomic_load(&count);
	if (n < UNWINDERS) {
		all[n] = c;
		atomic_store_explicit(&count, n + 1, memory_order_release);
	}
	atomic_flag_clear(&busy);
	return c.end != 0;
}

bool unwind_linked_known(uintptr_t address)
{
	uint32_t n = atomic_load_explicit(&count, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++)
		if (address >= all[i].low && address < all[i].high)
			return true;
	return n == UNWINDERS;
}
