/*
 * objects.h: the table of objects, and what keeps it and what it leads to in place while it's
 * read.
 */
#ifndef PCT_UNWIND_OBJECTS_H
#define PCT_UNWIND_OBJECTS_H

#include "unwind.h"

struct object {
	struct unwind_object given;
	uintptr_t table; /* of .eh_frame_hdr: pairs of 4 bytes, sorted; 0: none */
	uint32_t count;  /* of pairs */
};

/* What a reader holds from objects_enter to objects_leave. */
struct objects_view {
	const struct object *all;
	uint32_t count;
	uint32_t side;
	uint32_t epoch;
	bool guarded;  /* nothing of the last object is read directly */
	bool fleeting; /* nothing of some object is */
	const struct object *last;
};

bool objects_start(void);

/* Sets table and count by the head of .eh_frame_hdr. */
void objects_read_header(struct object *o);

void objects_enter(struct objects_view *v);
void objects_leave(struct objects_view *v);

/* The object that an address lies in, or NULL. */
const struct object *objects_search(struct objects_view *v, uintptr_t address);

static inline const struct object *objects_find(struct objects_view *v, uintptr_t address)
{
	const struct object *o = v->last;

	if (o && address >= o->given.start && address < o->given.end)
		return o;
	return objects_search(v, address);
}

#endif
