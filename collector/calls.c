#include "calls.h"
#include "clock.h"
#include "contexts.h"
#include "imports.h"
#include "note.h"
#include "options.h"
#include "pace.h"
#include "sys.h"
#include "unwind/machine.h"

#include <stdatomic.h>
#include <sys/auxv.h>

enum { THREADS = 8192, MANY = 1024 /* frames that take some 50 µs */ };

/* What a thread is sampled with. It is the thread's alone until it ends. */
struct caller {
	_Atomic int tid;   /* 0: free */
	_Atomic bool busy; /* held by a handler */
	uintptr_t stack_low, stack_high; /* the thread's own stack, once it was found */
	uint32_t looked, look_at;        /* samples until it is looked for again; 0: it was found */
	struct {
		struct unwind_thread *thread; /* its memory stays */
		bool made;
		uint32_t root;
	} of[RESOURCES_MOST]; /* made at the first sample, for frames tell the nodes of one tree */
};

static struct caller callers[THREADS];

static __thread struct caller *mine __attribute__((tls_model("initial-exec")));
static __thread bool ended __attribute__((tls_model("initial-exec")));

/* Begins to count activations; else says why not. */
static enum note start_counting(void)
{
	/* What is linked in does not stand before what reads return addresses; and one trampoline has one path. */
	if (!clock_of_each_thread())
		return NOTE_UNCOUNTED_LINKED;
	if (options.resource_count != 1)
		return NOTE_UNCOUNTED_RESOURCES;
	if (imports_for_unwinder())
		return NOTE_UNCOUNTED_UNWINDER;
	switch (unwind_count_start()) {
	case UNWIND_COUNTS:
		return NOTES;
	case UNWIND_SHADOW_STACK:
		return NOTE_UNCOUNTED_SHADOW;
	case UNWIND_OCAML:
		return NOTE_UNCOUNTED_OCAML;
	default:
		return NOTE_UNCOUNTED_MACHINE;
	}
}

void calls_start(void)
{
	enum note why;

	if (!options.calls)
		return;
	why = start_counting();
	options.calls = why == NOTES;
	if (!options.calls)
		note_post(why);
}

static bool gone(int tid)
{
	return sys3(SYS_tgkill, sys0(SYS_getpid), tid, 0) == -ESRCH;
}

/* The calling thread's; NULL if there is none to be had. */
static struct caller *caller(void)
{
	int tid;

	if (mine || ended)
		return mine;
	tid = (int)sys0(SYS_gettid);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct caller *c = &callers[i];
		int owner = atomic_load_explicit(&c->tid, memory_order_relaxed);

		/* Where the end of threads is not seen (a library that is linked in) they are looked for. */
		if (owner && (clock_of_each_thread() || !gone(owner)))
			continue;
		if (!atomic_compare_exchange_strong(&c->tid, &owner, tid))
			continue;
		atomic_store(&c->busy, false);
		for (uint32_t r = 0; r < options.resource_count; r++)
			c->of[r].made = false;
		c->stack_high = 0;
		c->looked = 0;
		c->look_at = 1;
		return mine = c;
	}
	note_post(NOTE_PATHS_MEMORY);
	return NULL;
}

/* What the calling thread's stack is walked with for a resource; NULL if there is no memory. */
static struct unwind_thread *walker(struct caller *c, uint32_t resource)
{
	size_t n = unwind_thread_size(contexts_frames(), options.calls);
	struct unwind_thread *t = c->of[resource].thread;

	if (c->of[resource].made)
		return t;
	if (t)
		sys3(SYS_madvise, t, n, MADV_DONTNEED);
	else
		t = c->of[resource].thread = contexts_memory(n);
	if (!t) {
		note_post(NOTE_PATHS_MEMORY);
		return NULL;
	}
	unwind_thread_make(t, contexts_frames(), options.calls);
	if (c->stack_high)
		unwind_thread_stack(t, c->stack_low, c->stack_high);
	c->of[resource].root = contexts_root(resource, atomic_load_explicit(&c->tid, memory_order_relaxed));
	c->of[resource].made = true;
	if (options.calls && !unwind_count(t))
		note_post(NOTE_UNCOUNTED_THREADS);
	return t;
}

/*
 * Finds the bounds of the thread's own stack: that on which the program's start data lie, or those of the
 * thread. While it is on another one, such as a coroutine's, that is looked for ever more seldom.
 */
static void find_stack(struct caller *c, uintptr_t sp)
{
	uintptr_t low, high, first, tp = machine_thread_pointer();

	if (!c->look_at || ++c->looked < c->look_at)
		return;
	c->look_at *= 2;
	first = getauxval(AT_RANDOM);
	if (!unwind_find_stack(sp, &low, &high) || ((first < low || first >= high) && high != (tp & ~(uintptr_t)15)))
		return;
	c->stack_low = low;
	c->stack_high = high;
	c->look_at = 0;
	for (uint32_t r = 0; r < options.resource_count; r++)
		if (c->of[r].made)
			unwind_thread_stack(c->of[r].thread, low, high);
}

static void count(struct caller *c, uint32_t resource, struct unwind_path *path, uint64_t hits, uint64_t looks)
{
	struct tree *t = contexts_tree(resource);
	uint32_t weight = hits < UINT32_MAX ? (uint32_t)hits : UINT32_MAX;

	if (tree_add(t, c->of[resource].root, c->of[resource].thread, path, weight, looks < weight ? (uint32_t)looks : weight))
		return;
	/* The tree counts one as lost. */
	contexts_lost(resource, hits - 1);
	note_post(tree_full(t) ? NOTE_PATHS_FULL : NOTE_DISK_FULL);
}

void calls_add(uint32_t resource, const ucontext_t *context, uint64_t hits, uint64_t looks, void (*prepare)(uint32_t resource, uintptr_t pc))
{
	struct caller *c = contexts_tree(resource) ? caller() : NULL;
	struct unwind_thread *t;
	struct unwind_path path;

	/* Threads that the program made by itself may share what is the thread's own. */
	if (!c || atomic_exchange_explicit(&c->busy, true, memory_order_acquire)) {
		contexts_lost(resource, hits);
		return;
	}
	find_stack(c, (uintptr_t)machine_context(context, MACHINE_SP));
	t = walker(c, resource);
	if (t) {
		unwind_path(t, context, &path);
		if (path.unknown) {
			unwind_done(t);
			prepare(resource, path.unknown);
			unwind_forget(t);
			unwind_path(t, context, &path);
		}
		if (path.count - path.common > MANY)
			pace_heavy();
		count(c, resource, &path, hits, looks);
		unwind_mark(t, &path);
		unwind_done(t);
	} else {
		contexts_lost(resource, hits);
	}
	atomic_store_explicit(&c->busy, false, memory_order_release);
}

void calls_add_start(uint32_t resource, uintptr_t pc, uint64_t hits)
{
	static ucontext_t nowhere;
	struct caller *c = contexts_tree(resource) ? caller() : NULL;
	struct unwind_thread *t = c ? walker(c, resource) : NULL;
	struct unwind_path path;

	if (!t) {
		contexts_lost(resource, hits);
		return;
	}
	unwind_path(t, &nowhere, &path);
	path.frames[0] = (struct unwind_frame){ .pc = pc, .flags = UNWIND_EXACT };
	path.count = 1;
	path.common = 0;
	path.end = UNWIND_COMPLETE;
	path.guessed = false;
	unwind_forget(t);
	count(c, resource, &path, hits, 1);
	unwind_done(t);
}

/* Holds a thread's part from its handlers, or keeps it from being taken; false if it is in use. */
static bool seize(struct caller *c, int *tid)
{
	enum { NOBODY = -1 };

	*tid = atomic_load(&c->tid);
	return *tid ? !atomic_exchange(&c->busy, true) : atomic_compare_exchange_strong(&c->tid, tid, NOBODY);
}

void calls_shrink(void)
{
	size_t n = unwind_thread_size(contexts_frames(), options.calls);

	contexts_shrink();
	/* The mark of a thread whose activations are counted leads to what it is walked with. */
	if (options.calls || unwind_thread_size(contexts_frames(), options.calls) == n)
		return;
	for (uint32_t i = 0; i < THREADS; i++) {
		struct caller *c = &callers[i];
		int tid;

		if (!seize(c, &tid))
			continue;
		for (uint32_t r = 0; r < options.resource_count; r++) {
			if (c->of[r].thread)
				sys2(SYS_munmap, c->of[r].thread, n);
			c->of[r].thread = NULL;
			c->of[r].made = false;
		}
		if (tid)
			atomic_store(&c->busy, false);
		else
			atomic_store(&c->tid, 0);
	}
}

/* What a thread's stack is walked with is not asked for any more: its activations have ended. */
static void complete(struct caller *c)
{
	struct tree *t = contexts_tree(0);

	if (t && c->of[0].made)
		tree_thread_ends(t, c->of[0].thread);
}

void calls_complete(void)
{
	for (uint32_t i = 0; options.calls && i < THREADS; i++) {
		struct caller *c = &callers[i];

		if (!atomic_load(&c->tid) || atomic_exchange(&c->busy, true))
			continue;
		complete(c);
		atomic_store(&c->busy, false);
	}
}

/* Gives back the memory of a thread. */
static void release(struct caller *c)
{
	for (uint32_t r = 0; r < options.resource_count; r++)
		if (c->of[r].thread)
			sys3(SYS_madvise, c->of[r].thread, unwind_thread_size(contexts_frames(), options.calls), MADV_DONTNEED);
	atomic_store(&c->tid, 0);
}

void calls_thread_ends(void)
{
	struct caller *c = mine;

	ended = true;
	mine = NULL;
	if (!c)
		return;
	/* Only ever waits for another thread, which has its signals blocked. */
	while (atomic_exchange(&c->busy, true))
		sys0(SYS_sched_yield);
	complete(c);
	if (c->of[0].made)
		unwind_count_ends(c->of[0].thread);
	release(c);
}

void calls_forget(void)
{
	struct unwind_thread *at_work;

	if (!options.paths)
		return;
	contexts_forget();
	at_work = unwind_count_forked();
	mine = NULL;
	for (uint32_t i = 0; i < THREADS; i++) {
		struct caller *c = &callers[i];

		if (!atomic_load(&c->tid))
			continue;
		if (at_work && c->of[0].thread == at_work)
			c->of[0].thread = NULL;
		release(c);
	}
}
