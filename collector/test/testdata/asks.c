// A program that asks for the objects it consists of, as an unwinder does that is linked into it.
#define _GNU_SOURCE
#include "burn.h"

#include <link.h>
#include <stdio.h>

static int count(struct dl_phdr_info *info, size_t size, void *objects)
{
	(void)info;
	(void)size;
	++*(int *)objects;
	return 0;
}

__attribute__((noinline)) void asks(void)
{
	int objects = 0;

	dl_iterate_phdr(count, &objects);
	burn(0.02);
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		asks();
	puts("done");
	return 0;
}
