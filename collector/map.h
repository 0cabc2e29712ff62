/*
 * map.h: the memory map of the process, line by line.
 */
#ifndef PCT_MAP_H
#define PCT_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct map_line {
	uintptr_t start, end;
	uint64_t offset, device, inode;
	bool executable;
	char *path; /* may be changed; without the word that tells that the file is deleted */
};

/*
 * Calls f for each line, in the order of addresses; false if not all could be read. Not reentrant.
 */
bool map_each(void (*f)(struct map_line *));

#endif
