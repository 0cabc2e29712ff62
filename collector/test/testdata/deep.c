// Works for ever at the end of some calls: writes a line when a sample is there, whatever the clock.
#include "burn.h"

#include <stdio.h>

__attribute__((noinline)) static void leaf(void)
{
	burn(0.3);
	puts("there");
	fflush(stdout);
	for (;;)
		spin(1000000);
}

__attribute__((noinline)) static long down(int levels)
{
	volatile long r = 0;

	if (levels)
		r = down(levels - 1) + 1;
	else
		leaf();
	return r;
}

int main(void)
{
	return (int)down(6);
}
