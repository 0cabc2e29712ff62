/*
 * Fuzzes image.c: the input is an object, mapped at its first byte; two more bytes before it say
 * where it is asked for.
 */
#include "../image.h"
#include "arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char *end;
	struct image image;
	uint64_t page;
	char *at;

	if (!end)
		end = arena_make();
	if (n < 2 || n - 2 > ARENA)
		return 0;
	page = (uint64_t)(data[0] | data[1] << 8) * ARENA_PAGE;
	at = arena_put(end, data + 2, n - 2);
	if (!image_read(&image, (uintptr_t)at + page, page, (uintptr_t)at, ""))
		return 0;
	if (image.id_length > sizeof image.id || !image.size ||
	    (image.frames && (image.frames < image.frames_low || image.frames >= image.frames_high)))
		abort();
	return 0;
}
