/* Functions inlined into each other, a nested one, one that is split into a hot
   and a cold part, one that is cloned for a constant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "square.h"

static inline __attribute__((always_inline)) unsigned cube(unsigned x)
{
	unsigned s = square(x);
	return s * x;
}

static __attribute__((noinline)) unsigned mix(unsigned n, unsigned step)
{
	unsigned h = 0;
	for (unsigned i = 0; i < n; i += step) {
		h ^= cube(i);
		if (h == 12345) {
			fprintf(stderr, "unlikely %u\n", i);
			abort();
		}
		h = h << 5 | h >> 27;
	}
	return h;
}

static __attribute__((noinline)) unsigned each(unsigned n, unsigned (*f)(unsigned))
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += f(i);
	return sum;
}

static unsigned nested(unsigned n, unsigned bias)
{
	unsigned biased(unsigned x) { return square(x) + bias; }
	return each(n, biased);
}

unsigned text(const char *s)
{
	char buf[64];
	snprintf(buf, sizeof buf, "<%s>", s);
	return strlen(buf) + square(buf[1]);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? strtoul(argv[1], 0, 10) : 1000;
	printf("%u %u %u %u\n", mix(n, 1), mix(n, argc + 2), nested(n, n), text(argv[0]));
	return 0;
}
