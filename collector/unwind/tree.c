#include "chunks.h"
#include "lasting.h"
#include "thread.h"

enum { ROOT = 2 };

#define AGAIN UINT32_MAX /* another thread was first */

_Static_assert(sizeof(((struct unwind_thread *)0)->chain) / sizeof(uint32_t) + 2 <= TREE_CHUNK,
	       "a chain fits in a chunk");

/* Lets nodes hang below a parent, by a link that is 0: the first of them; 0 if there's no room. */
static uint32_t hang(struct tree *t, uint32_t parent, uint32_t *link, const uint32_t *chain, uint32_t n)
{
	uint32_t at = tree_full(t) ? 0 : chunk_append(t, parent, n + 2), end = at + 1 + n, last = 0, none = 0;

	if (!at)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		t->words[at + 1 + i] = chain[i];
	for (uint32_t i = at + 1; i < end; i = place_end(t->words, i) + t->calls) {
		if (last)
			tree_link(t, last)->child = i;
		last = i;
	}
	tree_link(t, last)->self = end;
	if (atomic_compare_exchange_strong((_Atomic uint32_t *)link, &none, at + 1))
		return at + 1;
	/* Nothing leads to ours, and its parent 0 says so. */
	t->words[at] = (n + 2) << CHUNK_BITS;
	return AGAIN;
}

bool tree_make(struct tree *t, void *mapping, void *links, uint32_t words, bool calls, bool (*room)(void *page))
{
	static const char magic[16] = "PCTtree4";
	uint32_t chain[4] = { 0 }, root = 0, n = place_put(chain, place_of(TREE_ROOT, 0));

	if (room && !room(mapping))
		return false;
	*t = (struct tree){ .header = mapping, .links = links, .calls = calls, .room = room };
	t->words = (uint32_t *)(t->header + 1);
	atomic_store(&t->roomy, 1);
	t->header->header = sizeof *t->header;
	t->header->calls = calls;
	t->header->capacity = words < TREE_WORDS_MOST ? words : TREE_WORDS_MOST;
	atomic_store(&t->header->count, 1);
	if (hang(t, 0, &root, chain, n + calls) != ROOT)
		return false;
	atomic_thread_fence(memory_order_release);
	for (unsigned i = 0; i < sizeof magic; i++)
		((volatile char *)t->header->magic)[i] = magic[i];
	return true;
}

static uint32_t hash(uint64_t where)
{
	return (uint32_t)(where * 0x9e3779b97f4a7c15 >> 32);
}

static uint32_t follow(const uint32_t *link)
{
	return atomic_load_explicit((const _Atomic uint32_t *)link, memory_order_acquire);
}

/* The child of a node at a place; 0 if there is none: then the link that it would hang by. */
static uint32_t find(const struct tree *t, uint32_t parent, uint64_t where, uint32_t **link)
{
	uint32_t order = hash(where), n;

	for (*link = &tree_link(t, parent)->child; (n = follow(*link));) {
		uint64_t there = place_get(&t->words[n]);
		uint32_t theirs = hash(there);

		if (there == where)
			return n;
		if (order < theirs || (order == theirs && where < there))
			*link = &tree_link(t, n)->left;
		else
			*link = &tree_link(t, n)->right;
	}
	return 0;
}

/* The same; made if it is not there; 0 if there's no room. */
static uint32_t child(struct tree *t, uint32_t parent, uint64_t where)
{
	uint32_t chain[4] = { 0 }, length = place_put(chain, where) + t->calls, n, *link;

	do {
		n = find(t, parent, where, &link);
		if (!n)
			n = hang(t, parent, link, chain, length);
	} while (n == AGAIN);
	return n;
}

uint32_t tree_root(struct tree *t, uint64_t number)
{
	return child(t, ROOT, place_of(TREE_ROOT, number));
}

static uint64_t place_of_frame(struct unwind_thread *thread, const struct unwind_frame *f)
{
	uint64_t address = unwind_address(f);
	const struct unwind_object *o = unwind_object_at(thread, address);

	return o ? place_of(o->id, address - o->bias) : place_of(0, address);
}

/*
 * Finds the nodes of a path's frames from one on, or makes them, below that of the frame
 * before; the last one's; 0 if there's no room.
 */
static uint32_t descend(struct tree *t, uint32_t n, struct unwind_thread *thread, struct unwind_path *path,
			uint32_t from)
{
	enum { ROOM = sizeof thread->chain / sizeof *thread->chain };

	for (uint32_t k = from; n && k < path->count;) {
		struct unwind_frame *f = &path->frames[k];
		uint64_t where = place_of_frame(thread, f);
		uint32_t *link, found = find(t, n, where, &link), length = 0, end = k;

		if (found) {
			f->node = n = found;
			k++;
			continue;
		}
		/* All that is below a new node is new. */
		while (end < path->count && length + 4 <= ROOM) {
			if (end > k)
				where = place_of_frame(thread, &path->frames[end]);
			path->frames[end++].node = length;
			length += place_put(&thread->chain[length], where);
			if (t->calls)
				thread->chain[length++] = 0;
		}
		found = hang(t, n, link, thread->chain, length);
		if (found == AGAIN)
			continue;
		for (; k < end; k++)
			path->frames[k].node += found;
		n = found ? path->frames[end - 1].node : 0;
	}
	return n;
}

/* The counter of a node; NULL if there's no room. */
static uint32_t *counter(struct tree *t, uint32_t n)
{
	uint32_t self = follow(&tree_link(t, n)->self), none = 0;

	if (!self) {
		/* Of two that are made at once one stays 0. */
		self = tree_full(t) ? 0 : chunk_append(t, n, 2) + 1;
		if (self <= 1)
			return NULL;
		if (!atomic_compare_exchange_strong((_Atomic uint32_t *)&tree_link(t, n)->self, &none, self))
			self = none;
	}
	return &t->words[self];
}

/* Adds to a counter; false if it is full. */
static bool count(uint32_t *counter, uint32_t n)
{
	_Atomic uint32_t *c = (_Atomic uint32_t *)counter;
	uint32_t old = atomic_load_explicit(c, memory_order_relaxed);

	do {
		if (old > UINT32_MAX - n) {
			atomic_store_explicit(c, UINT32_MAX, memory_order_relaxed);
			return false;
		}
	} while (!atomic_compare_exchange_weak_explicit(c, &old, old + n, memory_order_relaxed, memory_order_relaxed));
	return true;
}

static void add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* What kind of path it is, as a node between its root and its outermost frame; 0: a whole one. */
static uint64_t kind(const struct unwind_path *path)
{
	if (path->end != UNWIND_COMPLETE)
		return place_of(TREE_PARTIAL, path->end);
	return path->guessed ? place_of(TREE_GUESSED, 0) : 0;
}

bool tree_add(struct tree *t, uint32_t root, struct unwind_thread *thread, struct unwind_path *path, uint32_t weight,
	      uint32_t looks)
{
	uint32_t i = path->common, n, *self;
	uint64_t what = kind(path);

	/*
	 * Below a node that tells what kind of path it is, nothing is known from paths of another
	 * kind.
	 */
	if (what != thread->kind || root != thread->root || (i && !path->frames[i - 1].node))
		i = 0;
	thread->kind = what;
	thread->root = root;
	if (i)
		n = path->frames[i - 1].node;
	else
		n = what && root ? child(t, root, what) : root;
	n = descend(t, n, thread, path, i);
	self = n ? counter(t, n) : NULL;
	if (!self) {
		lasting_forget(thread, path);
		unwind_forget(thread);
		add(&t->header->lost, 1);
		return false;
	}
	if (t->calls && path->end == UNWIND_COMPLETE)
		lasting_count(t, thread, path, weight, looks);
	if (!count(self, weight))
		add(&t->header->saturated, 1);
	add(&t->header->samples, 1);
	add(&t->header->weight, weight);
	add(&t->header->frames, path->count);
	add(&t->header->fresh, path->count - i);
	if (path->end != UNWIND_COMPLETE)
		add(&t->header->partial, 1);
	else if (path->guessed)
		add(&t->header->guessed, 1);
	return true;
}
