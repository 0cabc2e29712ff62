/*
 * known.h: the objects that are known, as many as there is room for.
 *
 * An object that is mapped nowhere and has no count file gives its place to a new one when
 * there is no other; what has its number goes on to mean it, for numbers are not used
 * again. For the holder of the slow lock.
 */
#ifndef PCT_KNOWN_H
#define PCT_KNOWN_H

#include "object.h"

/* The object of this identity, NULL if there is none. */
struct object *known_find(enum object_kind kind, uint64_t device, uint64_t inode);

/* A new one; NULL if there is no room. */
struct object *known_new(enum object_kind kind, uint64_t device, uint64_t inode, const char *path);

/* The object of a mapped file; a new one if its path is another one by now. */
struct object *known_file(uint64_t device, uint64_t inode, const char *path);

/* Another object in the place of this one, which is no more what its file was; NULL if there's no room. */
struct object *known_anew(struct object *o);

#endif
