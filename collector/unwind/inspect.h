/*
 * inspect.h: what the frames of a path hold, for who reads the program's variables. What is
 * not known for sure is refused.
 */
#ifndef PCT_UNWIND_INSPECT_H
#define PCT_UNWIND_INSPECT_H

#include "unwind.h"

/* A frame of a path, between unwind_path and unwind_done. */
struct inspected {
	struct unwind_thread *thread;
	const struct unwind_path *path;
	uint32_t depth; /* calls out from the innermost */
	bool sure;      /* that it is a frame, and where its stack pointer is */
};

/* at: the frame's place on the path, 0 for the outermost. */
struct inspected inspect(struct unwind_thread *t, const struct unwind_path *path, uint32_t at);

/* A register by its DWARF number, as it is when the frame goes on. */
bool inspect_register(const struct inspected *i, uint64_t number, uint64_t *value);

/* The second half of a vector register. */
bool inspect_high(const struct inspected *i, uint64_t number, uint64_t *value);

/* The canonical frame address. */
bool inspect_cfa(const struct inspected *i, uint64_t *value);

/* Reads memory, all bytes or none. */
bool inspect_read(const struct inspected *i, uintptr_t at, void *to, size_t n);

#endif
