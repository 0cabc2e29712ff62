/*
 * stub.c: what marked frames return to (trampoline.c), and its call frame information.
 *
 * The word below the stack pointer is the slot; what the stub needs lies below that. Registers
 * that calls may change are kept nevertheless, since a compiler that sees the function called
 * knows which ones it leaves alone, and so are the flags.
 *
 * The information is for all that unwinds stacks: debuggers, and unwinders that meet a mark which
 * was not taken away. A frame that returned to the stub was called by it, and the stub by what the
 * return address led to, with the same stack pointer and registers. An expression searches the
 * table of marks for the slot; if it is not there the slot itself has the address, for the mark
 * has been taken away since it was read. Addresses in expressions are absolute, so that the
 * section is relocated: libpct.so has it in memory that can be written until that is done. What is
 * linked into programs marks nothing, and has no use for it.
 */
#ifdef __x86_64__

/* The stub leaves the other registers as they are. */
#pragma GCC target("general-regs-only")

#include "marking.h"

#include <stddef.h>

struct mark trampoline_marks[MARKS] __attribute__((visibility("hidden")));
_Atomic uint32_t trampoline_marks_used __attribute__((visibility("hidden")));
_Static_assert(sizeof(struct mark) == TRAMPOLINE_MARK_SIZE && offsetof(struct mark, original) == 8,
	       "as the call frame information has it");

__thread struct mark *trampoline_mine __attribute__((visibility("hidden"), tls_model("initial-exec")));

#define IN_STUB __attribute__((section("pct_trampoline"), noinline))

uint64_t trampoline_return(uintptr_t slot) __attribute__((visibility("hidden")));

/*
 * What a return address was that the mark of this thread is not at: a stack that another thread
 * left, or one from which the mark has just been taken, or a function that returned twice.
 */
static IN_STUB uint64_t original_elsewhere(uintptr_t slot)
{
	struct mark *m;
	uint64_t original;
	uintptr_t expected = slot;

	m = mark_find(slot, &original);
	if (m) {
		atomic_compare_exchange_strong(&m->slot, &expected, 0);
		return original;
	}
	original = *(volatile uint64_t *)mark_word(slot);
	if (original != mark_stub())
		return original;
	m = trampoline_mine;
	for (uint32_t i = 0; m && i < m->thread->known_count; i++)
		if (mark_slot(&m->thread->known[i]) == slot)
			return m->thread->known[i].pc;
	__builtin_trap();
}

/* The frame that returns through a slot has returned: where to. */
IN_STUB uint64_t trampoline_return(uintptr_t slot)
{
	struct mark *m = trampoline_mine;
	uintptr_t busy;
	uint64_t original;
	uint32_t at;

	if (!m)
		return original_elsewhere(slot);
	/* Before all else: a handler that forks here leaves the mark to the child. */
	busy = m->busy;
	m->busy = slot;
	atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&m->slot, memory_order_relaxed) != slot) {
		m->busy = busy;
		return original_elsewhere(slot);
	}
	original = atomic_load_explicit(&m->original, memory_order_relaxed);
	at = m->at;
	m->live = at;
	atomic_store_explicit(&m->slot, 0, memory_order_relaxed);
	if (at > 1)
		mark_set(m, at - 1, 1);
	atomic_signal_fence(memory_order_seq_cst);
	m->busy = 0;
	return original;
}

#define TEXT_OF(x) #x
#define NUMBER(x) TEXT_OF(x)
#define SIZE NUMBER(TRAMPOLINE_MARK_SIZE)

__asm__(
	".pushsection pct_trampoline, \"ax\", @progbits\n"
	".hidden trampoline_stub\n"
	".globl trampoline_stub\n"
	".type trampoline_stub, @function\n"
	/* So that debuggers name the mark by its own symbol, not by the section's. */
	".skip 16, 0xcc\n"
	".p2align 4\n"
	"trampoline_mark:\n"
	"	nop\n" /* return addresses are looked up by the byte before them */
	"trampoline_stub:\n"
	"	lea -136(%rsp), %rsp\n"
	".Lbelow:\n"
	"	push %rax\n"
	".Lkept:\n"
	"	lahf\n"
	"	seto %al\n"
	"	push %rax\n"
	".Lkept_flags:\n"
	"	push %rbx\n"
	".Lkept_rbx:\n"
	"	mov %rsp, %rbx\n"
	".Lat_rbx:\n"
	"	push %rcx\n"
	"	push %rdx\n"
	"	push %rsi\n"
	"	push %rdi\n"
	"	push %r8\n"
	"	push %r9\n"
	"	push %r10\n"
	"	push %r11\n"
	"	lea 152(%rbx), %rdi\n"
	"	mov %rsp, %rax\n"
	"	and $-16, %rsp\n"
	"	push %rax\n"
	"	push %rax\n"
	"	cld\n"
	"	call trampoline_return\n"
	"	pop %rsp\n"
	"	mov %rax, 152(%rbx)\n"
	"	pop %r11\n"
	"	pop %r10\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rdi\n"
	"	pop %rsi\n"
	"	pop %rdx\n"
	"	pop %rcx\n"
	"	pop %rbx\n"
	".Lleft_rbx:\n"
	"	pop %rax\n"
	".Lleft_flags:\n"
	"	add $127, %al\n"
	"	sahf\n"
	"	pop %rax\n"
	".Lleft:\n"
	"	lea 136(%rsp), %rsp\n"
	".Labove:\n"
	"	jmp *-8(%rsp)\n"
	".Lend:\n"
	".size trampoline_stub, . - trampoline_stub\n"
	".popsection\n");

#ifdef STUB_FRAMES

#define ADVANCE(from, to) "	.byte 0x02, " to " - " from "\n" /* DW_CFA_advance_loc1 */
#define OFFSET(n) "	.byte 0x0e\n	.uleb128 " #n "\n"       /* DW_CFA_def_cfa_offset */

__asm__(
	".pushsection .eh_frame, \"aw\", @unwind\n"
	"	.p2align 3\n"
	"1:	.long 3f - 2f\n"
	"2:	.long 0\n"
	"	.byte 1\n"
	"	.asciz \"zR\"\n"
	"	.uleb128 1\n"   /* of code addresses */
	"	.sleb128 -8\n"  /* of offsets */
	"	.byte 16\n"
	"	.uleb128 1\n"
	"	.byte 0x1b\n"   /* pc-relative, 4 bytes */
	"	.p2align 3\n"
	"3:	.long 9f - 4f\n"
	"4:	.long 4b - 1b\n"
	"	.long trampoline_mark - .\n"
	"	.long .Lend - trampoline_mark\n"
	"	.uleb128 0\n"
	"	.byte 0x0c, 7, 0\n" /* DW_CFA_def_cfa: rsp + 0 */
	"	.byte 0x16, 16\n"   /* DW_CFA_val_expression: the return address, given the CFA */
	"	.uleb128 6f - 5f\n"
	"5:	.byte 0x38, 0x1c\n" /* lit8, minus: the slot */
	"	.byte 0x12\n"       /* dup, for libgcc does not pick the lowest of the operands */
	"	.byte 0x03\n"       /* addr */
	"	.quad trampoline_marks_used\n"
	"	.byte 0x94, 4\n"    /* deref_size */
	"	.byte 0x08, " SIZE "\n" /* const1u */
	"	.byte 0x1e\n"       /* mul */
	"	.byte 0x03\n"
	"	.quad trampoline_marks\n"
	"	.byte 0x22\n"       /* plus: the end of the table */
	"	.byte 0x03\n"
	"	.quad trampoline_marks\n"
	"10:	.byte 0x14, 0x14, 0x29\n" /* over, over, eq: is this the end? */
	"	.byte 0x28\n"       /* bra */
	"	.2byte 12f - . - 2\n"
	"	.byte 0x12, 0x06\n" /* dup, deref: the slot of this mark */
	"	.byte 0x15, 3\n"    /* pick */
	"	.byte 0x29, 0x28\n" /* eq, bra */
	"	.2byte 11f - . - 2\n"
	"	.byte 0x23\n"       /* plus_uconst */
	"	.uleb128 " SIZE "\n"
	"	.byte 0x2f\n"       /* skip */
	"	.2byte 10b - . - 2\n"
	"11:	.byte 0x23, 8, 0x06, 0x2f\n" /* plus_uconst, deref: what stood there; skip */
	"	.2byte 6f - . - 2\n"
	"12:	.byte 0x15, 2, 0x06\n" /* pick, deref: what stands there */
	"	.byte 0x12, 0x03\n"
	"	.quad trampoline_stub\n"
	"	.byte 0x2e, 0x28\n" /* ne, bra */
	"	.2byte 6f - . - 2\n"
	"	.byte 0x30\n"       /* lit0: it is not known */
	"6:\n"
	ADVANCE("trampoline_mark", ".Lbelow") OFFSET(136)
	ADVANCE(".Lbelow", ".Lkept") OFFSET(144)
	ADVANCE(".Lkept", ".Lkept_flags") OFFSET(152)
	ADVANCE(".Lkept_flags", ".Lkept_rbx") OFFSET(160)
	"	.byte 0x83, 20\n"   /* DW_CFA_offset: rbx */
	ADVANCE(".Lkept_rbx", ".Lat_rbx")
	"	.byte 0x0d, 3\n"    /* DW_CFA_def_cfa_register: rbx */
	ADVANCE(".Lat_rbx", ".Lleft_rbx")
	"	.byte 0x0d, 7\n"
	OFFSET(152)
	"	.byte 0xc3\n"       /* DW_CFA_restore: rbx */
	ADVANCE(".Lleft_rbx", ".Lleft_flags") OFFSET(144)
	ADVANCE(".Lleft_flags", ".Lleft") OFFSET(136)
	ADVANCE(".Lleft", ".Labove") OFFSET(0)
	"	.p2align 3\n"
	"9:\n"
	".popsection\n");

#endif
#endif
