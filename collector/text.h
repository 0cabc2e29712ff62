/*
 * text.h: text put together in a fixed buffer, without stdio.
 *
 * What does not fit is cut off; `full` says so. The text is always terminated.
 */
#ifndef PCT_TEXT_H
#define PCT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *p;
	size_t n, cap;
	bool full;
};

static inline struct text text_in(char *buffer, size_t cap)
{
	buffer[0] = '\0';
	return (struct text){ .p = buffer, .cap = cap };
}

static inline void text_char(struct text *t, char c)
{
	if (t->n + 1 >= t->cap) {
		t->full = true;
		return;
	}
	t->p[t->n++] = c;
	t->p[t->n] = '\0';
}

static inline void text_str(struct text *t, const char *s)
{
	while (*s)
		text_char(t, *s++);
}

/* A decimal number, with zeros in front to fill width. */
static inline void text_pad(struct text *t, uint64_t v, int width)
{
	char d[20];
	int n = 0;

	do
		d[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (; width > n; width--)
		text_char(t, '0');
	while (n)
		text_char(t, d[--n]);
}

static inline void text_num(struct text *t, uint64_t v)
{
	text_pad(t, v, 0);
}

static inline size_t text_len(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

/* The bytes of the UTF-8 character at s, of which n bytes are left; 0 if it is none. */
static inline size_t text_utf8(const unsigned char *s, size_t n)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	if (len > n || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/*
 * Whether the UTF-8 character of len bytes at s stands for itself: it is no control character,
 * separates no lines, and marks no direction. internal/visible has the same in Go.
 */
static inline bool text_shown(const unsigned char *s, size_t len)
{
	unsigned c = len == 1 ? s[0] : len == 2 ? (s[0] & 0x1fU) << 6 | (s[1] & 0x3fU) :
		     len == 3 ? (s[0] & 0xfU) << 12 | (s[1] & 0x3fU) << 6 | (s[2] & 0x3fU) : 0xffff;

	return len && c >= ' ' && (c < 0x7f || c > 0x9f) && c != 0x61c && c != 0x200e && c != 0x200f &&
	       (c < 0x2028 || c > 0x202e) && (c < 0x2066 || c > 0x2069);
}

/* Up to most bytes of a name, with _ for what is not shown. pct/data/dir.go has the same in Go. */
static inline void text_name(struct text *t, const char *s, size_t most)
{
	for (size_t len, step; *s; s += step, most -= step) {
		len = text_utf8((const unsigned char *)s, text_len(s));
		step = len ? len : 1;
		if (step > most)
			break;
		if (text_shown((const unsigned char *)s, len))
			for (size_t i = 0; i < len; i++)
				text_char(t, s[i]);
		else
			text_char(t, '_');
	}
}

/*
 * n bytes as a value of a meta file: backslashes, control characters and what is no UTF-8 escaped.
 */
static inline void text_value(struct text *t, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		size_t len = text_utf8((const unsigned char *)s + i, n - i);

		if (len > 1) {
			for (size_t end = i + len; i < end; i++)
				text_char(t, s[i]);
			i--;
		} else if (c == '\\') {
			text_str(t, "\\\\");
		} else if (c < ' ' || c >= 0x7f) {
			text_str(t, "\\x");
			text_char(t, hex[c >> 4]);
			text_char(t, hex[c & 15]);
		} else {
			text_char(t, (char)c);
		}
	}
}

static inline bool text_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static inline bool text_begins(const char *s, const char *with)
{
	while (*with && *s == *with)
		s++, with++;
	return !*with;
}

/* The part of a path after its last slash. */
static inline const char *text_base(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	return base;
}

#endif
