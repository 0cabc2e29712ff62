#include "table.h"
#include "mapping.h"
#include "space.h"
#include "sys.h"

#include <stdatomic.h>

/*
 * The index has levels, each larger than the one before and made when it is needed. An address
 * belongs to one bucket of each level, and is in the first one that had a free slot when it came.
 * Slots are taken in their order and never given back, so that the first free one ends the search,
 * and two threads that bring the same address meet there.
 *
 * A slot is 0, or 32 bits of the address's hash above the number of its entry, from 1.
 */
enum { BUCKET = 8, LAST_BUCKET = 512 };

static const int level_bits[TABLE_LEVELS] = { 11, 14, 17, 20, 22 };

static struct count_slot *entries(const struct object *o)
{
	return (struct count_slot *)(o->header + 1);
}

static size_t level_size(int level)
{
	return sizeof(uint64_t) << level_bits[level];
}

/* A level's slots, made if there are none yet; NULL if there is no memory for them. */
static _Atomic uint64_t *level_of(struct object *o, int level)
{
	_Atomic uint64_t *slots = atomic_load_explicit(&o->index[level], memory_order_acquire), *none = NULL;
	size_t n = level_size(level);

	if (slots)
		return slots;
	slots = space_permitted(n) ? sys_mmap(n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (slots && !atomic_compare_exchange_strong(&o->index[level], &none, slots)) {
		sys2(SYS_munmap, slots, n);
		slots = none;
	}
	return slots;
}

/* A new entry for an address: its number from 1, or 0 if there is no room. */
static uint32_t new_entry(struct object *o, uint64_t address)
{
	struct count_header *h = o->header;
	uint64_t i = atomic_load_explicit(&h->written, memory_order_relaxed);

	do
		if (i >= h->capacity || !mapping_reserve(o, (size_t)((char *)&entries(o)[i] - (char *)h)))
			return 0;
	while (!atomic_compare_exchange_weak_explicit(&h->written, &i, i + 1, memory_order_relaxed,
						      memory_order_relaxed));
	atomic_store_explicit(&entries(o)[i].address, address, memory_order_relaxed);
	return (uint32_t)i + 1;
}

static void count_up(struct object *o, uint32_t entry)
{
	atomic_fetch_add_explicit(&entries(o)[entry - 1].count, 1, memory_order_relaxed);
}

bool table_add(struct object *o, uint64_t address)
{
	uint64_t bin = address - address % o->header->bin, hash, tag;
	uint32_t new = 0;

	if (bin == 0)
		bin = 1; /* 0 is a free entry's */
	hash = bin * UINT64_C(0x9e3779b97f4a7c15);
	tag = hash << 32;
	for (int level = 0; level < TABLE_LEVELS; level++) {
		_Atomic uint64_t *slots = level_of(o, level);
		uint64_t mask = (UINT64_C(1) << level_bits[level]) - 1;
		uint64_t at = hash >> (64 - level_bits[level]) & ~(uint64_t)(BUCKET - 1);

		for (int probes = level < TABLE_LEVELS - 1 ? BUCKET : LAST_BUCKET; slots && probes > 0; probes--,
		     at = (at + 1) & mask) {
			uint64_t slot = atomic_load_explicit(&slots[at], memory_order_acquire);

			if (!slot) {
				if (!new && !(new = new_entry(o, bin)))
					return false;
				if (atomic_compare_exchange_strong(&slots[at], &slot, tag | new)) {
					count_up(o, new);
					return true;
				}
				/*
				 * Another thread was faster; is it the same address, our entry
				 * stays without count.
				 */
			}
			if ((slot & ~(uint64_t)UINT32_MAX) == tag && entries(o)[(uint32_t)slot - 1].address == bin) {
				count_up(o, (uint32_t)slot);
				return true;
			}
		}
	}
	return false;
}

void table_forget(struct object *o)
{
	for (int level = 0; level < TABLE_LEVELS; level++) {
		_Atomic uint64_t *slots = atomic_exchange(&o->index[level], NULL);

		if (slots)
			sys2(SYS_munmap, slots, level_size(level));
	}
}
