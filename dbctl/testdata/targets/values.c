/* values ROUNDS: calls worker with 1000000 and 2000000 in turn: a third and two
 * thirds of its time. */
#include <stdio.h>
#include <stdlib.h>

enum colour { red, green, blue };
struct point { int x; double y; const char *name; };

void __attribute__((noinline)) worker(unsigned n, enum colour c, struct point *p, const char *text)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
	if (!text[c] || p->x < 0)
		puts("never");
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	struct point p = { 7, 2.5, "seven" };

	while (rounds-- > 0) {
		worker(1000000, green, &p, "a text");
		worker(2000000, blue, &p, "another");
	}
	return 0;
}
