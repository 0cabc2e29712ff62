/*
 * Reads words where no stack is known. Prints which of them it read that are not there; if none, done.
 */
#include "../../unwind/memory.c"

#include <stdio.h>

int main(void)
{
	static struct memory m;
	static uint64_t word = 77;
	const uintptr_t nowhere[] = { 0, 1, 2, 8, 4095, UINTPTR_MAX, UINTPTR_MAX - 7 };
	int mistakes = 0;
	uint64_t got = 0;

	memory_begin(&m, (uintptr_t)&m, 0, 0);
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
		if (memory_load(&m, nowhere[i], &got) || memory_read(&m, nowhere[i], &got, sizeof got))
			mistakes += printf("there is a word at %#lx\n", (unsigned long)nowhere[i]);
	if (!memory_load(&m, (uintptr_t)&word, &got) || got != word)
		mistakes += printf("%lu, not %lu\n", (unsigned long)got, (unsigned long)word);
	if (!mistakes)
		puts("done");
	return 0;
}
