/*
 * object.h: which object is mapped where (object.c), and what is known of it (known.c).
 *
 * An area is a stretch of executable memory that one object occupies. Areas are read
 * from /proc/self/maps when a sample's address is in none that is known. Looking one
 * up takes no lock and may happen in any handler at any time; all other functions
 * are for the one holder of the slow lock (collector.c).
 */
#ifndef PCT_OBJECT_H
#define PCT_OBJECT_H

#include "countfile.h"

#include <stdbool.h>

enum { TABLE_LEVELS = 5 };

enum file_state { FILE_NONE, FILE_OPEN, FILE_FAILED };

/* A mapped file, the vDSO, or anonymous memory: what gets a count file. */
struct object {
	enum object_kind kind;
	uint32_t number;
	uint32_t areas; /* that it is mapped in */
	uint64_t device, inode;
	const char *path;
	uint64_t low, size; /* ELF virtual addresses; 0 until an area is placed */
	uint8_t id_length;
	uint8_t id[BUILD_ID_MOST];
	bool main;
	bool outdated; /* its file has become another one */
	uint32_t told; /* a bit for each file of call paths that tells of it; owned by contexts.c */
	/* Of the count file; owned by store.c and mapping.c. */
	_Atomic enum file_state state;
	struct count_header *header;
	_Atomic uint64_t *touched; /* a bit for each page of the payload that has its room */
	size_t mapped;             /* bytes */
	_Atomic(_Atomic uint64_t *) index[TABLE_LEVELS]; /* of a table; owned by table.c */
	int try;                   /* which name it got: NAME, NAME.2 and so on */
};

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
 * file is of an object of anonymous memory. object is NULL where it can't be known.
 */
struct place object_find(uintptr_t pc);

/* Calls f for each object that a sample was seen in or not. */
void object_each(void (*f)(struct object *));

/* An object's number, from 1, which no other object ever had; 0: there are no more numbers. */
uint32_t object_number(const struct object *o);

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

/* Where the program begins, to know the main program by; once, at the start. */
void object_set_entry(uintptr_t entry);

/* The program unmaps something: what is known is stale. From any thread, takes no lock. */
void object_changed(void);

/*
 * Whether the map is to be read before a look-up is believed: after object_changed, and every
 * other second or some samples later, for not all changes are told of.
 */
bool object_stale(void);

#endif
