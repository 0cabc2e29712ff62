#include "inspect.h"
#include "thread.h"

/*
 * Registers are worked out from the frames further in, those that were known from the path
 * before among them: where they stand on the stack, and that each is left by what is compared
 * with the path before, is known of all. So they are all made known ones as long as that
 * takes, in the order of the path.
 */
struct shown {
	struct unwind_frame *known;
	uint32_t fresh_count, joinable;
};

static struct shown show(const struct inspected *i)
{
	struct unwind_thread *t = i->thread;
	const struct shown before = { t->known, t->fresh_count, t->joinable };

	t->known = i->path->frames;
	t->fresh_count = 0;
	t->joinable = i->path->count + 1;
	return before;
}

static void restore(const struct inspected *i, const struct shown *before)
{
	struct unwind_thread *t = i->thread;

	t->known = before->known;
	t->fresh_count = before->fresh_count;
	t->joinable = before->joinable;
}

struct inspected inspect(struct unwind_thread *t, const struct unwind_path *path, uint32_t at)
{
	struct inspected i = { t, path, path->count - 1 - at, !t->in_stub };
	bool whole = path->end == UNWIND_COMPLETE;

	/* A path that has no end does not tell whether it was guessed. */
	for (uint32_t k = at + 1; k < path->count && i.sure && (path->guessed || !whole); k++)
		i.sure = !(path->frames[k].flags & UNWIND_GUESS);
	return i;
}

/* The frame pointer of a frame may be a mere guess of the walk. */
static bool frame_pointer(const struct inspected *i, uint64_t *value)
{
	struct unwind_thread *t = i->thread;

	if (i->depth && thread_frame(t, i->depth - 1)->flags & UNWIND_SIGNAL)
		return thread_register(t, i->depth, MACHINE_FP, value);
	return thread_preserved(t, i->depth, MACHINE_FP, ROW_FP, value) && *value == thread_frame(t, i->depth)->fp;
}

static bool find(const struct inspected *i, uint64_t number, uint64_t *value)
{
	struct unwind_thread *t = i->thread;

	if (number == MACHINE_FP)
		return frame_pointer(i, value);
	if (!i->depth && number < MACHINE_REGISTERS && number != MACHINE_SP && machine_saved(number) < 0 &&
	    !machine_whole(t->context))
		return false;
	return number <= MACHINE_REGISTERS && thread_register(t, i->depth, (unsigned)number, value);
}

static bool vector(const struct inspected *i, uint64_t number, bool high, uint64_t *value)
{
	const uint64_t *v = i->depth ? NULL : machine_vector(i->thread->context, number, high);

	if (v)
		*value = *v;
	return v;
}

bool inspect_register(const struct inspected *i, uint64_t number, uint64_t *value)
{
	struct shown before;
	bool found;

	if (!i->sure)
		return false;
	if (number > MACHINE_REGISTERS)
		return vector(i, number, false, value);
	before = show(i);
	found = find(i, number, value);
	restore(i, &before);
	return found;
}

bool inspect_high(const struct inspected *i, uint64_t number, uint64_t *value)
{
	return i->sure && vector(i, number, true, value);
}

/* All but what counts from the stack pointer may count from the frame pointer. */
bool inspect_cfa(const struct inspected *i, uint64_t *value)
{
	struct shown before;
	uint64_t fp;
	bool found;

	if (!i->sure)
		return false;
	before = show(i);
	found = (thread_recipe(i->thread, thread_frame(i->thread, i->depth))->kind == RECIPE_SP ||
		 frame_pointer(i, &fp)) &&
		thread_cfa(i->thread, i->depth, value);
	restore(i, &before);
	return found;
}

/*
 * Whether some of the bytes are where the signal's frame and ours are: what the program left
 * there is overwritten. At its end a function has left its own frame, which its variables'
 * locations still name.
 */
static bool overwritten(const struct unwind_thread *t, uintptr_t at, size_t n)
{
	enum { MOST = 1 << 16, FURTHER_IN = 1024 };
	uintptr_t low = (uintptr_t)__builtin_frame_address(0) - FURTHER_IN;
	uintptr_t high = machine_context(t->context, MACHINE_SP) - MACHINE_RED_ZONE;

	/* Else we are on a stack of the signal's own. */
	return high - low < MOST && at < high && n > 0 && at + n > low;
}

bool inspect_read(const struct inspected *i, uintptr_t at, void *to, size_t n)
{
	return !overwritten(i->thread, at, n) && memory_read(&i->thread->memory, at, to, n);
}
