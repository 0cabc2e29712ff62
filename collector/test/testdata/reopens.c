/*
 * Loads and unloads LIBRARY a hundred times, each time at another address, and calls its once(),
 * and last() when it is loaded the last time: reopens LIBRARY.
 */
#define _GNU_SOURCE

#include "burn.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { TIMES = 100, PAGE = 4096 };

typedef void function(void);

int main(int argc, char **argv)
{
	/* Until the first sample the stack is not marked. */
	burn(0.05);
	for (int i = 0; i < TIMES; i++) {
		void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
		function *f = library ? (function *)dlsym(library, i < TIMES - 1 ? "once" : "last") : NULL;

		if (!f)
			return 1;
		f();
		if (i < TIMES - 1)
			dlclose(library);
		/* Takes the place where it was. */
		if (mmap((void *)((uintptr_t)f & -(uintptr_t)PAGE), PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return 1;
	}
	puts("done");
	return 0;
}
