#include "cursor.h"
#include "memory.h"

void cursor_begin(struct cursor *c, uintptr_t at, uintptr_t limit, bool guarded)
{
	c->guarded = guarded;
	c->bad = at > limit;
	c->limit = c->bad ? at : limit;
	if (guarded) {
		c->p = c->end = c->window;
		c->next = at;
	} else {
		c->p = (const uint8_t *)at;
		c->end = (const uint8_t *)c->limit;
		c->next = c->limit;
	}
}

uintptr_t cursor_at(const struct cursor *c)
{
	return c->guarded ? c->next - (uintptr_t)(c->end - c->p) : (uintptr_t)c->p;
}

bool cursor_done(const struct cursor *c)
{
	return c->bad || (c->p == c->end && c->next == c->limit);
}

static bool refill(struct cursor *c)
{
	uintptr_t n = c->limit - c->next < CURSOR_WINDOW ? c->limit - c->next : CURSOR_WINDOW;

	if (c->bad || !n || !memory_peek(c->next, c->window, n)) {
		c->bad = true;
		return false;
	}
	c->p = c->window;
	c->end = c->window + n;
	c->next += n;
	return true;
}

unsigned cursor_u8(struct cursor *c)
{
	if (c->p == c->end && !refill(c))
		return 0;
	return *c->p++;
}

uint64_t cursor_fixed(struct cursor *c, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)cursor_u8(c) << 8 * i;
	return c->bad ? 0 : v;
}

uint64_t cursor_uleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		unsigned b = cursor_u8(c);

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
}

int64_t cursor_sleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0;;) {
		unsigned b = cursor_u8(c);

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (b & 0x80)
			continue;
		if (b & 0x40 && shift < 64)
			v |= ~(uint64_t)0 << shift;
		return (int64_t)v;
	}
}

void cursor_skip(struct cursor *c, uint64_t bytes)
{
	uintptr_t at = cursor_at(c);

	if (c->bad || bytes > c->limit - at)
		c->bad = true;
	else
		cursor_begin(c, at + bytes, c->limit, c->guarded);
}

uint64_t cursor_pointer(struct cursor *c, unsigned encoding, uintptr_t data)
{
	static const uint8_t bytes[16] = { 8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8 };
	enum { INDIRECT = 0x80, ULEB = 1, SLEB = 9, SIGNED = 8 };
	unsigned format = encoding & ENCODING_FORMAT, size = bytes[format];
	uintptr_t at = cursor_at(c);
	uint64_t v;

	if (encoding == ENCODING_OMIT)
		return 0;
	if (size) {
		v = cursor_fixed(c, size);
		if (format & SIGNED && size < 8)
			v = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
	} else if (format == ULEB) {
		v = cursor_uleb(c);
	} else {
		v = (uint64_t)cursor_sleb(c);
		c->bad |= format != SLEB;
	}
	switch (encoding & ENCODING_RELATIVE) {
	case 0:
		break;
	case ENCODING_PC_RELATIVE:
		v += at;
		break;
	case ENCODING_DATA_RELATIVE:
		v += data;
		break;
	default:
		c->bad = true;
	}
	/* Only personality routines are indirect, and they aren't needed. */
	return encoding & INDIRECT ? 0 : v;
}
