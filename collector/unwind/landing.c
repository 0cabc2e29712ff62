/*
 * landing.c: where an exception goes on, by what libgcc's unwinder asks for, where it and what begins a handler are linked in.
 *
 * It looks up the code of one frame after the other, first out to the handler's, then from the first one again: when that begins
 * the frame before was the handler's. Its return address will not be read any more, so that the mark can be set
 * there. Code that cleans up on the way lets another function go on to the handler, which does not look for it again.
 */
#include "linked.h"
#include "trampoline.h"
#include "unwind.h"

#ifdef __x86_64__

enum {
	CONTEXT_FRAMES = 2048, /* bytes of the stack in which the unwinder has its contexts */
	CONTEXTS = 8
};

static __thread struct {
	uintptr_t begun;              /* where the unwinder asked for itself; 0: it is not followed */
	uintptr_t first, first_sp;    /* the first frame that it looked up */
	uintptr_t last_sp;            /* the last one's */
	uintptr_t searches;           /* `begun` of the function that looks for handlers, as the last exception showed it */
	uintptr_t object;             /* that it is linked into */
	uintptr_t handler_sp;         /* of that exception */
	const uintptr_t *context;     /* where the last one's was told */
	bool landed;                  /* the mark is where it may stay */
	struct {
		uintptr_t begun;
		uintptr_t from_here;
	} contexts[CONTEXTS];         /* where the first one was told, when it was searched for */
} now __attribute__((tls_model("initial-exec")));

/* The stack pointer that stands in a context of the frame that returns to an address; 0: it is none. */
static uintptr_t sp_in(const uintptr_t *context, uintptr_t ra, uintptr_t here)
{
	return context[1] == ra && context[0] % sizeof(uintptr_t) == 0 && trampoline_own_stack(here, context[0]) ? context[0] : 0;
}

/*
 * The stack pointer of the frame that returns to an address: it stands before that in the unwinder's context. What remains of
 * contexts before is of frames further in. `here` is where the unwinder's frames end.
 */
static uintptr_t context_sp(uintptr_t ra, uintptr_t here)
{
	const uintptr_t *at = (const uintptr_t *)here, *end = (const uintptr_t *)(here + CONTEXT_FRAMES);
	uintptr_t sp = 0, key = now.begun / 16 % CONTEXTS;

	if (!trampoline_own_stack(here, here + CONTEXT_FRAMES))
		return 0;
	/* It changes in place from frame to frame. */
	if (now.context > at && now.context + 1 < end && now.context[1] == ra && now.context[0] > now.last_sp)
		return now.context[0];
	/* It is where it was the last time, as the same functions are at work. */
	if (!now.first && now.contexts[key].begun == now.begun) {
		now.context = (const uintptr_t *)(here + now.contexts[key].from_here);
		sp = sp_in(now.context, ra, here);
		if (sp)
			return sp;
	}
	for (; at + 1 < end; at++)
		if (sp_in(at, ra, here) > sp) {
			sp = at[0];
			now.context = at;
		}
	if (!now.first && sp) {
		now.contexts[key].begun = now.begun;
		now.contexts[key].from_here = (uintptr_t)now.context - here;
	}
	return sp;
}

static void begin(uintptr_t pc)
{
	now.begun = linked_jumps(pc) ? pc : 0;
	now.first = now.last_sp = 0;
	now.context = NULL;
	if (pc == now.searches)
		now.handler_sp = 0;
}

static void lands(void)
{
	unwind_landed(now.handler_sp);
	now.landed = true;
	now.begun = 0;
}

static void follow(uintptr_t pc, uintptr_t object, uintptr_t here)
{
	uintptr_t sp = context_sp(pc + 1, here);

	if (!sp) {
		now.begun = 0;
	} else if (!now.first) {
		now.first = pc;
		now.first_sp = now.last_sp = sp;
		/* Goes on after code that cleaned up: to that handler, unless another exception was thrown and caught meanwhile. */
		if (now.begun != now.searches && now.object == object && now.handler_sp > sp)
			lands();
	} else if (sp > now.last_sp) {
		now.last_sp = sp;
	} else if (pc == now.first && sp == now.first_sp && now.last_sp > sp) {
		now.searches = now.begun;
		now.object = object;
		now.handler_sp = now.last_sp;
		lands();
	} else {
		now.begun = 0;
	}
}

uintptr_t unwind_looks_up(uintptr_t pc, uintptr_t caller, bool libgcc)
{
	uintptr_t object, here = (uintptr_t)__builtin_frame_address(0);
	bool itself;

	if (!unwind_counted())
		return pc;
	object = linked_in(caller);
	itself = object && linked_holds(pc);
	/* One that stands further out than that handler was interrupted by a signal, and the exception thrown there. */
	if (!object || itself || !now.landed || here > now.handler_sp) {
		now.landed = false;
		pc = unwind_return_addresses(pc, libgcc || object);
	}
	if (itself)
		begin(pc);
	else if (object && now.begun)
		follow(pc, object, here);
	return pc;
}

#endif
