/*
 * guess.c: frames of code without call frame information, as compilers at run time make it.
 *
 * What is found is believed only if it follows a call instruction.
 */
#include "thread.h"

enum { PAGE = 4096 };

/*
 * Reads the code before and after a pc, and zeros for pages that aren't there: code may begin or
 * end just here. False if the pc can't be one.
 */
static bool look(uint64_t pc, uint8_t code[2 * MACHINE_CODE])
{
	unsigned before = MACHINE_CODE, after = MACHINE_CODE;

	if (pc < PAGE || pc >> ADDRESS_BITS)
		return false;
	if (memory_peek(pc - before, code, before + after))
		return true;
	for (unsigned i = 0; i < 2 * MACHINE_CODE; i++)
		code[i] = 0;
	if (pc % PAGE < before)
		before = pc % PAGE;
	if (PAGE - pc % PAGE < after)
		after = PAGE - pc % PAGE;
	return memory_peek(pc - before, code + MACHINE_CODE - before, before + after);
}

bool thread_called(uint64_t word)
{
	uint8_t code[2 * MACHINE_CODE];

	return look(word, code) && machine_called(code + MACHINE_CODE - 8);
}

/* Takes the word at a stack address for the return address. */
static enum outcome leave_at(struct unwind_frame *f, uint64_t slot, uint64_t pc, uint64_t fp,
			     struct unwind_frame *next)
{
	f->flags |= UNWIND_GUESS;
	*next = (struct unwind_frame){ .pc = pc, .sp = slot + 8, .fp = fp };
	return LEFT;
}

/* By the frame record that fp points at: the caller's fp, and the return address. */
static enum outcome leave_framed(struct unwind_thread *t, struct unwind_frame *f, struct unwind_frame *next)
{
	uint64_t old, ra;

	if (f->fp < f->sp || f->fp % 8)
		return NO_RECIPE;
	if (!memory_load(&t->memory, f->fp, &old) || !memory_load(&t->memory, f->fp + 8, &ra))
		return BAD_MEMORY;
	ra = machine_return_address(ra);
	if (!ra && !old)
		return AT_END;
	if (!thread_called(ra))
		return NO_RECIPE;
	if (!(f->flags & UNWIND_EXACT) && !MACHINE_RA_IN_REGISTER) {
		/* At a call the frame has been set up, and stays so. */
		f->flags |= UNWIND_SIMPLE;
		f->ra_slot = -1;
		f->fp_slot = -2;
	}
	return leave_at(f, f->fp + 8, ra, old, next);
}

/* Nothing happened since the call. */
static enum outcome leave_called(struct unwind_thread *t, uint32_t depth, struct unwind_frame *next)
{
	struct unwind_frame *f = thread_frame(t, depth);
	uint64_t ra;

	if (MACHINE_RA_IN_REGISTER) {
		if (!thread_register(t, depth, MACHINE_RA, &ra) || !thread_called(ra = machine_return_address(ra)))
			return NO_RECIPE;
		return leave_at(f, f->sp - 8, ra, f->fp, next);
	}
	if (!memory_load(&t->memory, f->sp, &ra))
		return BAD_MEMORY;
	return thread_called(ra) ? leave_at(f, f->sp, ra, f->fp, next) : NO_RECIPE;
}

enum outcome thread_guess(struct unwind_thread *t, uint32_t depth, struct unwind_frame *next)
{
	struct unwind_frame *f = thread_frame(t, depth);
	bool exact = f->flags & UNWIND_EXACT;
	enum machine_leaving how;
	uint8_t code[2 * MACHINE_CODE];
	enum outcome outcome;
	uint64_t fp, ra;

	if (!look(f->pc, code))
		return NO_CODE;
	how = machine_leaving(code, exact);
	if (!exact && how == LEAVING_UNKNOWN && !machine_called(code + MACHINE_CODE - 8)) {
		enum recipe_kind begins = recipes_at(&t->work, &t->view, f->pc, &t->spare)->kind;

		if (machine_ends_context(code)) {
			f->flags |= UNWIND_EXACT;
			return AT_END;
		}
		return begins == RECIPE_NONE || begins == RECIPE_GUESS ? NO_CODE : BEGUN;
	}
	switch (how) {
	case LEAVING_SIGNAL:
		return thread_leave_signal(t, f, next);
	case LEAVING_CALLED:
		return leave_called(t, depth, next);
	case LEAVING_PUSHED:
		if (!memory_load(&t->memory, f->sp, &fp) || !memory_load(&t->memory, f->sp + 8, &ra))
			return BAD_MEMORY;
		return thread_called(ra) ? leave_at(f, f->sp + 8, ra, fp, next) : NO_RECIPE;
	case LEAVING_FRAMED:
		return leave_framed(t, f, next);
	default:
		break;
	}
	/* A leaf without a frame, whose fp is its caller's; else a function with one. */
	if (exact) {
		outcome = leave_called(t, depth, next);
		if (outcome == LEFT)
			return outcome;
	}
	/* What began the thread has no caller, and fp 0 by convention. */
	if (!f->fp && !exact)
		return AT_END;
	return leave_framed(t, f, next);
}
