/*
 * cursor.h: reading call frame information, in place or by system calls.
 *
 * A read beyond the end gives zero and sets bad, which stays set; users look at it once, at
 * the end.
 */
#ifndef PCT_UNWIND_CURSOR_H
#define PCT_UNWIND_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

enum { CURSOR_WINDOW = 64 };

struct cursor {
	const uint8_t *p, *end;
	uintptr_t next, limit; /* guarded: what follows the window; else both are the end */
	bool guarded, bad;
	uint8_t window[CURSOR_WINDOW];
};

/* Pointer encodings: a format in the low four bits, what it is relative to in the next three. */
enum {
	ENCODING_SDATA4 = 0x0b,
	ENCODING_PC_RELATIVE = 0x10,
	ENCODING_DATA_RELATIVE = 0x30,
	ENCODING_FORMAT = 0x0f,
	ENCODING_RELATIVE = 0x70,
	ENCODING_OMIT = 0xff,
};

/* Begins to read [at, limit); guarded: by system calls. */
void cursor_begin(struct cursor *c, uintptr_t at, uintptr_t limit, bool guarded);

/* Where the next byte stands. */
uintptr_t cursor_at(const struct cursor *c);

bool cursor_done(const struct cursor *c);
unsigned cursor_u8(struct cursor *c);
uint64_t cursor_fixed(struct cursor *c, unsigned bytes);
uint64_t cursor_uleb(struct cursor *c);
int64_t cursor_sleb(struct cursor *c);
void cursor_skip(struct cursor *c, uint64_t bytes);

/* Reads an encoded pointer; data is what data-relative ones count from. */
uint64_t cursor_pointer(struct cursor *c, unsigned encoding, uintptr_t data);

#endif
