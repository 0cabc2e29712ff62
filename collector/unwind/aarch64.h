/*
 * aarch64.h: the registers, contexts and calls of 64-bit Arm.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

enum {
	MACHINE_FP = 29,
	MACHINE_RA = 30,
	MACHINE_SP = 31,
	MACHINE_REGISTERS = 32,
	MACHINE_SAVED = 10, /* x19 to x28 */
	MACHINE_RED_ZONE = 0,
	MACHINE_RA_IN_REGISTER = 1,
	MACHINE_HANDLER_DATA = UINT8_MAX,
	MACHINE_CODE = 16,
};

/* The place of a register among the preserved ones, or -1. */
static inline int machine_saved(uint64_t reg)
{
	return reg >= 19 && reg <= 28 ? (int)reg - 19 : -1;
}

/* The number of the one in a place. */
static inline unsigned machine_preserved(unsigned place)
{
	return place + 19;
}

/* Where in a context a register stands: x0 to x30, sp; the one after the last is the pc. */
static inline size_t machine_context_offset(unsigned reg)
{
	return offsetof(ucontext_t, uc_mcontext.regs) + 8u * reg;
}

static inline uint64_t machine_context(const ucontext_t *u, unsigned reg)
{
	return *(const uint64_t *)((const char *)u + machine_context_offset(reg));
}

/*
 * Whether a context has all registers of the code, as a signal's has, which has those for floating
 * point; else it has those alone that functions preserve.
 */
static inline bool machine_whole(const ucontext_t *u)
{
	const struct _aarch64_ctx *first = (const void *)u->uc_mcontext.__reserved;

	return first->magic == FPSIMD_MAGIC;
}

/* Half of a vector register, by the register's DWARF number; NULL if it is none. */
static inline const uint64_t *machine_vector(const ucontext_t *u, uint64_t reg, bool high)
{
	enum { V0 = 64, VECTORS = 32 };
	const struct fpsimd_context *f = (const void *)u->uc_mcontext.__reserved;

	if (!machine_whole(u) || reg - V0 >= VECTORS)
		return NULL;
	return (const uint64_t *)&f->vregs[reg - V0] + high;
}

/* Where the context stands in a signal's frame, from the stack pointer at sigreturn. */
enum { MACHINE_SIGNAL_CONTEXT = 128 };

_Static_assert(sizeof(siginfo_t) == MACHINE_SIGNAL_CONTEXT, "the context follows the information");
_Static_assert(offsetof(mcontext_t, sp) == offsetof(mcontext_t, regs) + 8 * 31, "sp follows x30");
_Static_assert(offsetof(mcontext_t, pc) == offsetof(mcontext_t, regs) + 8 * 32, "pc follows sp");

/* Takes off the signature of a return address: the bits above those of user addresses. */
static inline uint64_t machine_return_address(uint64_t word)
{
	return word & (((uint64_t)1 << 48) - 1);
}

/* The thread pointer, which lies above all frames of a thread's own stack. */
static inline uintptr_t machine_thread_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

static inline uint32_t machine_word(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/*
 * Whether a call instruction ends where code, of 8 bytes, does: bl, or blr with its authenticated
 * kinds.
 */
static inline bool machine_called(const uint8_t *code)
{
	uint32_t op = machine_word(code + 4);

	return op >> 26 == 0x25 || (op & 0xfffffc1f) == 0xd63f0000 || (op & 0xfefff800) == 0xd63f0800;
}

/* Boost's contexts are not known here. */
static inline bool machine_ends_context(const uint8_t *code)
{
	(void)code;
	return false;
}

/* As for x86-64; the return address is in x30 until it was stored. */
static inline enum machine_leaving machine_leaving(const uint8_t *code, bool exact)
{
	uint32_t op = machine_word(code + MACHINE_CODE), next = machine_word(code + MACHINE_CODE + 4);

	if (op == 0xd2801168 && next == 0xd4000001) /* mov x8,#139; svc #0 */
		return LEAVING_SIGNAL;
	if (!exact)
		return LEAVING_UNKNOWN;
	if (op == 0xd65f03c0 || op == 0xd503245f || op == 0xd503233f) /* ret, bti c, paciasp */
		return LEAVING_CALLED;
	if ((op & 0xffc07fff) == 0xa9807bfd) /* stp x29,x30,[sp,#n]! */
		return LEAVING_CALLED;
	return LEAVING_UNKNOWN;
}
