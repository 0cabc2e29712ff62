// Exceptions that are thrown and caught a known number of times.
#include "burn.h"

#include <cstdio>
#include <stdexcept>

static volatile long sum;

extern "C" __attribute__((noinline, noclone)) void throws()
{
	burn(0.02);
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

int main()
{
	for (int i = 0; i < 10; i++)
		catches();
	puts("done");
}
