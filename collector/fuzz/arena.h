/*
 * arena.h: a stretch of memory that ends where nothing is mapped, so that whoever reads beyond it
 * faults.
 */
#ifndef PCT_FUZZ_ARENA_H
#define PCT_FUZZ_ARENA_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ARENA = 1 << 20, ARENA_PAGE = 4096 };

/* Its end. Before its beginning nothing is mapped either. */
static inline char *arena_make(void)
{
	char *p = mmap(NULL, ARENA + 2 * ARENA_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + ARENA_PAGE, ARENA, PROT_READ | PROT_WRITE))
		abort();
	return p + ARENA_PAGE + ARENA;
}

/* Copies n bytes, ARENA at most, to its end; at a multiple of 8, with zeros behind them. */
static inline char *arena_put(char *end, const uint8_t *data, size_t n)
{
	char *to = end - (n + 7) / 8 * 8;

	memset(end - 8, 0, 8);
	memcpy(to, data, n);
	return to;
}

#endif
