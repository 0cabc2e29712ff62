#include "tree.h"
#include "thread.h"

#include <stdatomic.h>

enum { HEADER = 240, PAGE = 4096, ROOT = 1, SHORT = 16, LONG = 24 };

_Static_assert(sizeof(struct tree_node) == LONG && offsetof(struct tree_node, calls) == SHORT, "nodes are an array in a file");
_Static_assert(sizeof(struct tree_header) <= HEADER && HEADER % SHORT == 0 && HEADER % LONG == 0, "no counter lies in two pages");

size_t tree_size(uint32_t nodes, bool calls)
{
	return HEADER + (size_t)nodes * (calls ? LONG : SHORT);
}

size_t tree_links_size(uint32_t nodes)
{
	return (size_t)nodes * sizeof(struct tree_links);
}

static uint64_t place(uint32_t object, uint64_t address)
{
	return (uint64_t)object << 48 | (address & (((uint64_t)1 << 48) - 1));
}

/* Gives room to a node; false if there is none in the file. */
static bool make_room(struct tree *t, uint32_t node)
{
	uint32_t roomy = atomic_load_explicit(&t->roomy, memory_order_relaxed);
	const uint32_t last = (uint32_t)((HEADER + ((size_t)node + 1) * t->node - 1) / PAGE);

	while (last >= roomy) {
		if (!t->room((char *)t->header + (size_t)roomy * PAGE))
			return false;
		if (atomic_compare_exchange_strong(&t->roomy, &roomy, roomy + 1))
			roomy++;
	}
	return true;
}

/* A new node that nothing leads to yet; 0 if there's no room. */
static uint32_t new_node(struct tree *t, uint32_t parent, uint64_t where)
{
	uint32_t n;

	if (atomic_load_explicit(&t->header->count, memory_order_relaxed) >= t->header->capacity)
		return 0;
	n = atomic_fetch_add(&t->header->count, 1);
	if (n >= t->header->capacity || (t->room && !make_room(t, n)))
		return 0;
	tree_node(t, n)->where = where;
	tree_node(t, n)->parent = parent;
	return n;
}

bool tree_make(struct tree *t, void *mapping, void *links, uint32_t nodes, bool calls, bool (*room)(void *page))
{
	static const char magic[16] = "PCTtree2";

	if (room && !room(mapping))
		return false;
	t->header = mapping;
	t->nodes = (char *)mapping + HEADER;
	t->node = calls ? LONG : SHORT;
	t->links = links;
	t->room = room;
	atomic_store(&t->roomy, 1);
	t->header->header = HEADER;
	t->header->node = t->node;
	t->header->capacity = nodes < TREE_NODE_MOST ? nodes : TREE_NODE_MOST;
	atomic_store(&t->header->count, ROOT);
	if (!new_node(t, 0, place(TREE_ROOT, 0)))
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

/* The child of a node at a place; made if it is not there; 0 if there's no room. */
static uint32_t child(struct tree *t, uint32_t parent, uint64_t where)
{
	uint32_t *link = &t->links[parent].child, own = 0, order = hash(where);

	for (;;) {
		uint32_t n = follow(link), theirs;

		if (!n) {
			uint32_t none = 0;

			if (!own && !(own = new_node(t, parent, where)))
				return 0;
			if (atomic_compare_exchange_strong((_Atomic uint32_t *)link, &none, own))
				return own;
			n = none;
		}
		if (tree_node(t, n)->where == where) {
			/* Another thread was first: nothing leads to ours, whose parent 0 says so. */
			if (own)
				tree_node(t, own)->parent = 0;
			return n;
		}
		theirs = hash(tree_node(t, n)->where);
		link = order < theirs || (order == theirs && where < tree_node(t, n)->where) ? &t->links[n].left : &t->links[n].right;
	}
}

uint32_t tree_root(struct tree *t, uint64_t number)
{
	return child(t, ROOT, place(TREE_ROOT, number));
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
		return place(TREE_PARTIAL, path->end);
	return path->guessed ? place(TREE_GUESSED, 0) : 0;
}

bool tree_add(struct tree *t, uint32_t root, struct unwind_thread *thread, struct unwind_path *path, uint32_t weight)
{
	uint32_t i = path->common, n;
	uint64_t what = kind(path);

	/* Below a node that tells what kind of path it is, nothing is known from paths of another kind. */
	if (what != thread->kind || root != thread->root || (i && !path->frames[i - 1].node))
		i = 0;
	thread->kind = what;
	thread->root = root;
	if (i)
		n = path->frames[i - 1].node;
	else
		n = what && root ? child(t, root, what) : root;
	for (uint32_t k = i; n && k < path->count; k++) {
		struct unwind_frame *f = &path->frames[k];
		uint64_t address = unwind_address(f);
		const struct unwind_object *o = unwind_object_at(thread, address);

		n = child(t, n, o ? place(o->id, address - o->bias) : place(0, address));
		f->node = n;
	}
	if (!n) {
		unwind_forget(thread);
		add(&t->header->lost, 1);
		return false;
	}
	for (uint32_t k = path->kept; t->node == LONG && k < path->count; k++)
		count(&tree_node(t, path->frames[k].node)->calls, 1);
	if (!count(&tree_node(t, n)->self, weight))
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
