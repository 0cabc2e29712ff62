/*
 * Works with the address of a word above its stack pointer, and of one below. Argument: milliseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noipa)) void work(const volatile long *above, const volatile long *below)
{
	for (int i = 0; i < 200000; i++)
		sink += (unsigned)*above;
	sink += below != NULL;
}

int main(int argc, char **argv)
{
	volatile long word = 77;
	clock_t end = clock() + atol(argv[argc - 1]) * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		work(&word, (long *)((char *)__builtin_frame_address(0) - 1024));
	puts("done");
	return 0;
}
