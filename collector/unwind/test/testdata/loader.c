/* Loads and unloads a library, ten times. */
#include <dlfcn.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 10; i++) {
		void *h = dlopen(argv[argc - 1], RTLD_NOW);

		if (!h || dlclose(h))
			return 1;
	}
	return 0;
}
