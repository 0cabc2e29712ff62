/* Calls run(MODE) of a library that is loaded for it, some times: opens LIBRARY MODE. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 2; i++) {
		void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
		int (*run)(const char *) = library ? (int (*)(const char *))dlsym(library, "run") : NULL;

		if (!run || run(argv[2]))
			return 1;
		dlclose(library);
	}
	return 0;
}
