/*
 * x86_64.h: the registers, contexts and calls of x86-64.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

enum {
	MACHINE_FP = 6,
	MACHINE_SP = 7,
	MACHINE_RA = 16,
	MACHINE_REGISTERS = 16,
	MACHINE_SAVED = 5, /* rbx, r12 to r15 */
	MACHINE_RED_ZONE = 128,
	MACHINE_RA_IN_REGISTER = 0,
	MACHINE_HANDLER_DATA = 0,
	MACHINE_CODE = 16,
};

/* The place of a register among the preserved ones, or -1. */
static inline int machine_saved(uint64_t reg)
{
	return reg == 3 ? 0 : reg >= 12 && reg <= 15 ? (int)reg - 11 : -1;
}

/* The number of the one in a place. */
static inline unsigned machine_preserved(unsigned place)
{
	return place ? place + 11 : 3;
}

/* Where in a context a register stands; the one after the last is the pc. */
static inline size_t machine_context_offset(unsigned reg)
{
	static const uint8_t gregs[MACHINE_REGISTERS + 1] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	return offsetof(ucontext_t, uc_mcontext.gregs) + 8u * gregs[reg];
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
	return u->uc_mcontext.fpregs;
}

/* Half of a vector register, by the register's DWARF number; NULL if it is none. */
static inline const uint64_t *machine_vector(const ucontext_t *u, uint64_t reg, bool high)
{
	enum { XMM0 = 17, VECTORS = 16 };

	if (!machine_whole(u) || reg - XMM0 >= VECTORS)
		return NULL;
	return (const uint64_t *)&u->uc_mcontext.fpregs->_xmm[reg - XMM0] + high;
}

/* Where the context stands in a signal's frame, from the stack pointer at sigreturn. */
enum { MACHINE_SIGNAL_CONTEXT = 0 };

static inline uint64_t machine_return_address(uint64_t word)
{
	return word;
}

/* The thread pointer, which lies above all frames of a thread's own stack. */
static inline uintptr_t machine_thread_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

/* Whether a call instruction ends where code, of 8 bytes, does. */
static inline bool machine_called(const uint8_t *code)
{
	const uint8_t *end = code + 8;

	if (end[-5] == 0xe8)
		return true;
	/* ff /2: the length follows from the ModRM byte, its low bits 100 mean a SIB byte. */
	for (int back = 2; back <= 7; back++) {
		unsigned modrm = end[1 - back], mode = modrm >> 6, low = modrm & 7;
		int length = 2;

		if (end[-back] != 0xff || (modrm >> 3 & 7) != 2)
			continue;
		if (mode != 3 && low == 4)
			length++;
		if (mode == 1)
			length++;
		else if (mode == 2 || (mode == 0 && (low == 5 || (low == 4 && back >= 3 && (end[2 - back] & 7) == 5))))
			length += 4;
		if (length == back)
			return true;
	}
	return false;
}

static inline bool machine_equal(const uint8_t *code, const char *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (code[i] != (uint8_t)bytes[i])
			return false;
	return true;
}

/*
 * Whether the first function of a context of Boost's returns to a pc with that code around it:
 * make_fcontext has the pc pushed and the function jumped to, and _exit called if it returns.
 */
static inline bool machine_ends_context(const uint8_t *code)
{
	const uint8_t *pc = code + MACHINE_CODE;

	return machine_equal(pc - 3, "\x55\xff\xe3", 3) && machine_equal(pc, "\x48\x31\xff\xe8", 4);
}

/*
 * What the instructions around a pc tell: MACHINE_CODE bytes before it and as many from it on.
 * exact: the pc is about to be executed, else it is a return address.
 */
static inline enum machine_leaving machine_leaving(const uint8_t *code, bool exact)
{
	static const struct {
		const char *before;
		unsigned before_length;
		const char *after;
		unsigned after_length;
		enum machine_leaving how;
	} patterns[] = {
		{ "", 0, "\xf3\x0f\x1e\xfa", 4, LEAVING_CALLED },     /* endbr64 */
		{ "", 0, "\x55\x48\x89\xe5", 4, LEAVING_CALLED },     /* push %rbp; mov %rsp,%rbp */
		{ "", 0, "\x55\x48\x8b\xec", 4, LEAVING_CALLED },
		{ "\x55", 1, "\x48\x89\xe5", 3, LEAVING_PUSHED },
		{ "\x55", 1, "\x48\x8b\xec", 3, LEAVING_PUSHED },
		{ "", 0, "\xff\x25", 2, LEAVING_CALLED },             /* jmp *n(%rip) */
		{ "", 0, "\xf2\xff\x25", 3, LEAVING_CALLED },
		{ "", 0, "\xc3", 1, LEAVING_CALLED },                 /* ret */
		{ "", 0, "\xc2", 1, LEAVING_CALLED },
		{ "", 0, "\xf2\xc3", 2, LEAVING_CALLED },
		{ "", 0, "\xf3\xc3", 2, LEAVING_CALLED },
		{ "", 0, "\x5d\xc3", 2, LEAVING_PUSHED },             /* pop %rbp; ret */
		{ "", 0, "\xc9\xc3", 2, LEAVING_FRAMED },             /* leave; ret */
	};
	const uint8_t *pc = code + MACHINE_CODE;

	/* mov $15,%eax, in two encodings; syscall */
	if (machine_equal(pc, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9) ||
	    machine_equal(pc, "\xb8\x0f\x00\x00\x00\x0f\x05", 7) ||
	    (machine_equal(pc, "\x0f\x05", 2) &&
	     (machine_equal(pc - 7, "\x48\xc7\xc0\x0f\x00\x00\x00", 7) ||
	      machine_equal(pc - 5, "\xb8\x0f\x00\x00\x00", 5))))
		return LEAVING_SIGNAL;
	for (size_t i = 0; exact && i < sizeof patterns / sizeof *patterns; i++)
		if (machine_equal(pc - patterns[i].before_length, patterns[i].before, patterns[i].before_length) &&
		    machine_equal(pc, patterns[i].after, patterns[i].after_length))
			return patterns[i].how;
	return LEAVING_UNKNOWN;
}
