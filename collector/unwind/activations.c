#include "activations.h"
#include "linked.h"
#include "trampoline.h"

/*
 * Whether what begins at an address begins as functions do, with nothing but the return address on
 * the stack.
 */
static bool begins_function(struct unwind_thread *t, uintptr_t start)
{
	const struct recipe *r = recipes_at(&t->work, &t->view, start, &t->spare);

	return start && r->kind == RECIPE_SP && r->offset == (int32_t)sizeof(uint64_t);
}

/* Functions may have a second part elsewhere. */
bool activations_same_function(struct unwind_thread *t, uintptr_t a, uintptr_t b)
{
	const struct object *o = objects_find(&t->view, a);
	uintptr_t first, second;

	if (a == b)
		return true;
	if (!o || objects_find(&t->view, b) != o)
		return false;
	first = cfi_start(&t->view, o, a);
	second = cfi_start(&t->view, o, b);
	return first == second || !begins_function(t, first) || !begins_function(t, second);
}

uint32_t activations_alike(struct unwind_thread *t, uint32_t common, uint32_t n)
{
	const uint32_t live = t->mark->live, most = common + n < live ? common + n : live;
	uint32_t i = common;

	if (most <= common)
		return most;
	while (i < most && t->known[i].sp == t->fresh[common + n - 1 - i].sp &&
	       t->known[i].pc == t->fresh[common + n - 1 - i].pc)
		i++;
	return i + (i < most && activations_same_function(t, unwind_address(&t->known[i]),
							  unwind_address(&t->fresh[common + n - 1 - i])));
}

/* The frame of the known ones that returns through the mark; 0 if none does. */
static uint32_t marked(const struct unwind_thread *t)
{
	uint32_t i = t->mark->at;
	uintptr_t sp = t->mark->slot + 8;

	if (i && i < t->known_count && t->known[i - 1].sp == sp)
		return i;
	for (i = t->known_count - 1; i > 0 && t->known[i - 1].sp != sp; i--)
		;
	return i;
}

/* Whether frames are in code that unwinds or copies stacks: what was marked may come back. */
static bool moves_stacks(struct unwind_thread *t, const struct unwind_path *path)
{
	for (uint32_t i = 0; i < path->count; i++) {
		const struct unwind_object *o = unwind_object_at(t, unwind_address(&path->frames[i]));

		if ((o && o->unwinder) || linked_holds(unwind_address(&path->frames[i])))
			return true;
	}
	return false;
}

uint32_t activations_kept(struct unwind_thread *t, const struct unwind_path *path)
{
	struct mark *m = t->mark;
	uint32_t kept = t->alike;

	if (t->in_stub) {
		kept = path->common;
	} else if (t->met) {
		m->at = marked(t);
		if (!m->at || !activations_same_function(t, m->pc, unwind_address(&path->frames[m->at])))
			kept = m->at;
		else if (kept <= m->at)
			kept = m->at + 1;
		m->pc = unwind_address(&path->frames[m->at]);
	} else {
		m->at = 0;
		if (m->slot && !m->busy && !moves_stacks(t, path))
			trampoline_clear(m);
	}
	return m->live = kept;
}
