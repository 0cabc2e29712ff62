/*
 * object.h: which object is mapped where.
 *
 * An area is a stretch of executable memory that one object occupies. Areas are read
 * from /proc/self/maps when a sample's address is in none that is known. Looking one
 * up takes no lock and may happen in any handler at any time; all other functions
 * are for the one holder of the slow lock (slow.h).
 */
#ifndef PCT_OBJECT_H
#define PCT_OBJECT_H

#include "known.h"

/* What a look-up found: a copy, for areas can vanish at any time. */
struct place {
	struct object *object; /* NULL: the address is in no known area */
	uint64_t bias;
	bool placed; /* false: bias is not known yet */
};

/* Looks up an address. */
struct place object_at(uintptr_t pc);

/*
 * Reads the memory map again and returns the place of pc, with its bias; what is in no
 * file belongs to the object of anonymous memory. object is NULL if the map cannot be read.
 */
struct place object_find(uintptr_t pc);

/* A stretch of executable memory, with where its call frame information is. */
struct area_found {
	struct object *object;
	uintptr_t start, end;
	uint64_t bias;
	uintptr_t frames, frames_low, frames_high; /* run-time addresses as in struct image; 0: none */
};

/* Places all areas and calls f for each, in the order of addresses, until it returns false. */
void object_each_area(bool (*f)(const struct area_found *));

/* Grows when an area comes or goes. */
uint32_t object_generation(void);

/* The object for anonymous memory at pc; logs have one for each 4 GB. */
struct object *object_anonymous(uintptr_t pc);

/* Takes the entry point, which identifies the main program. Call it once, at the start. */
void object_set_entry(uintptr_t entry);

/* Tells that the program unmaps something: known areas are stale. Any thread; takes no lock. */
void object_changed(void);

/*
 * Whether to read the map before believing a look-up: after object_changed, and otherwise every
 * other second or after some samples, because not all changes are reported.
 */
bool object_stale(void);

#endif
