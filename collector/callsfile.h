/*
 * callsfile.h: the file of the call paths, `calls`, as docs/FORMAT.md says.
 *
 * A header, text that tells of the objects, and the tree that unwind/tree.h describes.
 */
#ifndef PCT_CALLSFILE_H
#define PCT_CALLSFILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CALLS_FILE "calls"
#define CALLS_MAGIC "PCTcalls1\n"

enum { CALLS_OBJECTS = 512, CALLS_TREE = 512 << 10 };

struct calls_header {
	char magic[16];
	uint32_t header;
	uint32_t objects;              /* where their text begins */
	uint32_t room;                 /* bytes for it */
	_Atomic uint32_t used;         /* of them: whole lines */
	uint64_t tree;                 /* where it begins */
	uint64_t period;               /* ns */
	uint64_t start;                /* ns since 1970 */
	uint64_t interval;             /* what a sample weighs, in the unit */
	_Atomic uint64_t lost;         /* samples, without those that the tree tells of */
	uint32_t pid;
	uint32_t zero;
	char clock[16];
	char resource[16];
	char unit[16];
	char reserved[384];
	char text[3584]; /* the first of it */
};

_Static_assert(sizeof(struct calls_header) == 4096, "the header and the text share a page");
_Static_assert(offsetof(struct calls_header, text) == CALLS_OBJECTS, "as docs/FORMAT.md says");
_Static_assert(offsetof(struct calls_header, clock) == 80, "as docs/FORMAT.md says");

#endif
