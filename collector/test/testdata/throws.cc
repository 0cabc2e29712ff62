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
	for (double end = cpu() + 0.5; cpu() < end;)
		catcher();
	puts("done");
}
