/* Loads a library, calls into it, unloads it; then executes a program. */
#include <dlfcn.h>
#include <unistd.h>

void stop(void)
{
	__asm__ volatile("int3");
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 2; i++) {
		void *lib = dlopen(argv[1], RTLD_NOW);

		((void (*)(void (*)(void)))dlsym(lib, "plugin"))(stop);
		dlclose(lib);
		stop();
	}
	execv(argv[2], argv + 2);
	return argc;
}
