#include "calls.h"
#include "contexts.h"
#include "followed.h"
#include "imports.h"
#include "mapped.h"
#include "note.h"
#include "object.h"
#include "options.h"
#include "pace.h"
#include "plans.h"
#include "prepare.h"
#include "run.h"
#include "space.h"
#include "sys.h"
#include "unwind/machine.h"
#include "valuelog.h"
#include "values.h"

#include <stdatomic.h>
#include <sys/auxv.h>

enum { THREADS = 8192, MANY = 1024 /* frames that take some 50 µs */ };

/* What a thread is sampled with. It is the thread's alone until it ends. */
struct caller {
	_Atomic int tid;   /* 0: free */
	_Atomic bool busy; /* held by a handler */
	uintptr_t stack_low, stack_high; /* the thread's own stack, once it was found */
	uint32_t looked, look_at;        /* samples until it is looked for again; 0: it was found */
	struct values_memory *values;    /* in which they are put together; its memory stays */
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
	/*
	 * What is linked in does not stand before what reads return addresses; and one trampoline
	 * has one path.
	 */
	if (!threads_are_followed())
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

static void start(void)
{
	enum note why;

	mapped_start();
	plans_start();
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

		/*
		 * Where the end of threads is not seen (a library that is linked in) they are
		 * looked for.
		 */
		if (owner && (threads_are_followed() || !gone(owner)))
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
	size_t n = unwind_thread_size(prepare_frames(), options.calls);
	struct unwind_thread *t = c->of[resource].thread;

	if (c->of[resource].made)
		return t;
	if (t)
		sys3(SYS_madvise, t, n, MADV_DONTNEED);
	else
		t = c->of[resource].thread = space_reserve(n);
	if (!t) {
		note_post(NOTE_PATHS_MEMORY);
		return NULL;
	}
	unwind_thread_make(t, prepare_frames(), options.calls);
	if (c->stack_high)
		unwind_thread_stack(t, c->stack_low, c->stack_high);
	c->of[resource].root = contexts_root(resource, atomic_load_explicit(&c->tid, memory_order_relaxed));
	c->of[resource].made = true;
	if (options.calls && !unwind_count(t))
		note_post(NOTE_UNCOUNTED_THREADS);
	return t;
}

/*
 * Finds the bounds of the thread's own stack: that on which the program's start data lie, or those
 * of the thread. While it is on another one, such as a coroutine's, that is looked for ever more
 * seldom.
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

/* Evaluates what is to be evaluated in a path that has been counted. */
static void evaluate(struct caller *c, uint32_t resource, const struct unwind_path *path, uint64_t hits)
{
	uint32_t weight = hits < UINT32_MAX ? (uint32_t)hits : UINT32_MAX;
	size_t n = values_room();

	if (n && !c->values)
		c->values = space_reserve(n);
	if (n && c->values)
		values_take(resource, c->of[resource].thread, path,
			    atomic_load_explicit(&c->tid, memory_order_relaxed), weight, c->values);
}

/* False if there is no room. */
static bool count(struct caller *c, uint32_t resource, struct unwind_path *path, uint64_t hits, uint64_t looks)
{
	struct tree *t = contexts_tree(resource);
	uint32_t weight = hits < UINT32_MAX ? (uint32_t)hits : UINT32_MAX;

	if (tree_add(t, c->of[resource].root, c->of[resource].thread, path, weight,
		     looks < weight ? (uint32_t)looks : weight))
		return true;
	/* The tree counts one as lost. */
	contexts_lost(resource, hits - 1);
	note_post(tree_full(t) ? NOTE_PATHS_FULL : NOTE_DISK_FULL);
	return false;
}

/*
 * How many looks at the thread a tick is. A tick that waited while another one's handler was at
 * work finds the thread where that did: both are one.
 */
static uint32_t looks_of_tick(const ucontext_t *context, bool in_kernel)
{
	static __thread struct {
		uintptr_t pc, sp;
		bool in_kernel;
	} last __attribute__((tls_model("initial-exec")));
	uintptr_t pc = context_pc(context), sp = (uintptr_t)machine_context(context, MACHINE_SP);
	bool same = pc == last.pc && sp == last.sp && in_kernel != last.in_kernel;

	last.pc = pc;
	last.sp = sp;
	last.in_kernel = in_kernel;
	return !same;
}

/* Finds the path and counts it. */
static void follow(struct caller *c, struct unwind_thread *t, const ucontext_t *context, const struct sample *s)
{
	uint64_t looks = s->of_clock ? looks_of_tick(context, s->in_kernel) : s->hits;
	struct unwind_path path;

	unwind_path(t, context, &path);
	if (path.unknown) {
		unwind_done(t);
		prepare(s->resource, path.unknown);
		unwind_forget(t);
		unwind_path(t, context, &path);
	}
	if (path.count - path.common > MANY)
		pace_heavy();
	if (count(c, s->resource, &path, s->hits, looks))
		evaluate(c, s->resource, &path, s->hits);
	unwind_mark(t, &path);
	unwind_done(t);
}

static void add(const ucontext_t *context, const struct sample *s)
{
	struct unwind_thread *t;
	struct caller *c;

	if (!prepare_done(s->resource) || object_stale())
		prepare(s->resource, context_pc(context));
	contexts_lost(s->resource, s->lost);
	c = contexts_tree(s->resource) ? caller() : NULL;
	/* Threads that the program made by itself may share what is the thread's own. */
	if (!c || atomic_exchange_explicit(&c->busy, true, memory_order_acquire)) {
		contexts_lost(s->resource, s->hits);
		return;
	}
	find_stack(c, (uintptr_t)machine_context(context, MACHINE_SP));
	t = walker(c, s->resource);
	if (t)
		follow(c, t, context, s);
	else
		contexts_lost(s->resource, s->hits);
	atomic_store_explicit(&c->busy, false, memory_order_release);
}

static void add_start(uint32_t resource, uintptr_t pc, uint64_t hits)
{
	static ucontext_t nowhere;
	struct caller *c;
	struct unwind_thread *t;
	struct unwind_path path;

	prepare(resource, pc);
	c = contexts_tree(resource) ? caller() : NULL;
	t = c ? walker(c, resource) : NULL;
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
	if (count(c, resource, &path, hits, 1))
		evaluate(c, resource, &path, hits);
	unwind_done(t);
}

/* Each page of links that a tree fills is a fault, of so many nodes at least. */
static uint64_t pages(void)
{
	enum { NODES = 128 };

	return contexts_nodes() / NODES;
}

/* Holds a thread's part from its handlers, or keeps it from being taken; false if it is in use. */
static bool seize(struct caller *c, int *tid)
{
	enum { NOBODY = -1 };

	*tid = atomic_load(&c->tid);
	return *tid ? !atomic_exchange(&c->busy, true) : atomic_compare_exchange_strong(&c->tid, tid, NOBODY);
}

/* Gives back what is more than is permitted. What a handler is at work with stays. */
static void shrink(void)
{
	size_t n = unwind_thread_size(prepare_frames(), options.calls);

	prepare_shrink();
	/* The mark of a thread whose activations are counted leads to what it is walked with. */
	if (options.calls || unwind_thread_size(prepare_frames(), options.calls) == n)
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
static void end_activations(struct caller *c)
{
	struct tree *t = contexts_tree(0);

	if (t && c->of[0].made)
		tree_thread_ends(t, c->of[0].thread);
}

static void complete(void)
{
	for (uint32_t i = 0; options.calls && i < THREADS; i++) {
		struct caller *c = &callers[i];

		if (!atomic_load(&c->tid) || atomic_exchange(&c->busy, true))
			continue;
		end_activations(c);
		atomic_store(&c->busy, false);
	}
	contexts_complete();
	valuelog_complete();
}

/* Gives back the memory of a thread. */
static void release(struct caller *c)
{
	for (uint32_t r = 0; r < options.resource_count; r++)
		if (c->of[r].thread)
			sys3(SYS_madvise, c->of[r].thread, unwind_thread_size(prepare_frames(), options.calls),
			     MADV_DONTNEED);
	if (c->values)
		sys3(SYS_madvise, c->values, values_room(), MADV_DONTNEED);
	atomic_store(&c->tid, 0);
}

static void thread_ends(void)
{
	struct caller *c = mine;

	ended = true;
	mine = NULL;
	if (!c)
		return;
	/* Only ever waits for another thread, which has its signals blocked. */
	while (atomic_exchange(&c->busy, true))
		sys0(SYS_sched_yield);
	end_activations(c);
	if (c->of[0].made)
		unwind_count_ends(c->of[0].thread);
	release(c);
}

static void forget(void)
{
	struct unwind_thread *at_work;

	prepare_forget();
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

const struct sink calls_sink = {
	.start = start,
	.add = add,
	.add_start = add_start,
	.lose = contexts_lost,
	.pages = pages,
	.thread_ends = thread_ends,
	.shrink = shrink,
	.complete = complete,
	.forget = forget,
};
