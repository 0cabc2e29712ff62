#include "context.h"
#include "handler.h"

static bool part(struct unwind_thread *t, uint64_t context, unsigned at, uint64_t *word)
{
	return memory_load(&t->memory, context + at, word);
}

enum outcome context_leave(struct unwind_thread *t, uint32_t depth, const struct recipe *r, struct unwind_frame *next)
{
	const struct unwind_frame *f = thread_frame(t, depth);
	uint64_t context = f->fp + (uint64_t)(int64_t)r->offset, arguments;

	*next = (struct unwind_frame){ .flags = UNWIND_EXACT };
	if (!part(t, context, CONTEXT_PC, &next->pc) || !part(t, context, CONTEXT_CFA, &next->sp) ||
	    !part(t, context, CONTEXT_ARGUMENTS, &arguments) || !context_register(t, f, r, MACHINE_FP, &next->fp))
		return BAD_MEMORY;
	next->sp += arguments;
	return next->pc && next->sp > f->fp ? LEFT : NO_RECIPE;
}

bool context_register(struct unwind_thread *t, const struct unwind_frame *f, const struct recipe *r, unsigned reg,
		      uint64_t *value)
{
	uint64_t context = f->fp + (uint64_t)(int64_t)r->offset, flags, by_value;

	if (!part(t, context, 8 * reg, value) || !part(t, context, CONTEXT_FLAGS, &flags) ||
	    !part(t, context, CONTEXT_BY_VALUE + (reg & ~7u), &by_value))
		return false;
	if (flags & CONTEXT_EXTENDED && by_value >> reg % 8 * 8 & 0xff)
		return true;
	return memory_load(&t->memory, *value, value);
}
