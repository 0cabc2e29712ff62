/*
 * program.h: the instructions of call frame information, of a CIE and then of an FDE.
 */
#ifndef PCT_UNWIND_PROGRAM_H
#define PCT_UNWIND_PROGRAM_H

#include "cursor.h"
#include "rules.h"

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
	/*
	 * Of the CIE at common_at, and the row that it begins with; 0: none. Entries one after
	 * another have the same as a rule.
	 */
	uintptr_t common_at;
	struct cfi_common common;
	struct row row, initial;
	struct row remembered[ROWS_REMEMBERED];
};

/*
 * Executes instructions on work->row, given work->common and work->initial, from the address that
 * the first is for until the next would be for one after the target. False if one isn't known or
 * can't be read; the row is then of no use.
 */
bool program_execute(struct cfi_work *work, struct cursor *c, uint64_t start, uint64_t target);

#endif
