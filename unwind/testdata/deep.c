/* Recursion to a depth given, then a stop again and again. */
#include <stdlib.h>

volatile int sink;

__attribute__((noinline)) static int dive(int n)
{
	if (n > 0)
		return dive(n - 1) + sink;
	do {
		__asm__ volatile("int3");
		sink++;
	} while (1);
	return 0;
}

int main(int argc, char **argv)
{
	return dive(argc > 1 ? atoi(argv[1]) : 0);
}
