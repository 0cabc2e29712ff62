#include "contexts.h"
#include "callsfile.h"
#include "file.h"
#include "mapping.h"
#include "note.h"
#include "object.h"
#include "options.h"
#include "run.h"
#include "space.h"
#include "sys.h"
#include "text.h"

enum {
	WORDS_MOST = 3 << 20, /* 12 MB, and 60 MB of links, half of that if activations are counted */
	WORDS_LEAST = 3 << 9,
	SPARE = 1 << 14, /* words that handlers of other threads may use while the file is cut off */
	PAGE = 4096,
	ROOTS_MOST = 256, /* threads that have their own part of a tree; the others share one */
};

/* Of a resource. */
struct contexts {
	struct object file;
	char name[32];                         /* of the file */
	_Atomic(struct calls_header *) header; /* of it; NULL: there is none */
	struct tree tree;
	bool failed;              /* there can be no file */
	_Atomic uint64_t orphans; /* lost before there was one */
	_Atomic uint32_t roots;
};

static struct contexts all[RESOURCES_MOST];

static void add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static struct calls_header *head(const struct contexts *c)
{
	return atomic_load_explicit(&c->header, memory_order_acquire);
}

void contexts_lost(uint32_t resource, uint64_t n)
{
	struct contexts *c = &all[resource];
	struct calls_header *h = head(c);

	if (n)
		add(h ? &h->lost : &c->orphans, n);
}

struct tree *contexts_tree(uint32_t resource)
{
	return head(&all[resource]) ? &all[resource].tree : NULL;
}

uint32_t contexts_root(uint32_t resource, int tid)
{
	struct contexts *c = &all[resource];

	return tree_root(&c->tree, atomic_fetch_add(&c->roots, 1) < ROOTS_MOST ? (uint64_t)tid : 0);
}

uint64_t contexts_nodes(void)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < options.resource_count; i++)
		n += head(&all[i]) ? atomic_load(&all[i].tree.header->count) : 0;
	return n;
}

/* Makes sure that there is room in the file behind a page. */
static bool room(void *page)
{
	for (uint32_t i = 0; i < options.resource_count; i++) {
		struct object *o = &all[i].file;
		size_t at = (size_t)((char *)page - (char *)o->header);

		if (o->header && at < o->mapped)
			return mapping_reserve(o, at);
	}
	return false;
}

static size_t calls_size(uint32_t words)
{
	return CALLS_TREE + tree_size(words);
}

bool contexts_permitted(uint64_t n)
{
	return space_permitted(n * options.resource_count);
}

static uint32_t words_permitted(void)
{
	uint32_t n = WORDS_MOST;

	while (n > WORDS_LEAST && (!space_for_file(calls_size(n)) ||
				   !contexts_permitted(calls_size(n) + tree_links_size(n, options.calls))))
		n /= 2;
	return n;
}

/* The links of a tree, which the child of a fork does not have. */
static void *links_memory(uint32_t words)
{
	size_t n = tree_links_size(words, options.calls);
	void *p = space_permitted(n) ? space_reserve(n) : NULL;

	if (p)
		sys3(SYS_madvise, p, n, MADV_DONTFORK);
	return p;
}

/* The files are `paths.NAME`, by the resource. */
static void fill_name(struct contexts *c)
{
	struct text t = text_in(c->name, sizeof c->name);

	text_str(&t, CALLS_PREFIX);
	text_str(&t, options.resources[c - all].kind->name);
	c->file.kind = OBJECT_ANON;
	c->file.path = c->name;
}

static void fill_header(const struct contexts *c, struct calls_header *h)
{
	const struct resource *r = &options.resources[c - all];
	bool time = r->kind->source == RESOURCE_TIME;
	struct text t;

	*h = (struct calls_header){
		.magic = CALLS_MAGIC,
		.header = CALLS_TREE,
		.tree = CALLS_TREE,
		.period = time ? run.period : 0,
		.start = run.start,
		.interval = time ? run.period / 1000 : r->interval,
		.pid = (uint32_t)run.pid,
	};
	t = text_in(h->clock, sizeof h->clock);
	text_str(&t, time ? run.clock : r->kind->name);
	t = text_in(h->resource, sizeof h->resource);
	text_str(&t, r->kind->name);
	t = text_in(h->unit, sizeof h->unit);
	text_str(&t, r->kind->unit);
}

bool contexts_open(uint32_t resource)
{
	struct contexts *c = &all[resource];
	static struct calls_header h;
	uint32_t words;
	void *links;
	long err;
	char *base;

	if (c->failed)
		return false;
	c->failed = true;
	words = words_permitted();
	links = links_memory(words);
	if (!links) {
		note_post(NOTE_PATHS_MEMORY);
		return false;
	}
	fill_name(c);
	fill_header(c, &h);
	err = file_open_calls(&c->file, &h, sizeof h, calls_size(words));
	if (err >= 0) {
		base = (char *)c->file.header;
		if (tree_make(&c->tree, base + CALLS_TREE, links, words, options.calls, room)) {
			atomic_store(&c->roots, 0);
			add(&((struct calls_header *)base)->lost, atomic_exchange(&c->orphans, 0));
			atomic_store_explicit(&c->header, (struct calls_header *)base, memory_order_release);
			c->failed = false;
			return true;
		}
		err = -ENOSPC;
	}
	if (err == -ENOSPC || err == -EDQUOT)
		note_post(NOTE_DISK_FULL);
	else if (err == -EFBIG)
		note_post(NOTE_FILE_LIMIT);
	else if (err != -ENOTDIR)
		note_post(NOTE_NO_FILE);
	sys2(SYS_munmap, links, tree_links_size(words, options.calls));
	return false;
}

bool contexts_append(uint32_t resource, const char *line, size_t n)
{
	struct contexts *c = &all[resource];
	struct calls_header *h = head(c);
	uint32_t used = atomic_load_explicit(&h->used, memory_order_relaxed);

	if (n > CALLS_TEXT_MOST - used || !tree_text(&c->tree, line, n))
		return false;
	atomic_store_explicit(&h->used, used + (uint32_t)n, memory_order_release);
	return true;
}

/*
 * Cuts a tree and its file off, behind what is in use and some more; to so many words at least.
 * False if it is no longer.
 */
static bool cut(struct contexts *c, uint32_t least)
{
	uint64_t keep;

	if (!head(c))
		return false;
	keep = (uint64_t)atomic_load(&c->tree.header->count) + SPARE;
	if (keep < least)
		keep = least;
	if (keep >= c->tree.header->capacity)
		return false;
	c->tree.header->capacity = (uint32_t)keep;
	file_cut_calls(&c->file, calls_size((uint32_t)keep));
	return true;
}

void contexts_complete(void)
{
	for (uint32_t i = 0; i < options.resource_count; i++)
		cut(&all[i], 0);
}

void contexts_shrink(void)
{
	uint32_t words = words_permitted();

	for (uint32_t i = 0; i < options.resource_count; i++) {
		struct contexts *c = &all[i];
		size_t had = head(c) ? tree_links_size(c->tree.header->capacity, options.calls) : 0, keep;

		if (!cut(c, words))
			continue;
		mapping_cut(&c->file, calls_size(c->tree.header->capacity));
		keep = (tree_links_size(c->tree.header->capacity, options.calls) + PAGE - 1) / PAGE * PAGE;
		if (keep < had)
			sys2(SYS_munmap, (char *)c->tree.links + keep, had - keep);
	}
}

void contexts_forget(void)
{
	for (uint32_t i = 0; i < options.resource_count; i++) {
		struct contexts *c = &all[i];

		if (head(c))
			mapping_forget(&c->file);
		atomic_store(&c->header, NULL);
		c->tree = (struct tree){ 0 };
		c->failed = false;
		atomic_store(&c->orphans, 0);
	}
}
