/* calls N: calls worker N times, three deep every other time, and prints on
 * standard output how often it did. */
#include <stdio.h>
#include <stdlib.h>

static volatile int calls;

void __attribute__((noinline)) worker(int n)
{
	calls++;
	if (n > 0)
		worker(n - 1);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;

	for (int i = 0; i < n; i++)
		worker(i % 2 ? 2 : 0);
	printf("%d\n", calls);
	return 0;
}
