/*
 * Fuzzes the unwinder: an object's call frame information, and the registers and the stack of a
 * thread in it.
 *
 * The input is a head, a stack, and the object's .eh_frame_hdr with .eh_frame behind it, which
 * lies at the end of readable memory. The object's code is taken to be in the 64 KB before that
 * memory's last 128, and is nowhere.
 */
#include "../unwind/thread.h"
#include "arena.h"

enum { FRAMES = 64, CODE = 65536, WORDS = 64, CODE_BEFORE = 2 * CODE };

struct head {
	uint8_t flags;  /* 1: the object is fleeting; 4: the stack is known */
	uint8_t words;  /* of the stack */
	uint16_t pcs[3]; /* into the code */
	uint8_t sp, fp; /* words into the stack */
	uint32_t others; /* the other registers: a hash of this */
};

static void set(ucontext_t *u, unsigned reg, uint64_t v)
{
	memcpy((char *)u + machine_context_offset(reg), &v, sizeof v);
}

static void publish(const struct unwind_object *o)
{
	if (!unwind_objects_begin() || (o && !unwind_objects_add(o)))
		abort();
	unwind_objects_publish();
}

static void walk(struct unwind_thread *t, const ucontext_t *u)
{
	struct unwind_path p;

	unwind_path(t, u, &p);
	if (p.count < 1 || p.count > FRAMES || p.common > p.count)
		abort();
	unwind_done(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct unwind_thread *t;
	static char *end, *stack_end;
	struct unwind_object o = { .id = 1 };
	struct head h;
	uint64_t *stack;
	ucontext_t u;
	char *at;

	if (!t) {
		end = arena_make();
		stack_end = arena_make();
		if (!unwind_start() || !(t = unwind_thread_make(calloc(1, unwind_thread_size(FRAMES, false)), FRAMES,
								false)))
			abort();
	}
	if (n < sizeof h)
		return 0;
	memcpy(&h, data, sizeof h);
	data += sizeof h;
	n -= sizeof h;
	h.words = h.words % WORDS + 1;
	if (n < h.words * sizeof *stack || n > ARENA / 2)
		return 0;
	stack = (uint64_t *)arena_put(stack_end, data, h.words * sizeof *stack);
	data += h.words * sizeof *stack;
	n -= h.words * sizeof *stack;
	at = arena_put(end, data, n);

	o.start = (uintptr_t)at - CODE_BEFORE;
	o.end = o.start + CODE;
	o.header = o.data_start = (uintptr_t)at;
	o.data_end = (uintptr_t)end;
	o.fleeting = h.flags & 1;
	/* Words that are small numbers are addresses of the code, odd ones of the stack. */
	for (int i = 0; i < h.words; i++)
		if (stack[i] < CODE)
			stack[i] = stack[i] & 1 ? (uint64_t)&stack[stack[i] / 2 % h.words] : o.start + stack[i];
	publish(NULL);
	publish(&o);
	unwind_forget(t);
	if (h.flags & 4)
		unwind_thread_stack(t, (uintptr_t)stack, (uintptr_t)stack_end);
	else
		unwind_thread_stack(t, 0, 0);
	memset(&u, 0, sizeof u);
	for (size_t i = 0; i < sizeof h.pcs / sizeof *h.pcs; i++) {
		for (unsigned r = 0; r < MACHINE_REGISTERS; r++) {
			h.others = h.others * 1664525 + 1013904223;
			set(&u, r, h.others & 0x1000 ? h.others : (uint64_t)&stack[(h.others >> 16) % h.words]);
		}
		set(&u, MACHINE_REGISTERS, o.start + h.pcs[i]);
		set(&u, MACHINE_SP, (uint64_t)&stack[h.sp % h.words]);
		set(&u, MACHINE_FP, (uint64_t)&stack[h.fp % h.words]);
		walk(t, &u);
	}
	unwind_linked(&o, 8);
	return 0;
}
