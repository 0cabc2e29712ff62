/*
 * mapping.h: a count file in memory, page by page.
 *
 * A store into a page for which the file gets no room would end the program by SIGBUS,
 * so each page is reserved before its first use.
 */
#ifndef PCT_MAPPING_H
#define PCT_MAPPING_H

#include "object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Maps n bytes of an open count file as the object's; false if there is no memory or room for it.
 */
bool mapping_make(struct object *o, int fd, size_t n);

/* Unmaps what is behind the first n bytes, which nobody uses any more. */
void mapping_cut(struct object *o, size_t n);

/*
 * Makes sure that there is room for the page at an offset of the object's file, and
 * brings it in. From any handler at any time.
 */
bool mapping_reserve(struct object *o, size_t offset);

/* Forgets the parent process's mapping, which was not inherited. */
void mapping_forget(struct object *o);

#endif
