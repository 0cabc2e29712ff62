#include "thread.h"

size_t unwind_thread_size(uint32_t frames, bool calls)
{
	size_t each = sizeof(struct unwind_frame) + (calls ? sizeof(struct activation) : 0);

	return ((sizeof(struct unwind_thread) + 15) & ~(size_t)15) + 2 * (size_t)frames * each;
}

struct unwind_thread *unwind_thread_make(void *memory, uint32_t frames, bool calls)
{
	struct unwind_thread *t = memory;

	t->capacity = frames;
	t->guessed = UINT32_MAX;
	t->known = (struct unwind_frame *)((char *)memory + ((sizeof *t + 15) & ~(size_t)15));
	t->fresh = t->known + frames;
	t->going = calls ? (struct activation *)(t->fresh + frames) : NULL;
	t->gone = calls ? t->going + frames : NULL;
	return t;
}

void unwind_thread_stack(struct unwind_thread *t, uintptr_t low, uintptr_t high)
{
	t->memory.own_low = low;
	t->memory.own_high = high;
}

const struct unwind_object *unwind_object_at(struct unwind_thread *t, uintptr_t address)
{
	const struct object *o = objects_find(&t->view, address);

	return o ? &o->given : NULL;
}

void unwind_forget(struct unwind_thread *t)
{
	t->known_count = 0;
}
