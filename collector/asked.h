/*
 * asked.h: plans, executed in the frames of a path. A plan may ask what the caller passed in a
 * register, which the plan of the call tells in the caller's frame, where the same may be asked
 * again: that is kept for all plans of a path, and takes no more stack than one plan.
 */
#ifndef PCT_ASKED_H
#define PCT_ASKED_H

#include "plan.h"
#include "unwind/inspect.h"

enum { ASKED_KEPT = 1 << 10, ASKED_DEEP = 1 << 10 };

/* What was passed to the frame at a place of the path. */
struct asked_entry {
	uint64_t number, value; /* of the entry in the file of plans */
	uint32_t at;
	uint32_t path; /* the number of the path that it is of */
	bool found;
};

/* Memory for it, zero at first. */
struct asked_memory {
	uint32_t path;  /* its number */
	uint32_t steps; /* plans of calls that were executed for it */
	bool wanted;    /* the plan that was executed last wants the first one */
	struct asked_entry want, todo[ASKED_DEEP], kept[ASKED_KEPT];
};

/* A frame in which plans are executed. */
struct asked {
	struct asked_memory *memory;
	struct inspected frame;
	uint32_t at; /* its place on the path */
	const struct unwind_object *object;
};

/* A path begins. */
void asked_begin(struct asked_memory *m);

/* plan_run in a frame. */
enum plan_outcome asked_run(struct asked *a, const struct plan_instr *code, uint32_t n, uint8_t *out, size_t *size);

#endif
