/*
 * ops.h: the instructions of plans, what their execution comes to, and its bounds.
 *
 * Generated from internal/plan by "go generate ./internal/plan": do not edit.
 */
#ifndef PCT_OPS_H
#define PCT_OPS_H

#include <stdint.h>

enum plan_op {
	OP_FAIL, /* end: the value cannot be had, for the reason Arg */
	OP_CONST, /* push Arg */
	OP_ADDRESS, /* push Arg, an address of the object, where it is mapped */
	OP_REGISTER, /* push a register by its DWARF number Arg */
	OP_HIGH, /* push the second 8 bytes of a vector register, the last 2 of one of the x87 */
	OP_CFA, /* push the canonical frame address */
	OP_ENTRY, /* push what register Arg held when the function was entered */
	OP_THREAD, /* push the address of the thread's copy of the thread-local variable at offset Arg */
	OP_LOAD, /* pop an address, push the Size bytes there; unreadable with Arg 1: -1 */
	OP_EXTEND, /* keep the low Size bytes, the sign in all others */
	OP_TRUNCATE, /* keep the low Size bytes, zero in all others */
	OP_DUP, /* push the top again */
	OP_DROP,
	OP_SWAP,
	OP_PICK, /* push the word that is Arg below the top */
	OP_ROTATE, /* the top goes below the two others */
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV_S, /* by zero: end */
	OP_DIV_U,
	OP_MOD_S,
	OP_MOD_U,
	OP_NEG,
	OP_NOT,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_SHL, /* by 64 or more: 0 */
	OP_SHR_S,
	OP_SHR_U,
	OP_EQ, /* push 1 or 0 */
	OP_NE,
	OP_LT_S,
	OP_LT_U,
	OP_LE_S,
	OP_LE_U,
	OP_FADD,
	OP_FSUB,
	OP_FMUL,
	OP_FDIV,
	OP_FNEG,
	OP_FEQ,
	OP_FNE,
	OP_FLT,
	OP_FLE,
	OP_FROM_S, /* whole number to double */
	OP_FROM_U, /* unsigned number to double */
	OP_TO_S, /* double to whole number, towards zero */
	OP_FROM_F32, /* the bits of a float to a double */
	OP_TO_F32, /* a double to the bits of a float */
	OP_ROUND32, /* a double as precise as a float */
	OP_JUMP, /* go on Arg instructions behind the next one */
	OP_JUMP_ZERO, /* pop; if 0, jump */
	OP_OUT, /* pop, append the low Size bytes to the value */
	OP_OUT_MEM, /* pop an address, append the Arg bytes there to the value */
	OP_OUT_GONE, /* append Arg bytes that the program does not keep; of Size 1 a pointer to what it keeps */
	OP_OUT_TEXT, /* pop an address, append the text there, up to Arg bytes; of Size 2 or 4 a wide one */
	OP_OUT_BLOCK, /* pop a length and an address, append up to Arg bytes; push 1, unreadable: 0 */
	OP_END, /* end: the value is whole */
};

enum plan_outcome {
	PLAN_GOT,
	PLAN_OPTIMIZED_OUT, /* the program does not keep it */
	PLAN_NO_MEMORY, /* an address that it leads to is not mapped */
	PLAN_DIVISION_BY_ZERO,
	PLAN_NO_REGISTER, /* the frame does not tell the register */
	PLAN_NO_ENTRY, /* the caller does not tell what it passed */
	PLAN_TOO_LONG, /* more steps than a plan may take */
	PLAN_NO_THREAD, /* the thread has no copy of the variable */
	PLAN_OUT_OF_BOUNDS, /* there is no element of this index */
};

enum {
	PLAN_STEPS = 4096,
	PLAN_DEPTH = 64,
	PLAN_UNREADABLE = 0xffff,
};

/* How many words an instruction takes from the stack, or looks at. */
static const uint8_t plan_pops[] = {
	[OP_LOAD] = 1,
	[OP_EXTEND] = 1,
	[OP_TRUNCATE] = 1,
	[OP_DUP] = 1,
	[OP_DROP] = 1,
	[OP_SWAP] = 2,
	[OP_ROTATE] = 3,
	[OP_ADD] = 2,
	[OP_SUB] = 2,
	[OP_MUL] = 2,
	[OP_DIV_S] = 2,
	[OP_DIV_U] = 2,
	[OP_MOD_S] = 2,
	[OP_MOD_U] = 2,
	[OP_NEG] = 1,
	[OP_NOT] = 1,
	[OP_AND] = 2,
	[OP_OR] = 2,
	[OP_XOR] = 2,
	[OP_SHL] = 2,
	[OP_SHR_S] = 2,
	[OP_SHR_U] = 2,
	[OP_EQ] = 2,
	[OP_NE] = 2,
	[OP_LT_S] = 2,
	[OP_LT_U] = 2,
	[OP_LE_S] = 2,
	[OP_LE_U] = 2,
	[OP_FADD] = 2,
	[OP_FSUB] = 2,
	[OP_FMUL] = 2,
	[OP_FDIV] = 2,
	[OP_FNEG] = 1,
	[OP_FEQ] = 2,
	[OP_FNE] = 2,
	[OP_FLT] = 2,
	[OP_FLE] = 2,
	[OP_FROM_S] = 1,
	[OP_FROM_U] = 1,
	[OP_TO_S] = 1,
	[OP_FROM_F32] = 1,
	[OP_TO_F32] = 1,
	[OP_ROUND32] = 1,
	[OP_JUMP_ZERO] = 1,
	[OP_OUT] = 1,
	[OP_OUT_MEM] = 1,
	[OP_OUT_TEXT] = 1,
	[OP_OUT_BLOCK] = 2,
	[OP_END] = 0,
};

#endif
