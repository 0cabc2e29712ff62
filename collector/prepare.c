#include "prepare.h"
#include "contexts.h"
#include "mapped.h"
#include "note.h"
#include "object.h"
#include "options.h"
#include "pace.h"
#include "run.h"
#include "rundir.h"
#include "slow.h"
#include "space.h"
#include "sys.h"
#include "unwind/unwind.h"
#include "valuelog.h"

enum {
	FRAMES_MOST = 1 << 15,
	FRAMES_LEAST = 1 << 8,
};

static enum { UNWINDER_NONE, UNWINDER_READY, UNWINDER_FAILED } unwinder;
static uint32_t frames; /* the most of a path */

static uint32_t frames_permitted(void)
{
	uint32_t n = FRAMES_MOST;

	while (n > FRAMES_LEAST && !contexts_permitted(16 * unwind_thread_size(n, options.calls)))
		n /= 2;
	return n;
}

static void start_unwinder(void)
{
	frames = frames_permitted();
	/* It is there once: of a small space it may have more than the parts that others have. */
	unwinder = space_permitted((2 << 20) / 4) && unwind_start() ? UNWINDER_READY : UNWINDER_FAILED;
	if (unwinder == UNWINDER_FAILED)
		note_post(NOTE_PATHS_MEMORY);
}

bool prepare_done(uint32_t resource)
{
	return contexts_tree(resource) && mapped_known();
}

/* For the holder of the slow lock. */
static void make(uint32_t resource, uintptr_t pc)
{
	if (unwinder == UNWINDER_NONE)
		start_unwinder();
	if (unwinder != UNWINDER_READY)
		return;
	if (!contexts_tree(resource)) {
		if (!contexts_open(resource))
			return;
		valuelog_open(resource);
		mapped_news();
	}
	object_find(pc);
	mapped_publish();
}

void prepare(uint32_t resource, uintptr_t pc)
{
	uint64_t began;

	pace_heavy();
	if (!slow_take())
		return;
	began = sys_time(CLOCK_THREAD_CPUTIME_ID);
	make(resource, pc);
	rundir_tell_notes();
	/* This can take as long as a period, and is none of the program's time. */
	run.unsampled += sys_time(CLOCK_THREAD_CPUTIME_ID) - began;
	slow_release();
}

uint32_t prepare_frames(void)
{
	return frames;
}

void prepare_shrink(void)
{
	uint32_t n = frames_permitted();

	contexts_shrink();
	valuelog_shrink();
	if (n < frames)
		frames = n;
}

void prepare_forget(void)
{
	contexts_forget();
	valuelog_forget();
	mapped_forget();
	unwind_forked();
}
