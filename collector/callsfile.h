/*
 * callsfile.h: the file of call paths of a resource, `paths.NAME`, as docs/FORMAT.md says.
 *
 * A header, and the tree that unwind/tree.h describes, with text that tells of the objects.
 */
#ifndef PCT_CALLSFILE_H
#define PCT_CALLSFILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CALLS_PREFIX "paths." /* of the name, before that of the resource */
#define CALLS_MAGIC "PCTcalls2\n"

enum { CALLS_TREE = 128, CALLS_TEXT_MOST = 512 << 10 };

struct calls_header {
	char magic[16];
	uint32_t header;
	uint32_t zero[2];
	_Atomic uint32_t used;         /* bytes of text in the tree: whole lines */
	uint64_t tree;                 /* where it begins */
	uint64_t period;               /* ns */
	uint64_t start;                /* ns since 1970 */
	uint64_t interval;             /* what a sample weighs, in the unit */
	_Atomic uint64_t lost;         /* samples, without those that the tree tells of */
	uint32_t pid;
	uint32_t reserved;
	char clock[16];
	char resource[16];
	char unit[16];
};

_Static_assert(sizeof(struct calls_header) == CALLS_TREE, "the tree follows");
_Static_assert(offsetof(struct calls_header, clock) == 80, "as docs/FORMAT.md says");

#endif
