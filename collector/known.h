/*
 * known.h: the objects that are known, as many as there is room for.
 *
 * An object that is mapped nowhere and has no count file gives its place to a new one when
 * there is no other; what has its number goes on to mean it, for numbers are not used
 * again. For the holder of the slow lock.
 */
#ifndef PCT_KNOWN_H
#define PCT_KNOWN_H

#include "countfile.h"

#include <stdbool.h>

enum { TABLE_LEVELS = 5 };

enum file_state { FILE_NONE, FILE_OPEN, FILE_FAILED };

/* A mapped file, the vDSO, or anonymous memory: what gets a count file. */
struct object {
	enum object_kind kind;
	uint32_t number; /* from 1, which no other object ever had; 0: there are no more numbers */
	uint32_t areas; /* that it is mapped in */
	uint64_t device, inode;
	const char *path;
	uint64_t low, size; /* ELF virtual addresses; 0 until an area is placed */
	uint8_t id_length;
	uint8_t id[BUILD_ID_MOST];
	bool main;
	bool outdated; /* its file has become another one */
	uint32_t told; /* a bit for each file of call paths that tells of it; owned by mapped.c */
	/* Of the count file; owned by store.c and mapping.c. */
	_Atomic enum file_state state;
	struct count_header *header;
	_Atomic uint64_t *touched; /* a bit for each page of the payload that has its room */
	size_t mapped;             /* bytes */
	_Atomic(_Atomic uint64_t *) index[TABLE_LEVELS]; /* of a table; owned by table.c */
	int try;                   /* which name it got: NAME, NAME.2 and so on */
};

/* The object of this identity, NULL if there is none. */
struct object *known_find(enum object_kind kind, uint64_t device, uint64_t inode);

/* A new one; NULL if there is no room. */
struct object *known_new(enum object_kind kind, uint64_t device, uint64_t inode, const char *path);

/* The object of a mapped file; a new one if its path is another one by now. */
struct object *known_file(uint64_t device, uint64_t inode, const char *path);

/*
 * Another object in the place of this one, which is no more what its file was; NULL if there's no
 * room.
 */
struct object *known_anew(struct object *o);

/* Calls f for each object that a sample was seen in or not. */
void known_each(void (*f)(struct object *));

#endif
