/*
 * valuesfile.h: the file of values of a resource, `values.NAME`, as docs/FORMAT.md says.
 *
 * A header, what tells of the plans, and records, each of a sample.
 */
#ifndef PCT_VALUESFILE_H
#define PCT_VALUESFILE_H

#include <stdatomic.h>
#include <stdint.h>

#define VALUES_PREFIX "values." /* of the name, before that of the resource */

/* What the file of plans has of it is a copy: the library counts alone. */
struct values_header {
	char magic[16];
	uint32_t header, fields; /* bytes */
	_Atomic uint64_t used;   /* bytes of records, those that are not whole among them */
	_Atomic uint64_t lost;   /* records */
	uint64_t zero[3];
};

enum {
	VALUES_WHOLE = 1,
	VALUES_FRAME = 0xffff, /* in place of a plan: a frame, whose arguments follow */
	VALUES_NO_ROOM = 0xffff, /* in place of its number: there was no room for the others */
};

struct values_record {
	_Atomic uint32_t head; /* bytes of the record, a multiple of 4, and VALUES_WHOLE last of all */
	uint32_t node;         /* of the sample, in the tree of `paths.NAME` */
	uint32_t thread;
	uint32_t count;        /* samples that it stands for */
	uint32_t time[2];      /* ns since the start that the tree's file has, the lower half first */
};

/* Behind the record's head one after the other, each with its bytes, up to a multiple of 4. */
struct values_value {
	uint16_t plan;
	uint8_t outcome; /* enum plan_outcome */
	uint8_t zero;
	uint32_t length; /* bytes */
};

_Static_assert(sizeof(struct values_header) == 64 && sizeof(struct values_record) == 24, "as docs/FORMAT.md says");
/* A frame of which the functions have arguments; their values follow in their order. */
struct values_frame {
	uint16_t plan;  /* VALUES_FRAME */
	uint16_t depth; /* calls out from the innermost */
	uint32_t calls; /* the functions, by their number in the file of plans */
};

_Static_assert(sizeof(struct values_value) == 8 && sizeof(struct values_frame) == 8, "as docs/FORMAT.md says");

#endif
