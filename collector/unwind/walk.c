#include "activations.h"
#include "thread.h"
#include "trampoline.h"

/* How often the stack pointer may go down on the way out, as where a program changes stacks. */
enum { BACKWARD = 64 };

bool unwind_start(void)
{
	return objects_start() && recipes_start();
}

/*
 * Whether a return address, read by a frame that is left with this stack pointer, is the thread's
 * mark.
 */
static bool meets_mark(struct unwind_thread *t, uint64_t pc, uint64_t sp)
{
	if (__builtin_expect(!trampoline_is(pc), 1) || !t->mark || t->mark->slot != sp - 8)
		return false;
	return t->met = true;
}

/*
 * Whether the frames from known[i] out are what they were, given that known[i] is: what they
 * are left by follows from their registers, so that only what was read of the stack is to be
 * compared. Returns the last frame that is known to be right; it is the outermost if
 * *whole is set.
 */
static uint32_t verify(struct unwind_thread *t, uint32_t i, bool *whole)
{
	struct unwind_frame next;
	enum outcome outcome;
	uint64_t ra, fp;

	for (; i > 0; i--) {
		struct unwind_frame *f = &t->known[i];
		const struct unwind_frame *outer = f - 1;

		if (__builtin_expect(f->flags & UNWIND_SIMPLE, 1)) {
			if (!memory_load(&t->memory, outer->sp + 8 * (uint64_t)(int64_t)f->ra_slot, &ra))
				return i;
			if (ra != outer->pc) {
				/*
				 * What returns through the mark has not returned since the path
				 * before, nor has what is around it.
				 */
				if (!meets_mark(t, ra, outer->sp) || t->mark->at != i)
					return i;
				*whole = true;
				return 0;
			}
			if (f->fp_slot ? !memory_load(&t->memory, outer->sp + 8 * (uint64_t)(int64_t)f->fp_slot,
						      &fp) || fp != outer->fp
				       : f->fp != outer->fp)
				return i;
			continue;
		}
		outcome = thread_leave(t, t->fresh_count + t->joinable - 2 - i, &next);
		if (outcome != LEFT || next.pc != outer->pc || next.sp != outer->sp || next.fp != outer->fp ||
		    (!(outer->flags & UNWIND_SIGNAL) && (next.flags ^ outer->flags) & UNWIND_EXACT))
			return i;
	}
	outcome = thread_leave(t, t->fresh_count + t->joinable - 2, &next);
	/*
	 * What the first function of a context returns to was the end, and is the same: behind it
	 * is anything.
	 */
	*whole = outcome == AT_END || (outcome == LEFT && !next.pc && !(t->known[0].flags & UNWIND_SIGNAL)) ||
		(t->known_count > 1 && (t->known[0].flags & (UNWIND_EXACT | UNWIND_SIGNAL)) == UNWIND_EXACT);
	return 0;
}

/*
 * Tries to join the frame that was found last with the path before; true if all from there
 * out is known. Else the frames that are right are among those found.
 */
static bool join(struct unwind_thread *t)
{
	const struct unwind_frame *f = &t->fresh[t->fresh_count - 1], *k;
	bool whole = false;
	uint32_t last;

	while (t->joinable && (t->known[t->joinable - 1].sp < f->sp ||
			       (t->known[t->joinable - 1].sp == f->sp &&
				t->known[t->joinable - 1].flags & UNWIND_EXACT)))
		t->joinable--;
	if (!t->joinable)
		return false;
	k = &t->known[t->joinable - 1];
	if (k->sp != f->sp || k->pc != f->pc || k->fp != f->fp || f->flags & UNWIND_EXACT)
		return false;
	last = verify(t, t->joinable - 1, &whole);
	if (whole)
		return true;
	while (t->joinable - 1 > last && t->fresh_count < t->capacity) {
		t->joinable--;
		t->fresh[t->fresh_count] = t->known[t->joinable - 1];
		t->fresh[t->fresh_count++].node = 0; /* it is in another context */
	}
	t->joinable = last;
	return false;
}

/* The recipe of most frames, else thread_leave. */
static inline enum outcome leave(struct unwind_thread *t, struct unwind_frame *f, struct unwind_frame *next)
{
	const struct recipe *r = thread_recipe(t, f);
	uint64_t cfa;

	if (__builtin_expect(r->kind == RECIPE_SP, 1))
		cfa = f->sp + (uint64_t)(int64_t)r->offset;
	else if (r->kind == RECIPE_FP)
		cfa = f->fp + (uint64_t)(int64_t)r->offset;
	else
		return thread_leave(t, t->fresh_count - 1, next);
	if (__builtin_expect(r->flags || r->fp == 0, 0))
		return thread_leave(t, t->fresh_count - 1, next);
	next->sp = cfa;
	next->node = 0;
	next->flags = 0;
	if (!memory_load(&t->memory, cfa + 8 * (uint64_t)(int64_t)r->ra, &next->pc))
		return BAD_MEMORY;
	f->flags |= UNWIND_SIMPLE;
	f->ra_slot = r->ra;
	f->fp_slot = 0;
	next->fp = f->fp;
	if (r->fp != NOT_SAVED) {
		f->fp_slot = r->fp;
		if (!memory_load(&t->memory, cfa + 8 * (uint64_t)(int64_t)r->fp, &next->fp))
			return BAD_MEMORY;
	}
	return LEFT;
}

/* Joins the frame that was found last, which is known[n - 1]. */
static enum unwind_end join_at(struct unwind_thread *t, uint32_t n, bool *joined)
{
	t->joinable = n;
	if (n - 1 > t->capacity - t->fresh_count)
		return UNWIND_TOO_DEEP;
	*joined = true;
	return UNWIND_COMPLETE;
}

/*
 * The stub is at work in the frame that was found last: where it goes on is known, though not how
 * far it has come. One frame may be missing.
 */
static enum unwind_end join_stub(struct unwind_thread *t, bool *joined)
{
	uint32_t n = !t->mark ? 0 : t->mark->slot ? t->mark->at : t->mark->live;

	t->in_stub = true;
	if (!n || n > t->known_count)
		return UNWIND_NO_RECIPE;
	t->fresh[t->fresh_count - 1] = t->known[n - 1];
	return join_at(t, n, joined);
}

static enum unwind_end walk(struct unwind_thread *t, bool *joined)
{
	uint32_t backward = 0;

	for (;;) {
		struct unwind_frame *f, *next;

		if (t->joinable && t->fresh_count > 1 && join(t))
			return join_at(t, t->joinable, joined);
		f = &t->fresh[t->fresh_count - 1];
		if (__builtin_expect(trampoline_holds(f->pc), 0))
			return join_stub(t, joined);
		next = f + 1;
		if (t->fresh_count == t->capacity)
			return UNWIND_TOO_DEEP;
		switch (leave(t, f, next)) {
		case AT_END:
			return UNWIND_COMPLETE;
		case NO_CODE:
			if (t->fresh_count > 1)
				t->fresh_count--; /* what led here was wrong */
			return UNWIND_NO_RECIPE;
		case NO_RECIPE:
			return UNWIND_NO_RECIPE;
		case BAD_MEMORY:
			return UNWIND_BAD_MEMORY;
		default:
			break;
		}
		if (__builtin_expect(trampoline_is(next->pc), 0)) {
			if (meets_mark(t, next->pc, next->sp) && t->mark->at && t->mark->at <= t->known_count) {
				*next = t->known[t->mark->at - 1];
				t->fresh_count++;
				return join_at(t, t->mark->at, joined);
			}
			if (!trampoline_original(next->sp - 8, &next->pc))
				return UNWIND_NO_RECIPE;
		}
		if (!next->pc && !(f->flags & UNWIND_SIGNAL))
			return UNWIND_COMPLETE;
		if (__builtin_expect(next->sp <= f->sp, 0)) {
			if (++backward > BACKWARD || (next->sp == f->sp && next->pc == f->pc))
				return UNWIND_LOOP;
		}
		t->fresh_count++;
	}
}

/* A path that has no end is as it was found: what is known stays so. */
static void give_partial(struct unwind_thread *t, struct unwind_path *path)
{
	for (uint32_t i = 0, k = t->fresh_count - 1; i < k; i++, k--) {
		struct unwind_frame f = t->fresh[i];

		t->fresh[i] = t->fresh[k];
		t->fresh[k] = f;
	}
	path->frames = t->fresh;
	path->count = t->fresh_count;
	path->common = 0;
	path->guessed = false;
}

/* The path that was found becomes the one that is known. */
static void keep(struct unwind_thread *t, struct unwind_path *path, bool joined)
{
	struct unwind_frame *to = t->known;
	uint32_t n = t->fresh_count;

	if (joined) {
		to += t->joinable;
		n--;
		path->common = t->joinable;
	} else {
		path->common = 0;
	}
	path->count = path->common + n;
	if (t->mark)
		t->alike = activations_alike(t, path->common, n);
	for (uint32_t i = 0; i < n; i++)
		to[i] = t->fresh[n - 1 - i];
	path->frames = t->known;
	if (t->guessed >= path->common)
		t->guessed = UINT32_MAX;
	for (uint32_t i = path->common; i < path->count && t->guessed == UINT32_MAX; i++)
		if (t->known[i].flags & UNWIND_GUESS)
			t->guessed = i;
	path->guessed = t->guessed != UINT32_MAX;
	t->known_count = path->count;
}

void unwind_path(struct unwind_thread *t, const ucontext_t *context, struct unwind_path *path)
{
	bool joined = false;

	objects_enter(&t->view);
	if (t->view.epoch != t->epoch) {
		t->epoch = t->view.epoch;
		t->known_count = 0;
	}
	t->context = context;
	t->nesting = 0;
	t->unknown = 0;
	t->joinable = t->known_count;
	t->fresh_count = 1;
	t->fresh[0] = (struct unwind_frame){
		.pc = machine_context(context, MACHINE_REGISTERS),
		.sp = machine_context(context, MACHINE_SP),
		.fp = machine_context(context, MACHINE_FP),
		.flags = UNWIND_EXACT,
	};
	memory_begin(&t->memory, t->fresh[0].sp, (uintptr_t)context->uc_stack.ss_sp, context->uc_stack.ss_size);
	t->met = t->in_stub = false;
	path->kept = 0;
	path->end = walk(t, &joined);
	if (path->end != UNWIND_COMPLETE) {
		give_partial(t, path);
		if (t->mark)
			path->kept = path->count;
	} else {
		keep(t, path, joined);
		if (t->mark)
			path->kept = activations_kept(t, path);
	}
	path->unknown = t->unknown;
}

void unwind_done(struct unwind_thread *t)
{
	objects_leave(&t->view);
}
