/*
 * The parts that need no clock: broken stacks, bounds, the tree when it's full, threads that
 * count in it at once, epochs. Prints `checks N wrong N`. Runs on every machine.
 */
#include "../../chunks.h"
#include "../../thread.h"
#include "../../tree.h"
#include "loaded.h"
#include "nodes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FRAMES = 1024, PAGE = 65536 /* the largest */ };

static _Atomic int checks, wrong;

#define CHECK(what)                                                              \
	do {                                                                     \
		checks++;                                                        \
		if (!(what)) {                                                   \
			wrong++;                                                 \
			fprintf(stderr, "line %d: %s is false\n", __LINE__, #what); \
		}                                                                \
	} while (0)

static void *reserve(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static struct unwind_thread *new_thread(void)
{
	return unwind_thread_make(reserve(unwind_thread_size(FRAMES, true)), FRAMES, true);
}

static void set(ucontext_t *u, unsigned reg, uint64_t v)
{
	memcpy((char *)u + machine_context_offset(reg), &v, sizeof v);
}

static struct unwind_path walk(struct unwind_thread *t, const ucontext_t *u)
{
	struct unwind_path p;

	unwind_path(t, u, &p);
	unwind_done(t);
	return p;
}

/* Whatever the registers and the stack hold, nothing faults, and no path is endless. */
__attribute__((noinline)) static void broken(struct unwind_thread *t)
{
	char *stack = (char *)reserve(3 * PAGE) + PAGE;
	uint64_t *words = (uint64_t *)stack, seed = 1;
	ucontext_t u, good;

	munmap(stack - PAGE, PAGE);
	munmap(stack + PAGE, PAGE);
	getcontext(&good);
	for (int i = 0; i < 20000; i++) {
		struct unwind_path p;

		u = good;
		for (unsigned r = 0; r < MACHINE_REGISTERS; r++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			set(&u, r, seed >> 16 & 1 ? seed : (uint64_t)stack + (seed >> 20) % (PAGE + 64));
		}
		/* Words of the stack: rubbish, stack addresses, code. */
		for (int k = 0; k < 16; k++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			words[(seed >> 20) % (PAGE / 8)] = seed >> 17 & 1 ? seed : seed >> 18 & 1 ? (uint64_t)stack + (seed >> 30) % PAGE
														       : machine_context(&good, MACHINE_REGISTERS);
		}
		p = walk(t, &u);
		if (p.count < 1 || p.count > FRAMES) {
			CHECK(!"a path has a possible length");
			break;
		}
	}
	/* The same on what the thread says is its stack. */
	unwind_thread_stack(t, (uintptr_t)stack, (uintptr_t)stack + PAGE);
	for (uint64_t at = 0; at < PAGE; at += 40) {
		u = good;
		set(&u, MACHINE_SP, (uint64_t)stack + at);
		set(&u, MACHINE_FP, (uint64_t)stack + PAGE - 8);
		CHECK(walk(t, &u).count >= 1);
	}
	u = good;
	set(&u, MACHINE_REGISTERS, 0);
	CHECK(walk(t, &u).end != UNWIND_COMPLETE || walk(t, &u).count > 0);
	munmap(stack, PAGE);
	unwind_thread_stack(t, 0, 0);
	CHECK(walk(t, &good).end == UNWIND_COMPLETE);
}

static void bounds(void)
{
	uintptr_t low = 0, high = 0, sp = (uintptr_t)&low;

	CHECK(unwind_find_stack(sp, &low, &high));
	CHECK(low <= sp && sp < high);
	CHECK(!unwind_find_stack(16, &low, &high));
}

/* What the frames of a call deeper have in common with those before. */
__attribute__((noinline)) static struct unwind_path deeper(struct unwind_thread *t, int n)
{
	ucontext_t u;
	struct unwind_path p;

	if (n) {
		p = deeper(t, n - 1);
		__asm__ volatile("" ::: "memory");
		return p;
	}
	getcontext(&u);
	return walk(t, &u);
}

static void common(struct unwind_thread *t)
{
	struct unwind_path a = deeper(t, 10), b = deeper(t, 10), c = deeper(t, 20), d;

	CHECK(a.end == UNWIND_COMPLETE && c.end == UNWIND_COMPLETE);
	CHECK(a.count == b.count && c.count == b.count + 10);
	CHECK(b.common > 0 && b.common < b.count);
	CHECK(c.common > 0 && c.common < b.count);
	unwind_forget(t);
	d = deeper(t, 20);
	CHECK(d.common == 0 && d.count == c.count);
}

static bool no_room(void *page)
{
	(void)page;
	return false;
}

/* What a reader of the words finds. */
struct read {
	uint64_t samples, text;
	uint64_t selves; /* samples, by the links of the nodes */
	uint32_t nodes, contexts; /* of them, those with samples */
	bool whole; /* the chunks end where the words in use end, and the nodes where their chunks do */
};

static struct read read_words(const struct tree *t)
{
	struct read r = { .whole = true };
	uint32_t at = 1, length;

	for (; r.whole && at < t->header->count; at += length) {
		uint32_t parent = t->words[at] & TREE_TEXT, i = at + 1;

		length = t->words[at] >> CHUNK_BITS;
		r.whole = length >= 2;
		if (parent == TREE_TEXT) {
			for (const char *c = (const char *)&t->words[i]; c < (const char *)&t->words[at + length]; c++)
				r.text += *c != '\0';
			continue;
		}
		if (parent == TREE_LASTING)
			continue;
		for (; i < at + length - 1; i = place_end(t->words, i) + t->calls) {
			r.nodes++;
			r.selves += node_self(t, i);
			r.contexts += node_self(t, i) != 0;
		}
		r.whole = r.whole && i == at + length - 1 && parent < at;
		CHECK(parent || at == 1 || !t->words[i]); /* what hangs in no tree has no samples */
		r.samples += t->words[i];
	}
	r.whole = r.whole && at == t->header->count;
	return r;
}

/* Places take one word, or three; none becomes another. */
static void places(void)
{
	static const uint64_t addresses[] = { 0, 1, (1 << 26) - 1, 1 << 26, 0x7fff12345678, ((uint64_t)1 << 48) - 1 };
	static const uint32_t objects[] = { 0, 1, 62, 63, 64, TREE_OBJECTS - 1, TREE_ROOT, TREE_GUESSED, 0xffff };
	uint32_t words[3];

	for (unsigned a = 0; a < sizeof addresses / sizeof *addresses; a++)
		for (unsigned o = 0; o < sizeof objects / sizeof *objects; o++) {
			uint64_t where = place_of(objects[o], addresses[a]);
			uint32_t n = place_put(words, where);

			CHECK(place_get(words) == where && place_end(words, 0) == n && words[0]);
			CHECK(n == (objects[o] && objects[o] < 63 && addresses[a] < 1 << 26 ? 1 : 3));
		}
}

static void full(struct unwind_thread *t)
{
	enum { FEW = 320 };
	static char text[2000];
	struct read r;
	struct tree tree;
	struct unwind_path p;
	ucontext_t u;
	uint32_t root;

	CHECK(!tree_make(&tree, reserve(tree_size(FEW)), reserve(tree_links_size(FEW, false)), FEW, false, no_room));
	CHECK(tree_make(&tree, reserve(tree_size(FEW)), reserve(tree_links_size(FEW, false)), FEW, false, NULL));
	root = tree_root(&tree, 7);
	CHECK(root && root == tree_root(&tree, 7) && root != tree_root(&tree, 8));
	getcontext(&u);
	for (int i = 0; i < 100; i++) {
		/* Each time another leaf. */
		set(&u, MACHINE_REGISTERS, (uint64_t)(uintptr_t)full + 1 + (uint64_t)i % 30);
		unwind_forget(t);
		unwind_path(t, &u, &p);
		tree_add(&tree, root, t, &p, 1, 1);
		unwind_done(t);
	}
	CHECK(tree.header->samples + tree.header->lost == 100);
	CHECK(tree.header->lost > 0 && tree.header->samples > 0 && tree_full(&tree));
	/* There is room for text, and none of one that has no room. */
	memset(text, 'x', sizeof text);
	CHECK(tree_text(&tree, text, 10));
	CHECK(!tree_text(&tree, text, sizeof text));
	r = read_words(&tree);
	CHECK(r.whole && r.text == 10 && r.samples == tree.header->samples);
}

/* What the nodes of a path have counted, the outermost first. */
static void check_calls(const struct tree *t, const struct unwind_path *p, uint32_t outer, uint32_t inner)
{
	for (uint32_t i = 0; i < p->count; i++)
		CHECK(node_calls(t, p->frames[i].node) == (i < 2 ? outer : inner));
}

/* An activation counts once, however many samples see it; a full counter stays full. */
static void activations(struct unwind_thread *t)
{
	enum { NODES = 4096 };
	struct tree tree;
	struct unwind_path p;
	uint32_t root, leaf = 0;
	ucontext_t u;

	CHECK(tree_make(&tree, reserve(tree_size(NODES)), reserve(tree_links_size(NODES, true)), NODES, true, NULL));
	root = tree_root(&tree, 1);
	getcontext(&u);
	for (uint32_t kept = 0; kept < 3; kept += 2) {
		unwind_path(t, &u, &p);
		CHECK(p.kept == 0 && p.count > 2);
		p.kept = kept;
		CHECK(tree_add(&tree, root, t, &p, 1, 1));
		check_calls(&tree, &p, 1, 1 + kept / 2);
		unwind_done(t);
		leaf = p.frames[p.count - 1].node;
	}
	unwind_path(t, &u, &p);
	p.kept = p.count;
	tree.words[tree_link(&tree, leaf)->self] = UINT32_MAX - 1;
	CHECK(tree_add(&tree, root, t, &p, 3, 3));
	check_calls(&tree, &p, 1, 2);
	unwind_done(t);
	CHECK(node_self(&tree, leaf) == UINT32_MAX && tree.header->saturated == 1);
	unwind_forget(t);
}

/* What a node has counted of activations seen by two samples. */
static void check_lasting(const struct tree *t, uint32_t node, uint32_t twice, uint32_t thrice, uint32_t most, uint32_t next, uint32_t near)
{
	const struct tree_lasting *l = node_lasting(t, node);

	CHECK(l ? l->node == node && l->twice == twice && l->thrice == thrice && l->most == most && l->next == next && l->near == near : !twice);
}

/* A sample that weighs several is one look: it makes no activation a long one, and what it weighs above one is told apart. */
static void heavy(struct unwind_thread *t)
{
	static const struct { uint32_t kept, weight; } samples[] = { { 0, 5 }, { 2, 1 }, { 2, 4 }, { 9, 1 }, { 2, 3 }, { 9, 2 }, { 9, 1 }, { 2, 2 }, { 99, 3 } };
	enum { NODES = 4096, INNER = 2, OUTER = 1 };
	const struct tree_lasting *l;
	struct tree tree;
	struct unwind_path p;
	uint32_t root, leaf = 0;
	ucontext_t u;

	CHECK(tree_make(&tree, reserve(tree_size(NODES)), reserve(tree_links_size(NODES, true)), NODES, true, NULL));
	root = tree_root(&tree, 1);
	getcontext(&u);
	unwind_forget(t);
	t->now = t->before = t->before_that = t->going_count = t->weight = 0;
	for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++) {
		unwind_path(t, &u, &p);
		p.kept = samples[i].kept < p.count ? samples[i].kept : p.count;
		CHECK(tree_add(&tree, root, t, &p, samples[i].weight, i < sizeof samples / sizeof *samples - 1));
		unwind_done(t);
		leaf = p.frames[p.count - 1].node;
	}
	unwind_path(t, &u, &p);
	tree_thread_ends(&tree, t);
	/*
	 * Of five inner activations the first two were seen once, with 5 and 1, the others with 4 + 1 and 3 + 2 + 1, and the last one at
	 * one instant with 2 + 3.
	 */
	l = node_lasting(&tree, p.frames[INNER].node);
	CHECK(l && node_calls(&tree, l->node) == 5 && l->twice == 2 && l->thrice == 1 && l->most == 6 && l->alone == 8);
	l = node_lasting(&tree, p.frames[OUTER].node);
	CHECK(l && node_calls(&tree, l->node) == 1 && l->twice == 1 && l->most == 22 && l->alone == 0 && l->heavy == 0);
	l = node_lasting(&tree, leaf);
	CHECK(l && l->heavy == 6 && l->heavier == 19 && l->squares == 25 + 16 + 9 + 4 + 4 + 9);
	CHECK(node_self(&tree, leaf) == 22);
	unwind_done(t);
	unwind_forget(t);
}

/* By how many samples activations are seen, and whether they follow each other. */
static void lasting(struct unwind_thread *t)
{
	/* What is kept at each sample: two outer frames all the time, those inside now and then; 1 is a sample without these. */
	static const uint32_t kept[] = { 0, 9, 2, 9, 9, 9, 1, 2, 9, 2 };
	enum { NODES = 4096, INNER = 2, OUTER = 1 };
	struct tree tree;
	struct unwind_path p;
	uint32_t root;
	ucontext_t u;

	CHECK(tree_make(&tree, reserve(tree_size(NODES)), reserve(tree_links_size(NODES, true)), NODES, true, NULL));
	root = tree_root(&tree, 1);
	getcontext(&u);
	unwind_forget(t);
	t->now = t->before = t->before_that = t->going_count = 0;
	for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++) {
		unwind_path(t, &u, &p);
		CHECK(p.count > 2);
		p.kept = kept[i] < p.count ? kept[i] : p.count;
		if (kept[i] == 1) {
			p.kept = p.count = 2;
			unwind_forget(t);
		}
		CHECK(tree_add(&tree, root, t, &p, 1, 1));
		unwind_done(t);
	}
	unwind_path(t, &u, &p);
	/* Ten samples; of the inner frame two, then, next to these, four, then, near them, two and, next again, one. */
	check_lasting(&tree, p.frames[OUTER].node, 1, 1, 0, 0, 0);
	check_lasting(&tree, p.frames[INNER].node, 3, 1, 4, 1, 1);
	CHECK(node_calls(&tree, p.frames[OUTER].node) == 1 && node_calls(&tree, p.frames[INNER].node) == 4);
	tree_thread_ends(&tree, t);
	check_lasting(&tree, p.frames[OUTER].node, 1, 1, 10, 0, 0);
	unwind_done(t);
	unwind_forget(t);
}

enum { THREADS = 4, EACH = 3000 };

static struct tree shared;
static uint32_t shared_root;
static _Atomic bool stop;

__attribute__((noinline)) static void count_here(struct unwind_thread *t, uint64_t n)
{
	struct unwind_path p;
	ucontext_t u;

	if (n % 7) {
		count_here(t, n - 1);
		__asm__ volatile("" ::: "memory");
		return;
	}
	getcontext(&u);
	unwind_path(t, &u, &p);
	if (p.end != UNWIND_COMPLETE || !tree_add(&shared, shared_root, t, &p, 1, 1)) {
		fprintf(stderr, "end %d after %u frames\n", p.end, p.count);
		wrong++;
	}
	unwind_done(t);
}

enum { LINES = 2000, LINE = 1200 };

static void *tells(void *unused)
{
	static char line[LINE];

	(void)unused;
	memset(line, 'x', sizeof line);
	for (int i = 0; i < LINES; i++)
		CHECK(tree_text(&shared, line, (size_t)(1 + i % LINE)));
	return NULL;
}

static void *counts(void *unused)
{
	struct unwind_thread *t = new_thread();

	(void)unused;
	for (uint64_t i = 0; i < EACH; i++)
		count_here(t, i);
	return NULL;
}

/* Objects come and go, while others unwind. */
static void *changes(void *unused)
{
	(void)unused;
	while (!stop)
		while (!load_objects()) {} /* some reader does not get a CPU */
	return NULL;
}

static void together(void)
{
	pthread_t threads[THREADS], changer, teller;
	struct read r;
	uint64_t told = 0;

	CHECK(tree_make(&shared, reserve(tree_size(1 << 20)), reserve(tree_links_size(1 << 20, true)), 1 << 20, true, NULL));
	shared_root = tree_root(&shared, 0);
	pthread_create(&changer, NULL, changes, NULL);
	pthread_create(&teller, NULL, tells, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, counts, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	stop = true;
	pthread_join(changer, NULL);
	pthread_join(teller, NULL);
	r = read_words(&shared);
	CHECK(r.selves == THREADS * EACH);
	/* Seven depths, from one loop: each context was made once, whoever came first. */
	CHECK(r.contexts == 7);
	for (int i = 0; i < LINES; i++)
		told += (uint64_t)(1 + i % LINE);
	CHECK(r.whole && r.samples == r.selves && r.text == told && r.nodes > 7);
}

static void epochs(struct unwind_thread *t)
{
	static const struct unwind_object other = { .start = 4096, .end = 8192, .id = 9999 };
	uint32_t first, second, third;

	CHECK(unwind_objects_begin());
	CHECK(unwind_objects_add(&other));
	first = unwind_objects_publish();
	CHECK(unwind_objects_begin());
	CHECK(unwind_objects_add(&other));
	second = unwind_objects_publish();
	CHECK(second == first);
	CHECK(unwind_objects_begin());
	third = unwind_objects_publish();
	CHECK(third == second + 1);
	/* More than there are numbers for in the cache. */
	for (int i = 0; i < 40000; i++) {
		unwind_objects_begin();
		if (i & 1)
			unwind_objects_add(&other);
		unwind_objects_publish();
	}
	CHECK(load_objects());
	CHECK(deeper(t, 5).end == UNWIND_COMPLETE);
}

int main(void)
{
	struct unwind_thread *t;

	if (!unwind_start() || !load_objects())
		return 1;
	t = new_thread();
	bounds();
	common(t);
	places();
	full(t);
	activations(t);
	lasting(t);
	heavy(t);
	broken(t);
	together();
	epochs(t);
	printf("checks %d wrong %d\n", checks, wrong);
	return 0;
}
