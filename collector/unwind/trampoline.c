#ifdef __x86_64__

/* The stub leaves the other registers as they are. */
#pragma GCC target("general-regs-only")

#include "trampoline.h"
#include "linked.h"
#include "marking.h"
#include "peculiar.h"
#include "../sys.h"

#include <dlfcn.h>

enum { SHADOW_STACK_STATUS = 0x5005 };

bool trampoline_original(uintptr_t slot, uint64_t *original)
{
	return mark_find(slot, original) != NULL;
}

/* Gives a slot its return address back, if the stub's still stands there. */
static bool restore(uintptr_t slot, uint64_t original)
{
	uint64_t expected = mark_stub();

	return __atomic_compare_exchange_n(mark_word(slot), &expected, original, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

bool trampoline_take(struct mark *m)
{
	uintptr_t slot = m->slot;
	const struct memory *memory = &m->thread->memory;
	uint64_t there;

	if ((slot >= memory->own_low && slot < memory->own_high) ||
	    (memory_peek(slot, &there, sizeof there) && there == mark_stub()))
		return restore(slot, m->original);
	return false;
}

void trampoline_clear(struct mark *m)
{
	if (!m->slot)
		return;
	trampoline_take(m);
	m->slot = 0;
}

bool unwind_counted(void)
{
	return trampoline_mine != NULL;
}

/* Whether an address is on the thread's own stack, not below sp. */
static bool on_own_stack(const struct mark *m, uintptr_t at, uintptr_t sp)
{
	return at >= sp && sp >= m->thread->memory.own_low && at < m->thread->memory.own_high;
}

bool trampoline_own_stack(uintptr_t sp, uintptr_t at)
{
	return trampoline_mine && on_own_stack(trampoline_mine, at, sp);
}

/* What unwind_landed does while no handler changes the mark. */
static void land(struct mark *m, uintptr_t sp)
{
	const struct unwind_frame *known = m->thread->known;
	uintptr_t slot = m->slot;
	uint32_t i = m->live;

	/* A mark that is on another stack is left to the next sample. */
	if (!on_own_stack(m, sp, sp) || (slot && !on_own_stack(m, slot, m->thread->memory.own_low)))
		return;
	do {
		if (i-- <= 1)
			return;
	} while (mark_slot(&known[i - 1]) < sp);
	if (!on_own_stack(m, mark_slot(&known[i - 1]), sp))
		return;
	m->live = i + 1;
	if (slot >= sp)
		return;
	if (slot)
		trampoline_clear(m);
	mark_set(m, i, 1);
}

void unwind_landed(uintptr_t sp)
{
	struct mark *m = trampoline_mine;

	if (__builtin_expect(!m, 1))
		return;
	/*
	 * What is at work further out goes on: another mark would be lost. Further in, it does not
	 * go on any more.
	 */
	if (m->busy >= sp)
		return;
	m->busy = (uintptr_t)__builtin_frame_address(0);
	atomic_signal_fence(memory_order_seq_cst);
	land(m, sp);
	atomic_signal_fence(memory_order_seq_cst);
	m->busy = 0;
}

enum unwind_counting unwind_count_start(void)
{
	uint64_t status = 0;

	if (sys2(SYS_arch_prctl, SHADOW_STACK_STATUS, &status) == 0 && status & 1)
		return UNWIND_SHADOW_STACK;
	/*
	 * OCaml's run-time system looks up return addresses of its own, and does not put up with
	 * others.
	 */
	if (dlsym(RTLD_DEFAULT, "caml_frametable"))
		return UNWIND_OCAML;
	peculiar_find();
	return UNWIND_COUNTS;
}

bool unwind_count(struct unwind_thread *t)
{
	for (uint32_t i = 0; i < MARKS; i++) {
		bool taken = false;
		uint32_t used = atomic_load(&trampoline_marks_used);

		if (!atomic_compare_exchange_strong(&trampoline_marks[i].taken, &taken, true))
			continue;
		while (used <= i && !atomic_compare_exchange_weak(&trampoline_marks_used, &used, i + 1))
			;
		trampoline_marks[i].at = trampoline_marks[i].live = 0;
		trampoline_marks[i].thread = t;
		trampoline_marks[i].busy = 0;
		trampoline_mine = t->mark = &trampoline_marks[i];
		return true;
	}
	return false;
}

void unwind_count_ends(struct unwind_thread *t)
{
	struct mark *m = t->mark;

	if (!m)
		return;
	trampoline_clear(m);
	trampoline_mine = t->mark = NULL;
	atomic_store(&m->taken, false);
}

struct unwind_thread *unwind_count_forked(void)
{
	struct unwind_thread *at_work = NULL;
	uint32_t n = atomic_load(&trampoline_marks_used);

	for (uint32_t i = 0; i < n; i++) {
		struct mark *m = &trampoline_marks[i];

		if (!atomic_load(&m->taken))
			continue;
		if (m == trampoline_mine && m->busy) {
			at_work = m->thread;
			continue;
		}
		trampoline_clear(m);
		m->thread->mark = NULL;
		atomic_store(&m->taken, false);
	}
	if (!at_work)
		trampoline_mine = NULL;
	return at_work;
}

void unwind_mark(struct unwind_thread *t, const struct unwind_path *path)
{
	struct mark *m = t->mark;
	uint32_t from, to;
	uintptr_t old;
	uint64_t original;

	if (!m || path->end != UNWIND_COMPLETE || t->in_stub || m->busy)
		return;
	m->live = path->count;
	old = m->slot;
	original = m->original;
	to = old ? m->at + 1 : 1;
	from = path->count - 1;
	for (uint32_t i = to; i < path->count; i++)
		if (path->frames[i].flags & UNWIND_GUESS)
			return;
	for (uint32_t i = old ? m->at : 0; i < path->count; i++) {
		const struct unwind_object *o = unwind_object_at(t, unwind_address(&path->frames[i]));

		if (!o || o->unwinder || linked_holds(unwind_address(&path->frames[i])))
			return;
	}
	if (from && peculiar_holds(path->frames[from].pc))
		from--;
	if (from >= to && mark_set(m, from, to) && old)
		restore(old, original);
}

#endif
