/* Uses CPU time on call paths in known proportions.
 *
 *   deep N DEPTH   N rounds of 3 parts in work() below left() and 1 part below right(), all
 *                  below DEPTH calls of dive() in main(); for compilation without frame pointers
 *   deep read N    N reads of a page, in the kernel
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void work(long units)
{
	unsigned long x = 1;
	for (long i = 0; i < units * 1000L; i++)
		x = x * 6364136223846793005UL + 1;
	sink = x;
}

__attribute__((noinline)) void left(long units) { work(units); sink++; }
__attribute__((noinline)) void right(long units) { work(units); sink++; }

__attribute__((noinline)) void rounds(long n)
{
	for (long part = 1; n > 0; n--, part = part % 7 + 1) {
		left(3 * part);
		right(part);
	}
}

__attribute__((noinline)) void dive(long depth, long n)
{
	volatile char room[64]; /* a frame of some size */
	room[depth % 64] = 1;
	if (depth > 1)
		dive(depth - 1, n);
	else
		rounds(n);
	sink += room[0];
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "read")) {
		static char page[1 << 16];
		int fd = open("/dev/zero", O_RDONLY);
		for (long n = atol(argv[2]); n > 0; n--)
			if (read(fd, page, sizeof page) != sizeof page) return 1;
		return 0;
	}
	dive(atol(argv[2]), atol(argv[1]));
	return 0;
}
