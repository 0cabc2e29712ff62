#ifndef __x86_64__

#include "trampoline.h"

/* Not on this machine: nothing is ever marked. */
bool trampoline_original(uintptr_t slot, uint64_t *original)
{
	(void)slot;
	(void)original;
	return false;
}

void trampoline_clear(struct mark *m)
{
	(void)m;
}

enum unwind_counting unwind_count_start(void)
{
	return UNWIND_NO_TRAMPOLINE;
}

bool unwind_count(struct unwind_thread *t)
{
	(void)t;
	return false;
}

void unwind_count_ends(struct unwind_thread *t)
{
	(void)t;
}

struct unwind_thread *unwind_count_forked(void)
{
	return NULL;
}

void unwind_mark(struct unwind_thread *t, const struct unwind_path *path)
{
	(void)t;
	(void)path;
}

bool unwind_counted(void)
{
	return false;
}

void unwind_landed(uintptr_t sp)
{
	(void)sp;
}

#endif
