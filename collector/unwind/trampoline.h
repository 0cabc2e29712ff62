/*
 * trampoline.h: counts activations: one return address of a thread's stack is replaced, and the
 * rest is known.
 *
 * The frame that returns through the mark, and all frames around it, have not returned since the
 * mark was set. When the frame returns, trampoline_stub runs instead of its caller: it moves the
 * mark one frame out and goes on where the return address led, with all registers as they were. A
 * thread has one mark at most. Every mark is in a table of the process, by which the stub finds
 * what to return to on whatever thread a stack goes on.
 *
 * The stub makes no system call, and takes no lock. What the marks are is changed by it, by what
 * unwinders and jumps call, and by our handler where it has not interrupted these. A handler of
 * the program's may interrupt them and call them: then it takes the mark away at most.
 */
#ifndef PCT_UNWIND_TRAMPOLINE_H
#define PCT_UNWIND_TRAMPOLINE_H

#include "mark.h"
#include "unwind.h"

#ifdef __x86_64__

enum { CONTEXT_FRAMES = 2048 /* bytes of the stack in which libgcc's unwinder has its contexts, when it asks */ };

/*
 * Replaces the words of the stack below an address that are `from`, or one less, and registers
 * which the caller's callers may have that in. The caller itself has it in `asked` at most, in
 * whose place it is to take what is returned.
 */
uintptr_t trampoline_mend(uintptr_t below, uint64_t from, uint64_t to,
			  uintptr_t asked) __attribute__((visibility("hidden")));

#endif

/* What the stub's address in a slot stands for; false if that is not known. */
bool trampoline_original(uintptr_t slot, uint64_t *original);

/*
 * Whether an address is on the own stack of the calling thread, whose activations are counted, not
 * below sp.
 */
bool trampoline_own_stack(uintptr_t sp, uintptr_t at);

/* Takes the mark from the stack; false if it isn't there. */
bool trampoline_take(struct mark *m);

/* Takes the mark from a stack that the calling thread has left, or that is not there any more. */
void trampoline_clear(struct mark *m);

#endif
