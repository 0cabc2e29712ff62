#include "store.h"
#include "file.h"
#include "mapping.h"
#include "note.h"
#include "options.h"
#include "run.h"
#include "space.h"
#include "sys.h"
#include "table.h"
#include "text.h"

#include <time.h>

enum {
	PAGE = 4096,
	LOG_RECORDS = 1 << 22,
	RECORD = sizeof(struct count_record),
	/*
	 * Bytes of a histogram from which on a table is cheaper: each new page costs some 10 µs.
	 */
	TABLE_FROM = 128 << 10,
	SPARE = 4096,
};

/* Where lost samples are counted that belong to no file, and those from before there was one. */
static _Atomic(struct count_header *) first_header;
static _Atomic uint64_t orphans;

static void *payload(const struct count_header *h)
{
	return (char *)(uintptr_t)h + sizeof *h;
}

static uint64_t bins(const struct object *o)
{
	return (o->size + options.bin - 1) / options.bin;
}

/* A file that others add to has a histogram, which needs no index. */
static enum count_kind kind_for(const struct object *o)
{
	if (options.kind != KIND_HISTOGRAM)
		return options.kind;
	if (o->kind == OBJECT_ANON)
		return KIND_TABLE;
	return options.histogram || options.to_file || bins(o) <= TABLE_FROM / options.width ?
		       KIND_HISTOGRAM : KIND_TABLE;
}

/*
 * The most records up to n, halved as often as limits on the size of files, and of memory, demand.
 */
static uint64_t room_for(uint64_t n)
{
	while (n > 1 && (!space_for_file(PAGE + n * RECORD) || !space_permitted(PAGE + n * RECORD)))
		n /= 2;
	return n;
}

/* The header that a count file of the object gets; false if it has nothing to count. */
static bool fill_header(struct count_header *h, const struct object *o, uint64_t bias)
{
	struct text t;

	*h = (struct count_header){
		.magic = COUNT_MAGIC,
		.header = sizeof *h,
		.kind = kind_for(o),
		.address = 8,
		.low = o->low,
		.size = o->size,
		.bin = options.bin,
		.period = run.period,
		.start = run.start,
		.bias = bias,
		.pid = (uint32_t)run.pid,
		.object_kind = o->kind,
		.id_length = o->id_length,
	};
	for (int i = 0; i < BUILD_ID_MOST; i++)
		h->id[i] = o->id[i];
	t = text_in(h->clock, sizeof h->clock);
	text_str(&t, run.clock);
	t = text_in(h->resource, sizeof h->resource);
	text_str(&t, run.resource);
	t = text_in(h->object, sizeof h->object);
	text_str(&t, o->path);
	h->width = h->kind == KIND_HISTOGRAM ? options.width : RECORD;
	switch (h->kind) {
	case KIND_HISTOGRAM:
		h->capacity = bins(o);
		return h->size > 0 && h->capacity <= (UINT64_C(1) << 40);
	case KIND_LOG:
		h->capacity = room_for(LOG_RECORDS);
		return h->size <= UINT64_C(1) << 32;
	case KIND_CIRCULAR:
		h->capacity = options.records;
		return h->size <= UINT64_C(1) << 32;
	default:
		/*
		 * An address has an entry; threads that bring it at the same time can waste some.
		 */
		h->capacity = room_for(o->size > 0 && bins(o) < TABLE_ENTRIES - SPARE ?
					       bins(o) + SPARE : TABLE_ENTRIES);
		h->low = h->size = 0;
		return true;
	}
}

/* An object has a file now; what was lost before there was one is told in the first. */
static void opened(struct object *o)
{
	atomic_fetch_add(&o->header->lost, atomic_exchange(&orphans, 0));
	if (!atomic_load(&first_header))
		atomic_store(&first_header, o->header);
	atomic_store_explicit(&o->state, FILE_OPEN, memory_order_release);
}

void store_open(struct object *o, uint64_t bias)
{
	static struct count_header h;
	long err = -EINVAL;

	if (fill_header(&h, o, bias))
		err = file_open(o, &h);
	if (err >= 0) {
		opened(o);
		return;
	}
	if (err == -ENOSPC || err == -EDQUOT)
		note_post(NOTE_DISK_FULL);
	else if (err == -EFBIG)
		note_post(NOTE_FILE_LIMIT);
	else if (err != -ENOTDIR)
		note_post(NOTE_NO_FILE);
	atomic_store(&o->state, FILE_FAILED);
}

bool store_reserve(struct object *o)
{
	for (size_t at = 0; at < o->mapped; at += PAGE)
		if (!mapping_reserve(o, at))
			return false;
	return true;
}

void store_lost(struct object *o, uint64_t n)
{
	struct count_header *h = o && atomic_load_explicit(&o->state, memory_order_acquire) == FILE_OPEN ?
					 o->header : atomic_load(&first_header);

	if (n)
		atomic_fetch_add_explicit(h ? &h->lost : &orphans, n, memory_order_relaxed);
}

#define COUNT_UP(type)                                                                                   \
	static bool count_up_##type(_Atomic type *c)                                                     \
	{                                                                                                \
		type v = atomic_load_explicit(c, memory_order_relaxed);                                  \
                                                                                                         \
		do                                                                                       \
			if (v == (type)-1)                                                               \
				return false;                                                            \
		while (!atomic_compare_exchange_weak_explicit(c, &v, (type)(v + 1), memory_order_relaxed, \
							      memory_order_relaxed));                    \
		return true;                                                                             \
	}

COUNT_UP(uint8_t)
COUNT_UP(uint16_t)
COUNT_UP(uint32_t)
COUNT_UP(uint64_t)

static bool add_to_histogram(struct object *o, uint64_t vaddr)
{
	struct count_header *h = o->header;
	uint64_t bin = (vaddr - h->low) / h->bin;
	char *c = (char *)payload(h) + bin * h->width;

	if (vaddr < h->low || bin >= h->capacity || !mapping_reserve(o, (size_t)(c - (char *)h)))
		return false;
	switch (h->width) {
	case 1:
		return count_up_uint8_t((_Atomic uint8_t *)c);
	case 2:
		return count_up_uint16_t((_Atomic uint16_t *)c);
	case 4:
		return count_up_uint32_t((_Atomic uint32_t *)c);
	default:
		return count_up_uint64_t((_Atomic uint64_t *)c);
	}
}

static bool add_to_log(struct object *o, uint64_t vaddr)
{
	struct count_header *h = o->header;
	struct count_record *r = payload(h);
	uint64_t i, now;

	if (vaddr < h->low || vaddr - h->low > UINT32_MAX)
		return false;
	if (h->kind == KIND_LOG && atomic_load_explicit(&h->written, memory_order_relaxed) >= h->capacity)
		return false;
	i = atomic_fetch_add_explicit(&h->written, 1, memory_order_relaxed);
	if (h->kind == KIND_LOG && i >= h->capacity) {
		atomic_fetch_sub_explicit(&h->written, 1, memory_order_relaxed);
		return false;
	}
	r += i % h->capacity;
	if (!mapping_reserve(o, (size_t)((char *)r - (char *)h)))
		return false;
	now = sys_time(CLOCK_MONOTONIC);
	atomic_store_explicit(&r->time, UNWRITTEN, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	r->offset = (uint32_t)(vaddr - h->low);
	r->thread = (uint32_t)sys0(SYS_gettid);
	/*
	 * Times count from the start that the file states, which another process may have written.
	 */
	atomic_store_explicit(&r->time,
			      now - run.monotonic + run.start - h->start,
			      memory_order_release);
	return true;
}

static void add(struct object *o, uint64_t vaddr)
{
	struct count_header *h = o->header;
	bool stored;

	switch (h->kind) {
	case KIND_HISTOGRAM:
		stored = add_to_histogram(o, vaddr);
		break;
	case KIND_TABLE:
		stored = table_add(o, vaddr);
		if (!stored && atomic_load_explicit(&h->written, memory_order_relaxed) >= h->capacity)
			note_post(NOTE_TABLE_FULL);
		break;
	default:
		stored = add_to_log(o, vaddr);
	}
	atomic_fetch_add_explicit(stored ? &h->samples : &h->lost, 1, memory_order_relaxed);
}

void store_add(struct object *o, uint64_t vaddr, uint64_t n)
{
	while (n--)
		add(o, vaddr);
}

/*
 * Handlers of other threads may still add some records: there stays more room than they
 * could need, and what is beyond it is lost by the new capacity before it is cut off.
 */
static void cut(struct object *o)
{
	uint64_t capacity;
	int fd;

	if (atomic_load(&o->state) != FILE_OPEN || o->header->kind != KIND_LOG || options.to_file)
		return;
	capacity = atomic_load(&o->header->written) + SPARE;
	if (capacity >= o->header->capacity)
		return;
	fd = file_reopen(o);
	if (fd < 0)
		return;
	o->header->capacity = capacity;
	sys2(SYS_ftruncate, fd, file_size(o->header));
	sys_close(fd);
}

void store_complete(void)
{
	known_each(cut);
}

static void forget(struct object *o)
{
	if (atomic_load(&o->state) == FILE_OPEN)
		mapping_forget(o);
	table_forget(o);
	atomic_store(&o->state, FILE_NONE);
}

void store_forget(void)
{
	atomic_store(&first_header, NULL);
	atomic_store(&orphans, 0);
	known_each(forget);
}
