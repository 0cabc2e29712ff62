/*
 * resource.h: what the collector can measure, and how it is asked for.
 *
 * A resource is something that a program consumes bit by bit, in gticks of a unit. Its interval
 * timer (interval.h) samples when an interval has been consumed. Each has a file of call paths.
 */
#ifndef PCT_RESOURCE_H
#define PCT_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

enum { RESOURCES_MOST = 8 };

/* What counts it. */
enum resource_source {
	RESOURCE_TIME,  /* the clock */
	RESOURCE_ALLOC, /* libpctalloc.so */
	RESOURCE_IO,    /* libpctio.so, also bytes */
	RESOURCE_FPE,   /* traps */
	RESOURCE_EVENT, /* the kernel */
};

/* Which time it is, of RESOURCE_TIME. */
enum time_kind { TIME_PROF, TIME_VIRTUAL, TIME_REAL };

struct resource_kind {
	const char *name, *unit;
	uint64_t interval; /* the default; 0: the clock's period */
	enum resource_source source;
	uint32_t which; /* of one source */
};

struct resource {
	const struct resource_kind *kind;
	uint64_t interval; /* gticks; 0: the clock's period */
};

/* Reads NAME[:INTERVAL], up to a blank or the end, and moves *s there; false if it's none. */
bool resource_read(const char **s, struct resource *r);

/* The kind of a name; NULL if there is none. */
const struct resource_kind *resource_kind(const char *name);

#endif
