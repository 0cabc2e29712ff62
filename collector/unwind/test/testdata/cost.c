/*
 * What a path costs, ns, the least of many runs: from a context that a signal interrupted so
 * many calls deep.
 *
 *   depth N walk W known K tree T first F far R fp P libgcc G handler H empty E
 *
 * walk: all frames anew, with all recipes in the cache. known: the same path again, which is
 * compared. tree: known, with the last three frames different each time, and counted in the
 * tree. first: all recipes worked out. far: as tree, with 64 MB of the program's own data touched in
 * between (median). fp: a walk by frame pointers of as many frames. libgcc: _Unwind_Backtrace. handler: a
 * signal that is raised, with path and tree; empty: with a handler that does nothing.
 */
#include "../../tree.h"
#include "loaded.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

enum { FRAMES = 4096, NODES = 1 << 16, RUNS = 2000, FAR = 64 << 20, FAR_RUNS = 15 };

static struct unwind_thread *thread;
static struct tree tree;
static uint32_t root;
static ucontext_t taken[2];
static volatile int sink;
static char *far;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void path(const ucontext_t *u, bool forget, bool count)
{
	struct unwind_path p;

	if (forget)
		unwind_forget(thread);
	unwind_path(thread, u, &p);
	if (p.end != UNWIND_COMPLETE || (count && !tree_add(&tree, root, thread, &p, 1, 1)))
		abort();
	unwind_done(thread);
}

static bool full;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (full)
		path(context, false, true);
}

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *n)
{
	*(uint64_t *)n += _Unwind_GetIP(c);
	return _URC_NO_REASON;
}

static int by_frame_pointers(void *frame)
{
	int n = 0;

	for (uintptr_t *f = frame; f && f[1]; f = (uintptr_t *)f[0])
		n++;
	return n;
}

static uint64_t least(uint64_t *best, uint64_t from)
{
	uint64_t t = now() - from;

	if (t < *best)
		*best = t;
	return t;
}

/* The second context is that of three calls before. */
static void shorten(void)
{
	struct unwind_path p;
	const struct unwind_frame *f;

	unwind_path(thread, &taken[0], &p);
	f = &p.frames[p.count - 4];
	taken[1] = taken[0];
	taken[1].uc_mcontext.gregs[REG_RIP] = (greg_t)f->pc;
	taken[1].uc_mcontext.gregs[REG_RSP] = (greg_t)f->sp;
	taken[1].uc_mcontext.gregs[REG_RBP] = (greg_t)f->fp;
	unwind_forget(thread);
	unwind_done(thread);
}

static int order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static uint64_t median_far(void)
{
	uint64_t t[FAR_RUNS], from;

	for (int i = 0; i < FAR_RUNS; i++) {
		memset(far, i, FAR);
		from = now();
		path(&taken[i & 1], false, true);
		t[i] = now() - from;
	}
	qsort(t, FAR_RUNS, sizeof *t, order);
	return t[FAR_RUNS / 2];
}

/* The frames that a frame-pointer walk is measured on: a chain of records as calls make it. */
static uintptr_t records[FRAMES][8];

static void measure(int depth)
{
	enum { WALK, KNOWN, TREE, FIRST, FP, GCC, HANDLER, NOTHING, KINDS };
	uint64_t best[KINDS], from, sum = 0;

	memset(best, 0xff, sizeof best);
	getcontext(&taken[0]);
	shorten();
	for (int i = 0; i < depth; i++) {
		records[i][0] = i + 1 < depth ? (uintptr_t)records[i + 1] : 0;
		records[i][1] = 1;
	}
	for (int i = 0; i < RUNS; i++) {
		from = now();
		path(&taken[0], true, false);
		least(&best[WALK], from);
		from = now();
		path(&taken[0], false, false);
		least(&best[KNOWN], from);
		path(&taken[1], false, true);
		from = now();
		path(&taken[0], false, true);
		least(&best[TREE], from);
		from = now();
		sink += by_frame_pointers(records[0]);
		least(&best[FP], from);
		from = now();
		_Unwind_Backtrace(step, &sum);
		least(&best[GCC], from);
		full = true;
		from = now();
		raise(SIGUSR1);
		least(&best[HANDLER], from);
		full = false;
		from = now();
		raise(SIGUSR1);
		least(&best[NOTHING], from);
	}
	for (int i = 0; i < 20; i++) {
		/* Without the objects, then with them, the epoch is another. */
		unwind_objects_begin();
		unwind_objects_publish();
		load_objects();
		from = now();
		path(&taken[0], true, false);
		least(&best[FIRST], from);
	}
	printf("depth %d walk %lu known %lu tree %lu first %lu far %lu fp %lu libgcc %lu handler %lu empty %lu\n", depth, best[WALK], best[KNOWN],
	       best[TREE], best[FIRST], median_far(), best[FP], best[GCC], best[HANDLER], best[NOTHING]);
}

static int down(int n, int depth);

/* Frames of some kinds: small, with saved registers, large. */
__attribute__((noinline)) static int small(int n, int depth)
{
	return down(n, depth) + 1;
}

__attribute__((noinline)) static int saving(int n, int depth)
{
	int a = sink, b = sink, c = sink, d = sink;

	return down(n, depth) + a + b + c + d;
}

__attribute__((noinline)) static int large(int n, int depth)
{
	volatile char room[300];

	room[n % 300] = 1;
	return down(n, depth) + room[depth % 300];
}

__attribute__((noinline)) static int down(int n, int depth)
{
	if (n <= 0) {
		measure(depth);
		return sink;
	}
	return n % 3 == 0 ? small(n - 2, depth) + 1 : n % 3 == 1 ? saving(n - 2, depth) + 2 : large(n - 2, depth) + 3;
}

static void *reserve(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

int main(int argc, char **argv)
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	uintptr_t low, high;

	far = reserve(FAR);
	if (!unwind_start() || !load_objects() || !unwind_find_stack((uintptr_t)&low, &low, &high) ||
	    !tree_make(&tree, reserve(tree_size(NODES)), reserve(tree_links_size(NODES, false)), NODES, false, NULL) || !(root = tree_root(&tree, 1)))
		return 1;
	thread = unwind_thread_make(reserve(unwind_thread_size(FRAMES, false)), FRAMES, false);
	unwind_thread_stack(thread, low, high);
	sigaction(SIGUSR1, &a, NULL);
	for (int i = 1; i < argc; i++)
		down(atoi(argv[i]), atoi(argv[i]));
	return 0;
}
