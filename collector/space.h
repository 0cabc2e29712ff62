/*
 * space.h: the memory and the sizes of files that the program's limits leave for us.
 */
#ifndef PCT_SPACE_H
#define PCT_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether the program's address space and its data have n bytes more for us: where they are
 * limited we take a small part, for allocations of the program must not fail by us.
 */
bool space_permitted(uint64_t n);

/* A limit that the program is about to set, which counts from now on as well; UINT64_MAX: none. */
void space_expect(uint64_t limit);

/* Whether a file of n bytes can be made without a signal for its size. */
bool space_for_file(uint64_t n);

/* Memory of zeros, which is taken as it is touched; NULL if there is none. From anywhere. */
void *space_reserve(size_t n);

#endif
