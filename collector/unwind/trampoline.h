/*
 * trampoline.h: counts activations: one return address of a thread's stack is replaced, and the rest is known.
 *
 * The frame that returns through the mark, and all frames around it, have not returned since the mark was
 * set. When the frame returns, trampoline_stub runs instead of its caller: it moves the
 * mark one frame out and goes on where the return address led, with all registers as they were. A
 * thread has one mark at most. Every mark is in a table of the process, by which the stub finds what
 * to return to on whatever thread a stack goes on.
 *
 * The stub makes no system call, and takes no lock. What the marks are is changed by it, by what unwinders and jumps call, and by our
 * handler where it has not interrupted these. A handler of the program's may interrupt them and call them: then it takes the mark away at
 * most.
 */
#ifndef PCT_UNWIND_TRAMPOLINE_H
#define PCT_UNWIND_TRAMPOLINE_H

#include "unwind.h"

#include <stdatomic.h>

struct mark {
	_Atomic uintptr_t slot;  /* where the stub's address stands on the stack; 0: nowhere */
	_Atomic uint64_t original; /* what stood there */
	uint64_t pc;             /* of the frame that returns through it, when the mark was set */
	uint32_t at;             /* that frame's place among the known ones; 0: they have changed */
	uint32_t live;           /* how many of the known frames may not have returned */
	_Atomic bool taken;      /* some thread has it */
	volatile uintptr_t busy; /* where on the stack a function that changes the mark outside of a handler is at work; 0: none is */
	struct unwind_thread *thread;
};

#ifdef __x86_64__

enum { CONTEXT_FRAMES = 2048 /* bytes of the stack in which libgcc's unwinder has its contexts, when it asks */ };

#define TRAMPOLINE_MARK_SIZE 56 /* of a struct mark, in call frame information */

extern const char trampoline_stub[] __attribute__((visibility("hidden")));
/* All code of the stub lies between these. */
extern const char __start_pct_trampoline[] __attribute__((visibility("hidden")));
extern const char __stop_pct_trampoline[] __attribute__((visibility("hidden")));

/*
 * Replaces the words of the stack below an address that are `from`, or one less, and registers which the caller's callers may
 * have that in. The caller itself has it in `asked` at most, in whose place it is to take what is returned.
 */
uintptr_t trampoline_mend(uintptr_t below, uint64_t from, uint64_t to, uintptr_t asked) __attribute__((visibility("hidden")));

static inline bool trampoline_is(uint64_t pc)
{
	return pc == (uintptr_t)trampoline_stub;
}

/* Whether who asks for an address has read the stub's, and means that or the byte before it. */
static inline bool trampoline_read(uint64_t asked)
{
	return (uintptr_t)trampoline_stub - asked <= 1;
}

static inline bool trampoline_holds(uint64_t pc)
{
	return pc - (uintptr_t)__start_pct_trampoline < (uintptr_t)(__stop_pct_trampoline - __start_pct_trampoline);
}

/* The calling thread's; NULL: its activations are not followed. */
extern __thread struct mark *trampoline_mine __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Whether an unwinder that asks for an address finds the calling thread's stack as the program made it, and always has. */
static inline bool trampoline_quiet(uint64_t asked)
{
	const struct mark *m = trampoline_mine;

	return !m || !(atomic_load_explicit(&m->slot, memory_order_relaxed) || trampoline_read(asked));
}

#else

static inline bool trampoline_is(uint64_t pc)
{
	(void)pc;
	return false;
}

static inline bool trampoline_holds(uint64_t pc)
{
	(void)pc;
	return false;
}

#endif

/* What the stub's address in a slot stands for; false if that is not known. */
bool trampoline_original(uintptr_t slot, uint64_t *original);

/* Whether an address is on the own stack of the calling thread, whose activations are counted, not below sp. */
bool trampoline_own_stack(uintptr_t sp, uintptr_t at);

/* Takes the mark from the stack; false if it isn't there. */
bool trampoline_take(struct mark *m);

/* Takes the mark from a stack that the calling thread has left, or that is not there any more. */
void trampoline_clear(struct mark *m);

#endif
