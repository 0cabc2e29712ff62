/*
 * readers.c: takes the mark away before an unwinder reads it, and puts right what one has read of
 * it all the same.
 *
 * An unwinder has read its own return address, and that of the function to which it says where it
 * is, before it asks for anything. One may have been the mark, if it is not known for an unwinder
 * yet or was jumped to at the end of another function: then it keeps the stub's address in its
 * frames and registers. Later the handler of a signal may set the mark anew, by an exception of
 * its own.
 *
 * libgcc's asks again, with that address, before it does anything else with it. So all is well as
 * long as it does not ask for the stub; if it does, its context tells from where it read it. Of
 * others all frames are looked through.
 */
#include "trampoline.h"
#include "thread.h"

#ifdef __x86_64__

enum {
	READERS_FRAMES = 4096, /* bytes of the stack that an unwinder uses before it asks for call frame information */
	PAGE = 4096
};

/*
 * Up to where an unwinder's frames are looked through from an address on, which are on the stack
 * that a slot is on.
 */
static uintptr_t end_of_readers(const struct mark *m, uintptr_t from, uintptr_t slot)
{
	const struct memory *memory = &m->thread->memory;
	uintptr_t page_end = (slot | (PAGE - 1)) + 1;
	uintptr_t mapped = slot >= memory->own_low && slot < memory->own_high ? memory->own_high : page_end;

	return mapped - from < READERS_FRAMES ? mapped : from + READERS_FRAMES;
}

/*
 * The slot from which libgcc's unwinder read the stub's address: in its contexts, of which the
 * last one ends there, that stands behind the frame's CFA. What remains of contexts before is of
 * frames further in. 0: there is none.
 */
static uintptr_t slot_read(uintptr_t here, uintptr_t *end)
{
	uintptr_t slot = 0;

	for (const uintptr_t *at = (const uintptr_t *)here; (uintptr_t)at < here + CONTEXT_FRAMES &&
	     trampoline_own_stack(here, (uintptr_t)(at + 1)); at++) {
		uintptr_t below = at[0] - sizeof(uintptr_t);

		if (!trampoline_is(at[1]) || below % sizeof(uintptr_t) || !trampoline_own_stack(here, below) ||
		    below < slot)
			continue;
		slot = below;
		*end = (uintptr_t)(at + 2);
	}
	return slot;
}

static uintptr_t mend_contexts(const struct mark *m, uintptr_t here, uintptr_t asked)
{
	uintptr_t end, slot = slot_read(here, &end);
	uint64_t original = m->original;

	if (!slot)
		end = end_of_readers(m, here, here);
	else if (!trampoline_is(*(const uint64_t *)slot))
		original = *(const uint64_t *)slot;
	else
		trampoline_original(slot, &original);
	return trampoline_mend(end, (uintptr_t)trampoline_stub, original, asked);
}

uintptr_t unwind_return_addresses(uintptr_t asked, bool asks_again)
{
	struct mark *m = trampoline_mine;
	uintptr_t slot, busy, here = (uintptr_t)__builtin_frame_address(0);
	bool taken;

	if (trampoline_quiet(asked))
		return asked;
	busy = m->busy;
	m->busy = here;
	atomic_signal_fence(memory_order_seq_cst);
	slot = m->slot;
	/* Else it may be in a copy of the stack that comes back. */
	taken = slot && trampoline_take(m);
	if (taken)
		m->slot = 0;
	if (asks_again && trampoline_own_stack(here, here)) {
		if (trampoline_read(asked))
			asked = mend_contexts(m, here, asked);
	} else if (taken && slot - here < READERS_FRAMES) {
		asked = trampoline_mend(end_of_readers(m, here, slot), (uintptr_t)trampoline_stub, m->original, asked);
	}
	atomic_signal_fence(memory_order_seq_cst);
	m->busy = busy;
	return asked;
}

#else

uintptr_t unwind_return_addresses(uintptr_t asked, bool asks_again)
{
	(void)asks_again;
	return asked;
}

#endif
