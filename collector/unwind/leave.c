#include "context.h"
#include "expression.h"
#include "thread.h"

/* The CFA by its rule. */
static enum outcome row_cfa(struct unwind_thread *t, uint32_t depth, const struct rule *rule, uint64_t *cfa)
{
	if (rule->kind == RULE_REGISTER) {
		if (!thread_register(t, depth, rule->reg, cfa))
			return NO_RECIPE;
		*cfa += (uint64_t)(int64_t)rule->offset;
		return LEFT;
	}
	if (!thread_evaluate(t, depth, &(struct expression){ .at = rule->at, .length = rule->length }, cfa))
		return BAD_MEMORY;
	return LEFT;
}

/* By reading the call frame information again. */
static enum outcome leave_by_row(struct unwind_thread *t, uint32_t depth, struct unwind_frame *next)
{
	const struct unwind_frame *f = thread_frame(t, depth);
	const struct object *o = objects_find(&t->view, unwind_address(f));
	struct rule cfa, ra, fp, sp;
	enum outcome outcome;
	bool exact;
	uint64_t base;

	if (!o || !cfi_row(&t->work, &t->view, o, unwind_address(f)))
		return NO_RECIPE;
	/* What registers need of other frames is worked out in the same place. */
	cfa = t->work.row.cfa;
	ra = t->work.row.rules[ROW_RA];
	fp = t->work.row.rules[ROW_FP];
	sp = t->work.row.rules[ROW_SP];
	exact = t->work.row.signal || t->work.row.lands;
	*next = (struct unwind_frame){ .flags = exact ? UNWIND_EXACT : 0 };
	outcome = row_cfa(t, depth, &cfa, &base);
	if (outcome != LEFT)
		return outcome;
	next->sp = base;
	if (sp.kind > RULE_SAME && !thread_rule(t, depth, &sp, MACHINE_SP, base, &next->sp))
		return BAD_MEMORY;
	if (!thread_rule(t, depth, &fp, MACHINE_FP, base, &next->fp))
		next->fp = 0;
	/*
	 * Functions that have aligned their stack save fp where fp points. gcc lets that rule
	 * stand to their end, for two instructions after fp has been given back.
	 */
	if (fp.kind == RULE_EXPR && cfa.kind == RULE_REGISTER && cfa.reg != MACHINE_FP &&
	    (f->fp < f->sp || f->fp >= base))
		next->fp = f->fp;
	if (ra.kind == RULE_UNDEFINED)
		return AT_END;
	if (!MACHINE_RA_IN_REGISTER && ra.kind <= RULE_SAME)
		return NO_RECIPE;
	if (!thread_rule(t, depth, &ra, MACHINE_RA, base, &next->pc))
		return BAD_MEMORY;
	if (t->work.row.ra_signed)
		next->pc = machine_return_address(next->pc);
	return LEFT;
}

/* Works out the CFA of a recipe. */
static bool find_cfa(struct unwind_thread *t, uint32_t depth, const struct recipe *r, uint64_t *cfa)
{
	const struct unwind_frame *f = thread_frame(t, depth);
	uint64_t offset = (uint64_t)(int64_t)r->offset;

	switch (r->kind) {
	case RECIPE_SP:
		*cfa = f->sp + offset;
		return true;
	case RECIPE_FP:
		*cfa = f->fp + offset;
		return true;
	case RECIPE_LOAD:
		return memory_load(&t->memory, f->fp + offset, cfa);
	case RECIPE_OTHER:
		if (!thread_register(t, depth, r->reg, cfa))
			return false;
		*cfa += offset;
		return true;
	default:
		return thread_evaluate(t, depth, &(struct expression){ .at = r->at, .length = r->length }, cfa);
	}
}

bool thread_cfa(struct unwind_thread *t, uint32_t depth, uint64_t *cfa)
{
	const struct unwind_frame *f = thread_frame(t, depth);
	const struct recipe r = *thread_recipe(t, f);
	const struct object *o;
	struct rule rule;

	switch (r.kind) {
	case RECIPE_SP:
	case RECIPE_FP:
	case RECIPE_LOAD:
	case RECIPE_OTHER:
	case RECIPE_EXPR:
		return find_cfa(t, depth, &r, cfa);
	case RECIPE_ROW:
		o = objects_find(&t->view, unwind_address(f));
		if (!o || !cfi_row(&t->work, &t->view, o, unwind_address(f)))
			return false;
		rule = t->work.row.cfa;
		return row_cfa(t, depth, &rule, cfa) == LEFT;
	default:
		return false;
	}
}

static enum outcome leave_by_recipe(struct unwind_thread *t, uint32_t depth, const struct recipe *r,
				    struct unwind_frame *next)
{
	/* The recipe may be the spare one, which other frames' replace. */
	const struct recipe own = *r;
	struct unwind_frame *f = thread_frame(t, depth);
	uint64_t cfa, base;

	if (!find_cfa(t, depth, &own, &cfa))
		return own.kind == RECIPE_OTHER ? NO_RECIPE : BAD_MEMORY;
	base = own.flags & RECIPE_FROM_FP ? f->fp : cfa;
	*next = (struct unwind_frame){ .sp = cfa, .fp = f->fp, .flags = own.flags & RECIPE_LANDS ? UNWIND_EXACT : 0 };
	if (own.flags & RECIPE_RA_REGISTER) {
		if (!thread_register(t, depth, MACHINE_RA, &next->pc))
			return NO_RECIPE;
	} else if (!memory_load(&t->memory, cfa + 8 * (uint64_t)(int64_t)own.ra, &next->pc)) {
		return BAD_MEMORY;
	}
	if (own.fp != NOT_SAVED && !memory_load(&t->memory, base + 8 * (uint64_t)(int64_t)own.fp, &next->fp))
		return BAD_MEMORY;
	if (own.flags & RECIPE_RA_SIGNED)
		next->pc = machine_return_address(next->pc);
	if (!own.flags && own.fp != 0 && (own.kind == RECIPE_SP || own.kind == RECIPE_FP)) {
		f->flags |= UNWIND_SIMPLE;
		f->ra_slot = own.ra;
		f->fp_slot = own.fp == NOT_SAVED ? 0 : own.fp;
	}
	return LEFT;
}

/*
 * Leaves a frame whose pc is the beginning of a function, and no return address that a call made:
 * as makecontext and its kin give it to the first function of a stack. Nothing called it, unless
 * what its own information leads to is behind a call.
 */
static enum outcome leave_begun(struct unwind_thread *t, uint32_t depth, struct unwind_frame *next)
{
	struct unwind_frame *f = thread_frame(t, depth);
	enum outcome outcome;

	f->flags |= UNWIND_EXACT;
	outcome = thread_leave(t, depth, next);
	/* What a handler of a signal returns to begins like this. */
	if (f->flags & UNWIND_SIGNAL)
		return outcome;
	return outcome == LEFT && next->pc && thread_called(next->pc) ? LEFT : AT_END;
}

/* Without call frame information, unless the pc is the beginning of a function that has it. */
static enum outcome leave_by_guess(struct unwind_thread *t, uint32_t depth, struct unwind_frame *next)
{
	enum outcome outcome = thread_guess(t, depth, next);

	return outcome == BEGUN ? leave_begun(t, depth, next) : outcome;
}

enum outcome thread_leave(struct unwind_thread *t, uint32_t depth, struct unwind_frame *next)
{
	struct unwind_frame *f = thread_frame(t, depth);
	const struct recipe *r = thread_recipe(t, f);

	if (r->flags & RECIPE_BEFORE && !(f->flags & UNWIND_EXACT))
		return leave_begun(t, depth, next);
	switch (r->kind) {
	case RECIPE_NONE:
		if (!t->unknown)
			t->unknown = f->pc;
		return leave_by_guess(t, depth, next);
	case RECIPE_GUESS:
		return leave_by_guess(t, depth, next);
	case RECIPE_ROOT:
		return AT_END;
	case RECIPE_SIGNAL:
		return thread_leave_signal(t, f, next);
	case RECIPE_ROW:
		return leave_by_row(t, depth, next);
	case RECIPE_HANDLER:
		return context_leave(t, depth, r, next);
	default:
		return leave_by_recipe(t, depth, r, next);
	}
}
