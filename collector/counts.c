#include "counts.h"
#include "object.h"
#include "pace.h"
#include "rundir.h"
#include "slow.h"
#include "store.h"
#include "sys.h"

static bool ready(const struct place *p)
{
	return p->object && p->placed && atomic_load_explicit(&p->object->state, memory_order_acquire) == FILE_OPEN;
}

/* Samples whose object has no file yet, or is not known. */
static void add_slowly(uintptr_t pc, uint64_t n)
{
	struct place p;

	pace_heavy();
	if (!slow_take()) {
		p = object_at(pc);
		if (ready(&p))
			store_add(p.object, pc - p.bias, n);
		else
			store_lost(NULL, n);
		return;
	}
	p = object_find(pc);
	if (p.object && atomic_load(&p.object->state) == FILE_NONE)
		store_open(p.object, p.bias);
	rundir_tell_notes();
	slow_release();
	if (ready(&p))
		store_add(p.object, pc - p.bias, n);
	else
		store_lost(NULL, n);
}

static void add(const ucontext_t *context, const struct sample *s)
{
	uintptr_t pc = context_pc(context);
	struct place p = object_at(pc);

	if (ready(&p) && !object_stale())
		store_add(p.object, pc - p.bias, s->hits);
	else
		add_slowly(pc, s->hits);
	if (s->lost)
		store_lost(p.object, s->lost);
}

static void add_start(uint32_t resource, uintptr_t pc, uint64_t hits)
{
	(void)resource;
	add_slowly(pc, hits);
}

static void lose(uint32_t resource, uint64_t hits)
{
	(void)resource;
	store_lost(NULL, hits);
}

/* Of events, which are the sources that ask, there are no counts. */
static uint64_t pages(void)
{
	return 0;
}

static void nothing(void)
{
}

const struct sink counts_sink = {
	.start = nothing,
	.add = add,
	.add_start = add_start,
	.lose = lose,
	.pages = pages,
	.thread_ends = nothing,
	.shrink = nothing,
	.complete = store_complete,
	.forget = store_forget,
};
