// Exceptions that are thrown and caught a known number of times; as a LIBRARY in once(), briefly, and in last().
#include "burn.h"

#include <cstdio>
#include <stdexcept>

static volatile long sum;
static double seconds = 0.02;

extern "C" __attribute__((noinline, noclone)) void throws()
{
	burn(seconds);
	throw std::runtime_error("thrown");
}

struct cleaned {
	~cleaned() { sum++; }
};

extern "C" __attribute__((noinline, noclone)) void passes()
{
	cleaned c;
	throws();
}

extern "C" __attribute__((noinline, noclone)) void catches()
{
	try {
		passes();
	} catch (const std::exception &e) {
		sum += e.what()[0];
	}
}

#ifdef LIBRARY
extern "C" void once()
{
	seconds = 0;
	catches();
}

extern "C" __attribute__((noinline, noclone)) void last()
{
	seconds = 0.02;
	for (int i = 0; i < 10; i++)
		catches();
}
#else
int main()
{
	for (int i = 0; i < 10; i++)
		catches();
	puts("done");
}
#endif
