#include "lasting.h"
#include "activations.h"
#include "chunks.h"
#include "thread.h"

/* How an activation follows another one of the same function in the same context. */
enum { APART, NEXT /* the sample before was in that */, NEAR /* the one before that was */ };

static void add(uint32_t *counter, uint32_t n)
{
	_Atomic uint32_t *c = (_Atomic uint32_t *)counter;
	uint32_t old = atomic_load_explicit(c, memory_order_relaxed);

	while (!atomic_compare_exchange_weak_explicit(c, &old, old > UINT32_MAX - n ? UINT32_MAX : old + n,
						      memory_order_relaxed,
						      memory_order_relaxed))
		;
}

static void take_off(uint32_t *counter, uint32_t n)
{
	_Atomic uint32_t *c = (_Atomic uint32_t *)counter;

	if (atomic_load_explicit(c, memory_order_relaxed) != UINT32_MAX)
		atomic_fetch_sub_explicit(c, n, memory_order_relaxed);
}

static void raise_to(uint32_t *most, uint32_t n)
{
	_Atomic uint32_t *m = (_Atomic uint32_t *)most;
	uint32_t old = atomic_load_explicit(m, memory_order_relaxed);

	while (old < n && !atomic_compare_exchange_weak_explicit(m, &old, n, memory_order_relaxed,
								 memory_order_relaxed))
		;
}

/*
 * The first word of a new record; 0 if there is no room. They come in chunks of many: what links
 * there are of their words stays untouched.
 */
static uint32_t record(struct tree *t)
{
	enum { WORDS = sizeof(struct tree_lasting) / sizeof(uint32_t), CHUNK = (TREE_CHUNK - 1) / WORDS * WORDS };
	uint64_t spare = atomic_load(&t->spare);

	for (;;) {
		uint32_t next = (uint32_t)spare, end = (uint32_t)(spare >> 32);

		if (next == end) {
			next = chunk_append(t, TREE_LASTING, 1 + CHUNK);
			if (!next++)
				return 0;
			end = next + CHUNK;
		}
		if (atomic_compare_exchange_strong(&t->spare, &spare, (uint64_t)end << 32 | (next + WORDS)))
			return next;
	}
}

/*
 * What a node has counted of activations seen more than once; made if it is not there; NULL if
 * there is no room.
 */
static struct tree_lasting *lasting(struct tree *t, uint32_t node)
{
	uint32_t *link = &tree_link(t, node)->lasting, none = 0;
	uint32_t at = atomic_load_explicit((_Atomic uint32_t *)link, memory_order_acquire);

	if (!at) {
		at = record(t);
		if (!at)
			return NULL;
		/* Of two that are made at once one stays 0. */
		if (atomic_compare_exchange_strong((_Atomic uint32_t *)link, &none, at))
			t->words[at] = node;
		else
			at = none;
	}
	return (struct tree_lasting *)&t->words[at];
}

/* An activation that had been seen so often is seen by `more`. */
static void see(struct tree *t, const struct unwind_thread *thread, const struct activation *a, uint32_t often,
		uint32_t more)
{
	const bool twice = often < 2 && often + more >= 2, thrice = often < 3 && often + more >= 3;
	struct tree_lasting *l = !a->uncounted && (twice || thrice) ? lasting(t, a->node) : NULL;

	if (!l)
		return;
	if (twice) {
		add(&l->twice, 1);
		if (often && thread->weight - a->began > often)
			take_off(&l->alone, thread->weight - a->began - often);
		if (a->follows != APART)
			add(a->follows == NEXT ? &l->next : &l->near, 1);
	}
	if (thrice)
		add(&l->thrice, 1);
}

/* An activation has ended that was seen so often. */
static void ended(struct tree *t, const struct unwind_thread *thread, const struct activation *a, uint32_t often)
{
	struct tree_lasting *l = !a->uncounted && often > 2 ? lasting(t, a->node) : NULL;

	if (l)
		raise_to(&l->most, thread->weight - a->began);
}

/*
 * Whether an activation that ended was still there at a sample, of the same function in the same
 * context.
 */
static bool was_there(struct unwind_thread *thread, const struct activation *a, uint32_t sample, uint32_t k,
		      uint64_t address)
{
	return a->node && a->last == sample && (k == 0 || thread->going[k - 1].first <= sample ||
						thread->going[k - 1].follows != APART) &&
	       activations_same_function(thread, a->address, address);
}

/*
 * Whether a frame is a signal's or that of its handler, whose end nothing tells: the mark can't be
 * there. Another run of the handler would look like the same.
 */
static bool unmarked(const struct unwind_path *path, uint32_t k)
{
	return (path->frames[k].flags | (k ? path->frames[k - 1].flags : 0)) & UNWIND_SIGNAL;
}

/* A sample weighs more than one, in a node itself. */
static void weigh(struct tree *t, uint32_t node, uint32_t weight)
{
	struct tree_lasting *l = lasting(t, node);

	if (!l)
		return;
	add(&l->heavy, 1);
	add(&l->heavier, weight);
	add(&l->squares, weight < UINT16_MAX ? weight * weight : UINT32_MAX);
}

/* The only sample of an activation so far weighs more than one. */
static void weigh_alone(struct tree *t, const struct activation *a, uint32_t more)
{
	struct tree_lasting *l = !a->uncounted && more ? lasting(t, a->node) : NULL;

	if (l)
		add(&l->alone, more);
}

void lasting_count(struct tree *t, struct unwind_thread *thread, const struct unwind_path *path, uint32_t weight,
		   uint32_t looks)
{
	const uint32_t now = thread->now, had = thread->going_count, kept = path->kept < had ? path->kept : had;
	const uint32_t end = path->count > had ? path->count : had;
	bool alike = true; /* all frames further out were there before, by functions */

	/* What was looked at already is all there. */
	if (!looks && (kept < had || kept < path->count))
		looks = 1;
	for (uint32_t k = kept; k-- > 0 && now - thread->going[k].first < 3;) {
		see(t, thread, &thread->going[k], now - thread->going[k].first, looks);
		if (!looks && now - thread->going[k].first == 1)
			weigh_alone(t, &thread->going[k], weight);
	}
	for (uint32_t k = kept; k < end; k++) {
		struct activation *old = &thread->going[k], *gone = &thread->gone[k];
		struct activation new = { .first = now, .began = thread->weight };

		if (k < had)
			ended(t, thread, old, now - old->first);
		if (k < path->count) {
			new.address = unwind_address(&path->frames[k]);
			new.node = path->frames[k].node;
			new.uncounted = unmarked(path, k);
			old->last = k < had ? thread->before : old->last;
			if (alike && k < had && was_there(thread, old, thread->before, k, new.address))
				new.follows = NEXT;
			else if (alike && was_there(thread, gone, thread->before_that, k, new.address))
				new.follows = NEAR;
			alike = new.follows != APART;
		}
		if (k < had) {
			*gone = *old;
			gone->last = thread->before;
		}
		*old = new;
		if (k < path->count && !new.uncounted) {
			add(&t->words[place_end(t->words, new.node)], 1);
			see(t, thread, old, 0, looks);
			if (looks == 1)
				weigh_alone(t, old, weight - looks);
		}
	}
	if (weight > 1 && looks <= 1)
		weigh(t, path->frames[path->count - 1].node, weight);
	thread->going_count = path->count;
	if (looks) {
		thread->before_that = thread->before;
		thread->before = now;
	}
	thread->now = now + looks;
	thread->weight += weight;
}

void lasting_forget(struct unwind_thread *thread, const struct unwind_path *path)
{
	if (path->end == UNWIND_COMPLETE && thread->going_count > path->kept)
		thread->going_count = path->kept;
}

void tree_thread_ends(struct tree *t, struct unwind_thread *thread)
{
	for (uint32_t k = 0; t->calls && k < thread->going_count; k++)
		ended(t, thread, &thread->going[k], thread->now - thread->going[k].first);
}
