/*
 * options.h: what the environment asks of the collector.
 *
 * $PCT holds letters, which blanks may separate (see docs/COLLECTOR.md); $PCT_DIR names the
 * directory of run directories, $PCT_RUN a file to tell of them, $PCT_PLANS one of expressions
 * to evaluate (planfile.h). All is copied: the program may change its environment.
 */
#ifndef PCT_OPTIONS_H
#define PCT_OPTIONS_H

#include "countfile.h"
#include "resource.h"

#include <stdbool.h>

enum { PATH_MOST = 4096 };

struct options {
	enum count_kind kind; /* histogram, log or circular */
	enum time_kind time;
	bool truncate, verbose, random;
	bool paths;        /* call paths, in place of counts of each object */
	bool histogram;    /* by an explicit size of bins or counters, whatever it costs */
	bool to_file;      /* p or o: count files at `path`, no run directory */
	uint32_t width;    /* bytes of a counter */
	uint64_t bin;      /* bytes of addresses */
	uint64_t records;  /* capacity of a circular log */
	uint64_t period;   /* ns, mean */
	bool calls;        /* activations of functions are counted on their return */
	struct resource resources[RESOURCES_MOST]; /* of the call paths */
	uint32_t resource_count;
	bool named;        /* by the letter x */
	char bad;          /* the first letter not understood, or 0 */
	char path[PATH_MOST];
	char dir[PATH_MOST];
	char run[PATH_MOST];
	char plans[PATH_MOST]; /* of expressions, "" if there are none */
};

extern struct options options;

/* Reads the environment; false if PCT does not exist in it, if a path is too
 * long, or if the program has rights that its user has not (set-uid). */
bool options_read(char **environment);

/* The index of the resource that the clock measures; RESOURCES_MOST if there is none. */
uint32_t options_clock(void);

#endif
