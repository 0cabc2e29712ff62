#include "context.h"
#include "expression.h"
#include "thread.h"

enum { NESTING = 4 };

bool thread_preserved(struct unwind_thread *t, uint32_t depth, unsigned reg, int place, uint64_t *value)
{
	while (depth-- > 0) {
		struct unwind_frame *f = thread_frame(t, depth);
		uint64_t cfa = thread_frame(t, depth + 1)->sp;
		const struct recipe *r;
		int16_t slot;

		if (f->flags & UNWIND_SIGNAL)
			return memory_load(&t->memory, f->sp + MACHINE_SIGNAL_CONTEXT + machine_context_offset(reg),
					   value);
		if (f->flags & UNWIND_GUESS)
			return false;
		r = thread_recipe(t, f);
		if (r->kind == RECIPE_HANDLER)
			return context_register(t, f, r, reg, value);
		if (r->kind == RECIPE_ROW) {
			const struct object *o = objects_find(&t->view, unwind_address(f));
			struct rule rule;

			if (!o || !cfi_row(&t->work, &t->view, o, unwind_address(f)))
				return false;
			rule = t->work.row.rules[place];
			if (rule.kind == RULE_NONE || rule.kind == RULE_SAME)
				continue;
			/* gcc lets it stand where it does not hold any more: see leave_by_row. */
			if (place == ROW_FP && rule.kind == RULE_EXPR)
				return false;
			return thread_rule(t, depth, &rule, reg, cfa, value);
		}
		slot = place == ROW_FP ? r->fp : r->saved[place];
		if (slot != NOT_SAVED)
			return memory_load(&t->memory, (r->flags & RECIPE_FROM_FP ? f->fp : cfa) + 8 * (int64_t)slot,
					   value);
	}
	*value = machine_context(t->context, reg);
	return true;
}

bool thread_register(struct unwind_thread *t, uint32_t depth, unsigned reg, uint64_t *value)
{
	const struct unwind_frame *f = thread_frame(t, depth);
	int place = machine_saved(reg);
	bool good;

	if (reg == MACHINE_SP || reg == MACHINE_FP || reg == MACHINE_REGISTERS || reg == MACHINE_RA) {
		/* On x86-64 the return address's column is the pc. */
		bool ra = MACHINE_RA_IN_REGISTER && reg == MACHINE_RA;

		*value = reg == MACHINE_SP ? f->sp : reg == MACHINE_FP ? f->fp : f->pc;
		if (!ra)
			return true;
	}
	if (reg > MACHINE_REGISTERS)
		return false;
	if (depth == 0) {
		*value = machine_context(t->context, reg);
		return true;
	}
	f = thread_frame(t, depth - 1);
	if (f->flags & UNWIND_SIGNAL)
		return memory_load(&t->memory, f->sp + MACHINE_SIGNAL_CONTEXT + machine_context_offset(reg), value);
	if (place < 0 || t->nesting == NESTING)
		return false;
	t->nesting++;
	good = thread_preserved(t, depth, reg, place, value);
	t->nesting--;
	return good;
}

bool thread_evaluate(struct unwind_thread *t, uint32_t depth, const struct expression *e, uint64_t *value)
{
	return expression_evaluate(t, depth, e, thread_register, value);
}

static bool evaluate_rule(struct unwind_thread *t, uint32_t depth, const struct rule *rule, uint64_t cfa,
			  uint64_t *value)
{
	const struct expression e = { .at = rule->at, .length = rule->length, .pushed = true, .initial = cfa };

	return thread_evaluate(t, depth, &e, value);
}

bool thread_rule(struct unwind_thread *t, uint32_t depth, const struct rule *rule, unsigned reg, uint64_t cfa,
		 uint64_t *value)
{
	uint64_t at;

	switch (rule->kind) {
	case RULE_NONE:
	case RULE_SAME:
		return thread_register(t, depth, reg, value);
	case RULE_OFFSET:
		return memory_load(&t->memory, cfa + (uint64_t)(int64_t)rule->offset, value);
	case RULE_VAL_OFFSET:
		*value = cfa + (uint64_t)(int64_t)rule->offset;
		return true;
	case RULE_REGISTER:
		return thread_register(t, depth, rule->reg, value);
	case RULE_EXPR:
		return evaluate_rule(t, depth, rule, cfa, &at) && memory_load(&t->memory, at, value);
	case RULE_VAL_EXPR:
		return evaluate_rule(t, depth, rule, cfa, value);
	default:
		return false;
	}
}

enum outcome thread_leave_signal(struct unwind_thread *t, struct unwind_frame *f, struct unwind_frame *next)
{
	uintptr_t context = f->sp + MACHINE_SIGNAL_CONTEXT;

	f->flags = UNWIND_EXACT | UNWIND_SIGNAL;
	*next = (struct unwind_frame){ .flags = UNWIND_EXACT };
	if (!memory_load(&t->memory, context + machine_context_offset(MACHINE_REGISTERS), &next->pc) ||
	    !memory_load(&t->memory, context + machine_context_offset(MACHINE_SP), &next->sp) ||
	    !memory_load(&t->memory, context + machine_context_offset(MACHINE_FP), &next->fp))
		return BAD_MEMORY;
	return LEFT;
}
