// Exceptions, thrown through several frames and caught. With an argument nothing else is done.
#include "burn.h"

#include <cstdio>
#include <stdexcept>

static volatile long sum;
static long work = 100000;

__attribute__((noinline, noclone)) void thrower(int levels)
{
	if (levels) {
		thrower(levels - 1);
	} else {
		spin(work);
		throw std::runtime_error("thrown");
	}
	sum++;
}

__attribute__((noinline, noclone)) void catcher()
{
	try {
		thrower(5);
	} catch (const std::exception &e) {
		sum += e.what()[0];
	}
}

int main(int argc, char **)
{
	if (argc > 1)
		work = 0;
	/* Where a look at the clock is a system call it takes as long as a throw. */
	for (double end = cpu() + 0.5; cpu() < end;)
		for (int i = 0; i < 20; i++)
			catcher();
	puts("done");
}
