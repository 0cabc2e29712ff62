/*
 * file.h: count files on disk: their names, how they are made, and when one that is there
 * is added to. For the holder of the slow lock.
 */
#ifndef PCT_FILE_H
#define PCT_FILE_H

#include "object.h"

#include <stdbool.h>
#include <stddef.h>

/* The bytes of a count file with this header. */
size_t file_size(const struct count_header *h);

/* Makes, or opens to add to, the count file of an object, and maps it: 0 or more, or -errno. */
long file_open(struct object *o, const struct count_header *h);

/*
 * Makes a file of call paths, or of values, by the object's name, n bytes long, and maps it as
 * its own: 0 or more, or -errno. It begins with a header of so many bytes.
 */
long file_open_calls(struct object *o, const void *header, size_t bytes, size_t n);

/* Cuts it off after n bytes; false if it is out of reach. */
bool file_cut_calls(const struct object *o, size_t n);

/* Opens the file again that an object has in the run directory; -1 if it is out of reach. */
int file_reopen(const struct object *o);

#endif
