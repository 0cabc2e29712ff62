/*
 * plans.h: the plans that are to be executed, by the code that they are for.
 */
#ifndef PCT_PLANS_H
#define PCT_PLANS_H

#include "object.h"
#include "plan.h"
#include "planfile.h"

/* Reads the file of plans, if there is one; when the program starts, not in a handler. */
void plans_start(void);

/* Whether anything is evaluated. In handlers too, as all that follows. */
bool plans_there(void);

/* How many expressions there are. */
uint32_t plans_expressions(void);

/* Whether the arguments of functions are evaluated. */
bool plans_arguments(void);

/* The beginning of the files of values, and its bytes. */
const void *plans_head(size_t *n);

/* An object is mapped: its plans are found by its number. For the holder of the slow lock. */
void plans_object(const struct object *o);

/* The stretch of code of an address of the object with that number; NULL: nothing is evaluated. */
const struct plans_stretch *plans_at(uint32_t object, uint64_t address);

/* What is evaluated in a stretch, s->count plans. */
const struct plans_use *plans_uses(const struct plans_stretch *s);

/* So many instructions from one on; NULL if there are not. */
const struct plan_instr *plans_code(uint32_t first, uint32_t count);

/* The site of an entry for the address that a call returns to; NULL if there is none. */
const struct plans_site *plans_site(uint64_t entry, uint64_t returns);

#endif
