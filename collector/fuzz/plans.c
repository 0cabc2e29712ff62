/*
 * Fuzzes the execution of plans: the input is instructions, which lie at the end of readable
 * memory and write to the end of another stretch.
 */
#include "../plan.h"
#include "arena.h"

enum { ROOM = 4096 };

static bool reg(void *of, uint64_t number, uint64_t *value)
{
	(void)of;
	*value = number * 0x9e3779b97f4a7c15;
	return number % 2;
}

static bool cfa(void *of, uint64_t *value)
{
	*value = (uintptr_t)of;
	return true;
}

/* Every address can be read but those of the highest half. */
static bool read_memory(void *of, uint64_t at, void *to, size_t n)
{
	(void)of;
	memset(to, (int)at, n);
	return !(at >> 63);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char *end, *out;
	const struct plan_frame f = {
		.reg = reg, .high = reg, .cfa = cfa, .read = read_memory, .bias = 1, .thread = 1,
	};
	size_t size = ROOM;
	uint32_t count = (uint32_t)(n / sizeof(struct plan_instr));

	if (!end) {
		end = arena_make();
		out = arena_make();
	}
	if (n > ARENA / 2)
		return 0;
	n = count * sizeof(struct plan_instr);
	plan_run((const struct plan_instr *)arena_put(end, data, n), count, &f, (uint8_t *)out - ROOM, &size);
	if (size > ROOM)
		abort();
	return 0;
}
