/*
 * landing.c: where an exception goes on, by what libgcc's unwinder asks for, where it and what
 * begins a handler are linked in.
 *
 * It looks up the code of one frame after the other, first out to the handler's, then from the
 * first one again: when that begins the frame before was the handler's. Its return address will
 * not be read any more, so that the mark can be set there. Code that cleans up on the way lets
 * another function go on to the handler, which does not look for it again.
 */
#include "linked.h"
#include "trampoline.h"
#include "unwind.h"

#ifdef __x86_64__

enum { LEARNED = 8 };

static __thread struct {
	uintptr_t begun;              /* where the unwinder asked for itself; 0: it is not followed */
	uintptr_t first, first_sp;    /* the first frame that it looked up */
	uintptr_t last_sp;            /* the last one's */
	/* `begun` of the function that looks for handlers, as the last exception showed it */
	uintptr_t searches;
	uintptr_t object;             /* that it is linked into */
	uintptr_t handler_sp;         /* of that exception */
	/*
	 * the one that changes from frame to frame, and that of the first one, in the order of
	 * their addresses
	 */
	const uintptr_t *contexts[2];
	bool landed;                  /* the mark is where it may stay */
	struct {
		uintptr_t begun, contexts[2];
	} learned[LEARNED];           /* how far from its own frames' end a function has its contexts */
} now __attribute__((tls_model("initial-exec")));

/*
 * The stack pointer that stands in a context of the frame that returns to an address; 0: it is
 * none.
 */
static uintptr_t sp_in(const uintptr_t *context, uintptr_t ra, uintptr_t here)
{
	return context[1] == ra && context[0] % sizeof(uintptr_t) == 0 &&
		       trampoline_own_stack(here, context[0]) ? context[0] : 0;
}

static bool alike(const uintptr_t *a, const uintptr_t *b, uintptr_t ra, uintptr_t here)
{
	uintptr_t sp = sp_in(a, ra, here);

	return sp && sp == sp_in(b, ra, here);
}

/* Searches for the contexts, which are alike when the first frame is looked up. */
static bool search(uintptr_t ra, uintptr_t here)
{
	const uintptr_t *end = (const uintptr_t *)(here + CONTEXT_FRAMES);

	for (const uintptr_t *a = (const uintptr_t *)here; a + 1 < end; a++)
		for (const uintptr_t *b = a + 2; sp_in(a, ra, here) && b + 1 < end; b++)
			if (alike(a, b, ra, here)) {
				now.contexts[0] = a;
				now.contexts[1] = b;
				return true;
			}
	return false;
}

/*
 * Finds them when the first frame is looked up: where they were the last time, as the same
 * functions are at work.
 */
static bool find_contexts(uintptr_t ra, uintptr_t here)
{
	__typeof__(&now.learned[0]) l = &now.learned[now.begun / 16 % LEARNED];

	if (!trampoline_own_stack(here, here + CONTEXT_FRAMES))
		return false;
	now.contexts[0] = (const uintptr_t *)(here + l->contexts[0]);
	now.contexts[1] = (const uintptr_t *)(here + l->contexts[1]);
	if (l->begun == now.begun && alike(now.contexts[0], now.contexts[1], ra, here))
		return true;
	if (!search(ra, here))
		return false;
	l->begun = now.begun;
	for (int i = 0; i < 2; i++)
		l->contexts[i] = (uintptr_t)now.contexts[i] - here;
	return true;
}

/*
 * The stack pointer of the frame that returns to an address: it stands before that in one of the
 * unwinder's contexts. Where both are of that address the first frame's stays behind. `here` is
 * where the unwinder's own frames end.
 */
static uintptr_t context_sp(uintptr_t ra, uintptr_t here)
{
	uintptr_t a, b;

	if (!now.first && !find_contexts(ra, here))
		return 0;
	a = sp_in(now.contexts[0], ra, here);
	b = sp_in(now.contexts[1], ra, here);
	return a > b ? a : b;
}

static void begin(uintptr_t pc)
{
	now.begun = linked_jumps(pc) ? pc : 0;
	now.first = now.last_sp = 0;
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
		/*
		 * Goes on after code that cleaned up: to that handler, unless another exception
		 * was thrown and caught meanwhile.
		 */
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
	/*
	 * One that stands further out than that handler was interrupted by a signal, and the
	 * exception thrown there.
	 */
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
