/*
 * rules.h: the rules of one address: how the values of the calling frame are found.
 */
#ifndef PCT_UNWIND_RULES_H
#define PCT_UNWIND_RULES_H

#include "machine.h"

#include <stdbool.h>
#include <stdint.h>

/* How a value of the calling frame is found. */
enum rule_kind {
	RULE_NONE,       /* not said: preserved or clobbered as the machine's conventions have it */
	RULE_SAME,       /* the register has the caller's value */
	RULE_UNDEFINED,  /* lost; of the return address: there is no caller */
	RULE_OFFSET,     /* in memory at CFA + offset */
	RULE_VAL_OFFSET, /* CFA + offset */
	RULE_REGISTER,   /* in a register; of the CFA: register + offset */
	RULE_EXPR,       /* in memory at the address that an expression gives; of the CFA: its value */
	RULE_VAL_EXPR,   /* what an expression gives */
};

struct rule {
	uint8_t kind;    /* enum rule_kind */
	uint8_t reg;     /* by DWARF number */
	uint16_t length; /* of an expression, at `at` */
	int32_t offset;
	uint64_t at;
};

/* The registers whose rules are kept: those that a function preserves. */
enum { ROW_FP = MACHINE_SAVED, ROW_SP, ROW_RA, ROW_RULES };

struct row {
	struct rule cfa;
	struct rule rules[ROW_RULES];
	bool signal;          /* a signal's frame */
	bool ra_signed;       /* the return address is signed (aarch64) */
	/* Of libgcc's functions that go to a handler of an exception, as handler.h says: */
	bool jumps;           /* it is one of them: it saved registers that a handler gets its data in */
	bool lands;           /* the caller is at its landing pad */
	bool handler;         /* the caller is told by the context of the handler, at the CFA's place */
};

/* The place of a register's rule in a row, or -1. */
static inline int row_place(uint64_t reg)
{
	return reg == MACHINE_FP ? ROW_FP :
	       reg == MACHINE_SP ? ROW_SP :
	       reg == MACHINE_RA ? ROW_RA : machine_saved(reg);
}

#endif
