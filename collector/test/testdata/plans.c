/*
 * Executes plans in a made-up frame, which plan_test.go has too: reads of each how many instructions
 * it has, and these; writes the outcome, the length of what was written, and that.
 */
#include "../../plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 0x10000, SIZE = 0x2100, ROOM = 1 << 16, MOST = 1 << 13, BIAS = 0x7000 };

static uint8_t memory[SIZE];

static bool reg(void *of, uint64_t number, uint64_t *value)
{
	(void)of;
	*value = BASE + 0x101 * number;
	return number < 33 && number != 11;
}

static bool high(void *of, uint64_t number, uint64_t *value)
{
	(void)of;
	*value = number * 0x9e3779b97f4a7c15;
	return number >= 17 && number < 33;
}

static bool cfa(void *of, uint64_t *value)
{
	(void)of;
	*value = BASE + 0x800;
	return true;
}

static bool read_memory(void *of, uint64_t at, void *to, size_t n)
{
	(void)of;
	if (at - BASE > SIZE || n > SIZE - (at - BASE))
		return false;
	memcpy(to, memory + (at - BASE), n);
	return true;
}

int main(void)
{
	static struct plan_instr code[MOST];
	static uint8_t out[ROOM];
	const struct plan_frame f = { .reg = reg, .high = high, .cfa = cfa, .read = read_memory, .bias = BIAS,
				      .thread = BASE };
	uint32_t n;

	/* Texts of all lengths, and none at the end. */
	for (size_t i = 0; i < SIZE; i++)
		memory[i] = (uint8_t)(i * 31 % 97 + (i >= SIZE - 80));
	while (fread(&n, sizeof n, 1, stdin) == 1) {
		size_t size = ROOM;
		uint32_t length;
		uint8_t outcome;

		if (n > MOST || fread(code, sizeof *code, n, stdin) != n)
			return 1;
		outcome = (uint8_t)plan_run(code, n, &f, out, &size);
		length = outcome == PLAN_GOT ? (uint32_t)size : 0;
		fwrite(&outcome, 1, 1, stdout);
		fwrite(&length, sizeof length, 1, stdout);
		fwrite(out, 1, length, stdout);
	}
	return 0;
}
