/*
 * mark.h: what stands on a thread's stack in place of a return address, as trampoline.h says.
 */
#ifndef PCT_UNWIND_MARK_H
#define PCT_UNWIND_MARK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct unwind_thread;

struct mark {
	_Atomic uintptr_t slot;  /* where the stub's address stands on the stack; 0: nowhere */
	_Atomic uint64_t original; /* what stood there */
	uint64_t pc;             /* of the frame that returns through it, when the mark was set */
	uint32_t at;             /* that frame's place among the known ones; 0: they have changed */
	uint32_t live;           /* how many of the known frames may not have returned */
	_Atomic bool taken;      /* some thread has it */
	/*
	 * where on the stack a function that changes the mark outside of a handler is at work; 0:
	 * none is
	 */
	volatile uintptr_t busy;
	struct unwind_thread *thread;
};

#ifdef __x86_64__

#define TRAMPOLINE_MARK_SIZE 56 /* of a struct mark, in call frame information */

/* All marks, and how many of them may be in use, as stub.c has them. */
enum { MARKS = 8192 };

extern struct mark trampoline_marks[MARKS] __attribute__((visibility("hidden")));
extern _Atomic uint32_t trampoline_marks_used __attribute__((visibility("hidden")));

extern const char trampoline_stub[] __attribute__((visibility("hidden")));
/* All code of the stub lies between these. */
extern const char __start_pct_trampoline[] __attribute__((visibility("hidden")));
extern const char __stop_pct_trampoline[] __attribute__((visibility("hidden")));

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

/*
 * Whether an unwinder that asks for an address finds the calling thread's stack as the program
 * made it, and always has.
 */
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

#endif
