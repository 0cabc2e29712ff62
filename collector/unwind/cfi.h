/*
 * cfi.h: call frame information: the rules for one address, as the compiler wrote them.
 */
#ifndef PCT_UNWIND_CFI_H
#define PCT_UNWIND_CFI_H

#include "cursor.h"
#include "machine.h"
#include "objects.h"

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

enum { ROWS_REMEMBERED = 8 };

/* What the entries of a CIE have in common. */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	unsigned encoding; /* of the addresses in entries */
	bool augmented;    /* entries have augmentation data */
	bool signal;       /* they are of signals' frames */
};

/* Memory to work in, too large for a signal's stack. */
struct cfi_work {
	struct cursor cursor, program;
	/* Of the CIE at common_at, and the row that it begins with; 0: none. Entries one after another have the same as a rule. */
	uintptr_t common_at;
	struct cfi_common common;
	struct row row, initial;
	struct row remembered[ROWS_REMEMBERED];
};

/*
 * Works out the row for an address in an object, into work->row; false if there is none that
 * can be used.
 */
bool cfi_row(struct cfi_work *work, const struct objects_view *v, const struct object *o, uintptr_t address);

/* The first address that has the call frame information of an address; 0 if there is none. */
uintptr_t cfi_start(const struct objects_view *v, const struct object *o, uintptr_t address);

/*
 * Whether the function of the table's i-th pair goes to handlers of exceptions, as libgcc's do, and where it is; false too if it has
 * no call frame information that can be used. *start and *end are set if that could be read.
 */
bool cfi_jumps(struct cfi_work *work, const struct objects_view *v, const struct object *o, uint32_t i, uintptr_t *start, uintptr_t *end);

/* The place of a register's rule in a row, or -1. */
static inline int cfi_place(uint64_t reg)
{
	return reg == MACHINE_FP ? ROW_FP : reg == MACHINE_SP ? ROW_SP : reg == MACHINE_RA ? ROW_RA : machine_saved(reg);
}

#endif
