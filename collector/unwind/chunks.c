#include "chunks.h"
#include "../sys.h"

enum { PAGE = 4096, TEXT_WORDS = TREE_CHUNK - 1 };

_Static_assert(sizeof(struct tree_header) == 96, "as docs/FORMAT.md says");

size_t tree_size(uint32_t words)
{
	return sizeof(struct tree_header) + (size_t)words * sizeof(uint32_t);
}

size_t tree_links_size(uint32_t words, bool calls)
{
	return ((size_t)words >> calls) * sizeof(struct tree_links);
}

uint32_t place_put(uint32_t *to, uint64_t where)
{
	uint64_t object = where >> 48, address = where & (((uint64_t)1 << 48) - 1);

	if (object && object < TREE_LONG && !(address >> PLACE_BITS)) {
		to[0] = (uint32_t)(object << PLACE_BITS | address);
		return 1;
	}
	to[0] = (uint32_t)TREE_LONG << PLACE_BITS;
	to[1] = (uint32_t)where;
	to[2] = (uint32_t)(where >> 32);
	return 3;
}

/*
 * Has the memory of the links of a page's words at once, which takes less time than a fault for
 * each of its pages.
 */
static void have_links(struct tree *t, const char *page)
{
	uint32_t first = (uint32_t)((uintptr_t)(page - (const char *)t->words) / sizeof(uint32_t));
	uint32_t n = PAGE / sizeof(uint32_t);
	uintptr_t low = (uintptr_t)tree_link(t, first) & -(uintptr_t)PAGE;

	if (first + n < t->header->capacity)
		sys_populate((void *)low, (n >> t->calls) * sizeof *t->links);
}

/* Gives room to the words before one; false if there is none in the file. */
static bool make_room(struct tree *t, uint32_t end)
{
	char *base = (char *)((uintptr_t)t->header & -(uintptr_t)PAGE);
	const uint32_t pages = (uint32_t)(((char *)&t->words[end] - base + PAGE - 1) / PAGE);
	uint32_t roomy = atomic_load_explicit(&t->roomy, memory_order_relaxed);

	while (t->room && pages > roomy) {
		if (!t->room(base + (size_t)roomy * PAGE))
			return false;
		if (!atomic_compare_exchange_strong(&t->roomy, &roomy, roomy + 1))
			continue;
		have_links(t, base + (size_t)roomy++ * PAGE);
	}
	return true;
}

/*
 * Who writes the head at the end has the words behind it, and whoever sees it goes on behind them,
 * so that nobody waits for a thread that was interrupted.
 */
uint32_t chunk_append(struct tree *t, uint32_t parent, uint32_t length)
{
	uint32_t at = atomic_load(&t->header->count);

	for (;;) {
		const uint32_t here = at;
		uint32_t there = 0;
		bool ours;

		if (here + length > t->header->capacity || !make_room(t, here + length))
			return 0;
		ours = atomic_compare_exchange_strong((_Atomic uint32_t *)&t->words[here], &there,
						      length << CHUNK_BITS | parent);
		if (ours)
			there = length << CHUNK_BITS;
		if (atomic_compare_exchange_strong(&t->header->count, &at, here + (there >> CHUNK_BITS)))
			at = here + (there >> CHUNK_BITS);
		if (ours)
			return here;
	}
}

bool tree_text(struct tree *t, const char *text, size_t n)
{
	uint32_t first = 0;

	while (n) {
		size_t bytes = n < TEXT_WORDS * sizeof(uint32_t) ? n : TEXT_WORDS * sizeof(uint32_t);
		uint32_t words = (uint32_t)((bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t));
		uint32_t at = chunk_append(t, TREE_TEXT, 1 + words);

		if (!at)
			break;
		if (!first)
			first = at;
		for (size_t i = 0; i < bytes; i++)
			((volatile char *)&t->words[at + 1])[i] = text[i];
		text += bytes;
		n -= bytes;
	}
	/* NULs are no text. */
	for (uint32_t at = first, end = atomic_load(&t->header->count); n && at &&
	     at < end; at += t->words[at] >> CHUNK_BITS)
		for (uint32_t i = 1; (t->words[at] & TREE_TEXT) == TREE_TEXT && i < t->words[at] >> CHUNK_BITS; i++)
			t->words[at + i] = 0;
	return !n;
}
