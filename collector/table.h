/*
 * table.h: counts of addresses in a count file, an entry for each address that was found.
 *
 * Entries follow each other in the order in which their addresses were first seen, so that 256 of
 * them share a page, where the bins of a histogram would each touch another one. Where
 * an address has its entry is told by an index in private memory, which grows with them.
 */
#ifndef PCT_TABLE_H
#define PCT_TABLE_H

#include "object.h"

#include <stdbool.h>
#include <stdint.h>

/* Entries of a file; their index takes up to 42 MB of private memory. */
enum { TABLE_ENTRIES = 1 << 21 };

/*
 * Counts a sample at an address; false if there is no room. From any handler at any time:
 * takes no lock.
 */
bool table_add(struct object *o, uint64_t address);

/* Forgets the index of the parent process's file. */
void table_forget(struct object *o);

#endif
