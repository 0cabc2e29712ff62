/*
 * plan.h: plans, the instructions that fetch a value in a frame of a call path. What each does,
 * internal/plan says, which executes them as well: both write the same bytes.
 *
 * For any instructions whatever, the execution ends after PLAN_STEPS, reads memory by the frame's
 * functions alone, and stays within the room it is given. It may run in a handler.
 */
#ifndef PCT_PLAN_H
#define PCT_PLAN_H

#include "ops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan_instr {
	uint8_t op, size; /* enum plan_op */
	uint8_t zero[6];
	int64_t arg;
};

/* A frame, and what tells of it: false if it is not known for sure, or not all can be read. */
struct plan_frame {
	void *of;
	bool (*reg)(void *of, uint64_t number, uint64_t *value); /* by its DWARF number */
	bool (*high)(void *of, uint64_t number, uint64_t *value);
	bool (*cfa)(void *of, uint64_t *value);
	/* what the instructions name for the caller's frame; NULL: nothing is known of it */
	bool (*entry)(void *of, uint64_t number, uint64_t *value);
	bool (*read)(void *of, uint64_t at, void *to, size_t n);
	uint64_t bias;   /* of the object: run-time address minus ELF virtual address */
	uint64_t thread; /* the thread pointer, from which OP_THREAD counts; 0: not known */
};

/*
 * Executes n instructions. What they write is in `out`, *size bytes, which is the room at
 * first; it counts only if the outcome is PLAN_GOT.
 */
enum plan_outcome plan_run(const struct plan_instr *code, uint32_t n, const struct plan_frame *f, uint8_t *out,
			   size_t *size);

#endif
