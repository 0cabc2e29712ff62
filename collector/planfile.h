/*
 * planfile.h: the file of plans, which `profile` makes of a run's expressions and of the arguments
 * of functions ($PCT_PLANS).
 *
 * A header, and one behind the other objects, stretches, uses, entries, sites, instructions
 * (struct plan_instr, of which OP_ENTRY names an entry in place of a register, and OP_THREAD
 * counts from the thread pointer), the beginning of the files of values, and the paths of
 * objects. All numbers are little-endian.
 */
#ifndef PCT_PLANFILE_H
#define PCT_PLANFILE_H

#include <stdint.h>

#define PLANS_MAGIC "PCTplans2\n"

enum {
	PLANS_OBJECTS = 16,    /* objects at most */
	PLANS_EXPRESSIONS = 32, /* expressions at most */
	PLANS_ID = 32,         /* bytes of a build ID at most */
	PLANS_RECORD = 1 << 15, /* bytes of all values of a sample at most */
	PLANS_ARGUMENT = 0xffff, /* in place of an expression: a function's argument */
};

struct plans_header {
	char magic[16];
	uint32_t header; /* bytes of it */
	uint32_t expressions;
	uint32_t objects, stretches, uses, entries, sites, instrs; /* how many */
	uint32_t head, paths; /* bytes */
	uint32_t arguments;   /* not 0: those of all functions are evaluated */
	uint32_t zero;
};

/* An object: by its build ID, or if it has none by its path. */
struct plans_object {
	uint8_t id[PLANS_ID];
	uint32_t id_length;
	uint32_t first, count; /* stretches, in the order of their addresses */
	uint32_t path, path_length;
	uint32_t zero[3];
};

/* A stretch of code, by addresses of the object, in which some expressions are evaluated. */
struct plans_stretch {
	uint64_t low, high;
	uint32_t first, count; /* uses, those of arguments in their order */
	uint32_t calls;        /* the functions that it is in, as the records name them; 0: they have no arguments */
	uint32_t zero;
};

struct plans_use {
	uint16_t expression;
	uint16_t plan; /* as the records name it */
	uint32_t first, count; /* instructions */
	uint32_t zero;
};

/* What the callers of a function passed in a register: sites in the order of their addresses. */
struct plans_entry {
	uint32_t first, count;
};

/* A call, by the address of the object that it returns to: instructions for the caller's frame. */
struct plans_site {
	uint64_t returns;
	uint32_t first, count;
};

_Static_assert(sizeof(struct plans_entry) == 8 && sizeof(struct plans_site) == 16, "as profile writes them");
_Static_assert(sizeof(struct plans_header) == 64 && sizeof(struct plans_object) == 64, "as profile writes them");
_Static_assert(sizeof(struct plans_stretch) == 32 && sizeof(struct plans_use) == 16, "as profile writes them");

#endif
