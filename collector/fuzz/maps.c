/* Fuzzes map.c: the input is what the kernel shows as the memory map. */
#include "../sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int shown = -1;

static int open_shown(void)
{
	return dup(shown);
}

#define sys_openat(dir, path, flags, mode) open_shown()
#include "../map.c"

static void look(struct map_line *l)
{
	/* The path ends in the buffer. */
	if (strlen(l->path) > PATH_MOST + 256)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (shown < 0)
		shown = memfd_create("maps", 0);
	if (ftruncate(shown, 0) || pwrite(shown, data, n, 0) != (ssize_t)n || lseek(shown, 0, SEEK_SET))
		abort();
	map_each(look);
	return 0;
}
