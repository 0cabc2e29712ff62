#include "valuelog.h"
#include "contexts.h"
#include "file.h"
#include "mapping.h"
#include "note.h"
#include "options.h"
#include "plans.h"
#include "space.h"
#include "sys.h"
#include "text.h"

enum {
	SIZE_MOST = 256 << 20,
	SIZE_LEAST = 1 << 16,
	SPARE = 1 << 17, /* bytes that handlers of other threads may use while the file is cut off */
	PAGE = 4096,
	PART = 1 << 20, /* of the file, which stays in the process's memory no longer than needed */
};

/* Of a resource. */
struct log {
	struct object file;
	char name[32];                          /* of the file */
	_Atomic(struct values_header *) header; /* of it; NULL: there is none */
	size_t begin;                           /* of the records in it */
	_Atomic uint64_t capacity;              /* bytes of records */
	bool failed;                            /* there can be no file */
};

static struct log all[RESOURCES_MOST];

static struct values_header *head(const struct log *l)
{
	return atomic_load_explicit(&l->header, memory_order_acquire);
}

static uint64_t size_permitted(void)
{
	uint64_t n = SIZE_MOST;

	while (n > SIZE_LEAST && (!space_for_file(n) || !contexts_permitted(n)))
		n /= 2;
	return n;
}

static void fill_name(struct log *l)
{
	struct text t = text_in(l->name, sizeof l->name);

	text_str(&t, VALUES_PREFIX);
	text_str(&t, options.resources[l - all].kind->name);
	l->file.kind = OBJECT_ANON;
	l->file.path = l->name;
}

void valuelog_open(uint32_t resource)
{
	struct log *l = &all[resource];
	uint64_t size = size_permitted();
	const void *from;
	size_t n;

	if (!plans_there() || l->failed || head(l))
		return;
	from = plans_head(&n);
	fill_name(l);
	l->failed = n > size / 2 || file_open_calls(&l->file, from, n, size) < 0;
	if (l->failed) {
		note_post(NOTE_VALUES_FILE);
		return;
	}
	l->begin = n;
	atomic_store(&l->capacity, size - n);
	atomic_store_explicit(&l->header, (struct values_header *)l->file.header, memory_order_release);
}

/* Takes room for n bytes; where it begins, or UINT64_MAX. */
static uint64_t take(struct log *l, struct values_header *h, size_t n)
{
	uint64_t old = atomic_load_explicit(&h->used, memory_order_relaxed);
	uint64_t capacity = atomic_load_explicit(&l->capacity, memory_order_relaxed);

	do {
		if (old > capacity || n > capacity - old)
			return UINT64_MAX;
	} while (!atomic_compare_exchange_weak_explicit(&h->used, &old, old + n, memory_order_relaxed,
							memory_order_relaxed));
	return old;
}

/* Whether the file has room from one offset to another; else nothing is appended any more. */
static bool room(struct log *l, size_t from, size_t to)
{
	for (size_t page = from / PAGE; page <= (to - 1) / PAGE; page++)
		if (!mapping_reserve(&l->file, page * PAGE)) {
			atomic_store(&l->capacity, 0);
			return false;
		}
	return true;
}

/* Takes what was written long ago from the process's memory: it is in the file. */
static void forget_before(struct log *l, size_t from, size_t to)
{
	size_t part = from / PART;

	if (part != to / PART && part > 0)
		sys3(SYS_madvise, (char *)l->file.header + (part - 1) * PART, PART, MADV_DONTNEED);
}

void valuelog_append(uint32_t resource, const struct values_record *r, size_t n)
{
	struct log *l = &all[resource];
	struct values_header *h = head(l);
	uint64_t at = h ? take(l, h, n) : UINT64_MAX;
	const uint32_t *from = (const uint32_t *)r;
	size_t offset;
	uint32_t *to;

	if (!h)
		return;
	offset = l->begin + (size_t)at;
	if (at == UINT64_MAX || !room(l, offset, offset + n)) {
		atomic_fetch_add_explicit(&h->lost, 1, memory_order_relaxed);
		note_post(NOTE_VALUES_FULL);
		return;
	}
	to = (uint32_t *)((char *)h + offset);
	atomic_store_explicit((_Atomic uint32_t *)to, (uint32_t)n, memory_order_relaxed);
	for (size_t i = 1; i < n / sizeof *to; i++)
		to[i] = from[i];
	atomic_store_explicit((_Atomic uint32_t *)to, (uint32_t)n | VALUES_WHOLE, memory_order_release);
	forget_before(l, offset, offset + n);
}

/* Cuts a file off behind what is in use, to so many bytes at least. False if it is no longer. */
static bool cut(struct log *l, uint64_t least)
{
	struct values_header *h = head(l);
	uint64_t keep;

	if (!h)
		return false;
	keep = atomic_load(&h->used) + SPARE;
	if (keep < least)
		keep = least;
	if (keep >= atomic_load(&l->capacity))
		return false;
	atomic_store(&l->capacity, keep);
	file_cut_calls(&l->file, l->begin + (size_t)keep);
	return true;
}

void valuelog_complete(void)
{
	for (uint32_t i = 0; i < options.resource_count; i++)
		cut(&all[i], 0);
}

void valuelog_shrink(void)
{
	uint64_t least = size_permitted();

	for (uint32_t i = 0; i < options.resource_count; i++)
		if (cut(&all[i], least))
			mapping_cut(&all[i].file, all[i].begin + (size_t)atomic_load(&all[i].capacity));
}

void valuelog_forget(void)
{
	for (uint32_t i = 0; i < options.resource_count; i++) {
		struct log *l = &all[i];

		if (head(l))
			mapping_forget(&l->file);
		atomic_store(&l->header, NULL);
		l->failed = false;
	}
}
