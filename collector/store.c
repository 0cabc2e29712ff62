#include "store.h"
#include "meta.h"
#include "note.h"
#include "options.h"
#include "rundir.h"
#include "sys.h"
#include "text.h"

#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum {
	PAGE = 4096,
	TABLE_SLOTS = 1 << 16,
	LOG_RECORDS = 1 << 24,
	RECORD = sizeof(struct count_record),
	NAMES_MOST = 100,
	NAME_MOST = 200,
};

/* Where lost samples are counted that belong to no file, and those from before there was one. */
static _Atomic(struct count_header *) first_header;
static _Atomic uint64_t orphans;

static void *payload(const struct count_header *h)
{
	return (char *)(uintptr_t)h + sizeof *h;
}

static enum count_kind kind_for(const struct object *o)
{
	return options.kind == KIND_HISTOGRAM && o->kind == OBJECT_ANON ? KIND_TABLE : options.kind;
}

/*
 * Whether the program's address space has n bytes more for us: of one that is limited we
 * take a small part, for allocations of the program must not fail by us.
 */
static bool space_permitted(uint64_t n)
{
	enum { PART = 64 };
	struct rlimit limit = { 0, 0 };

	return sys4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || n <= limit.rlim_cur / PART);
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
		h->capacity = (h->size + h->bin - 1) / h->bin;
		return h->size > 0 && h->capacity <= (UINT64_C(1) << 40);
	case KIND_LOG:
		h->capacity = LOG_RECORDS;
		/* A limit on the size of files, or of memory, makes it shorter. */
		while (h->capacity > 1 && (!file_size_permitted(PAGE + h->capacity * RECORD) || !space_permitted(PAGE + h->capacity * RECORD)))
			h->capacity /= 2;
		return h->size <= UINT64_C(1) << 32;
	case KIND_CIRCULAR:
		h->capacity = options.records;
		return h->size <= UINT64_C(1) << 32;
	default:
		h->capacity = TABLE_SLOTS;
		return true;
	}
}

static size_t file_size(const struct count_header *h)
{
	return sizeof *h + (size_t)(h->capacity * h->width);
}

/* Whether counts for a header like want can be added to a file with the header have. */
static bool fits(const struct count_header *have, const struct count_header *want)
{
	bool same = have->header == want->header && have->kind == want->kind && have->width == want->width &&
		have->address == want->address && have->low == want->low && have->size == want->size &&
		have->bin == want->bin && have->capacity == want->capacity && have->period == want->period &&
		have->object_kind == want->object_kind && have->id_length == want->id_length &&
		text_equal(have->clock, want->clock);

	for (int i = 0; same && i < want->id_length; i++)
		same = have->id[i] == want->id[i];
	return same && (want->id_length || text_equal(have->object, want->object));
}

/*
 * Makes sure that the file has room for a page of the mapping, and brings it in: the kernel
 * adds 0 to a word of it, which fails where a store of ours would end in SIGBUS.
 */
static bool reserve(struct object *o, size_t offset)
{
	static uint32_t nobody_waits;
	size_t page = offset / PAGE;
	uint64_t bit = UINT64_C(1) << page % 64;
	_Atomic uint64_t *word = &o->touched[page / 64];

	if (atomic_load_explicit(word, memory_order_relaxed) & bit)
		return true;
	if (sys6(SYS_futex, (long)&nobody_waits, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0,
		 (long)((char *)o->header + page * PAGE), FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) < 0)
		return false;
	atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
	return true;
}

static size_t touched_size(size_t mapped)
{
	return (mapped / PAGE / 64 + 1) * sizeof(uint64_t);
}

/* Maps an open count file; false if there is no memory or room for it. */
static bool map(struct object *o, int fd, size_t n)
{
	uint64_t lost;

	o->header = space_permitted(n) ? sys_mmap(n, PROT_NONE, MAP_SHARED, fd) : NULL;
	if (!o->header)
		return false;
	/* In a program that has all its memory locked (mlockall) the kernel would fill the file with zeros. */
	sys2(SYS_munlock, o->header, n);
	sys3(SYS_mprotect, o->header, n, PROT_READ | PROT_WRITE);
	sys3(SYS_madvise, o->header, n, MADV_DONTFORK);
	/* One page at a time: around a page of a sparse file the kernel would bring in up to 2 MB of zeros. */
	sys3(SYS_madvise, o->header, n, MADV_RANDOM);
	o->mapped = n;
	o->touched = sys_mmap(touched_size(n), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!o->touched || !reserve(o, 0)) {
		sys2(SYS_munmap, o->header, n);
		if (o->touched)
			sys2(SYS_munmap, o->touched, touched_size(n));
		return false;
	}
	lost = atomic_exchange(&orphans, 0);
	atomic_fetch_add(&o->header->lost, lost);
	if (!atomic_load(&first_header))
		atomic_store(&first_header, o->header);
	atomic_store_explicit(&o->state, FILE_OPEN, memory_order_release);
	return true;
}

/* Publishes a file under its name, or replaces what is there. */
static long publish(int dir, const char *from, const char *to, bool replace)
{
	long err = sys5(SYS_renameat2, dir, from, dir, to, replace ? 0 : 1 /* RENAME_NOREPLACE */);

	if (err != -EINVAL || replace)
		return err;
	return sys5(SYS_linkat, dir, from, dir, to, 0);
}

/* Makes a new count file: 0, or -errno; -EEXIST if somebody else made it. */
static long make(struct object *o, int dir, const char *name, const struct count_header *h, bool replace)
{
	static char new[PATH_MOST + 32];
	struct text t = text_in(new, sizeof new);
	size_t n = file_size(h);
	long err;
	int fd;

	if (!file_size_permitted(n))
		return -EFBIG;
	text_str(&t, name);
	text_str(&t, ".new");
	text_num(&t, (uint64_t)run.pid);
	fd = sys_openat(dir, new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd < 0)
		return fd == -EEXIST ? -EIO : fd;
	err = sys_pwrite(fd, h, sizeof *h, 0);
	if (err >= 0)
		err = sys2(SYS_ftruncate, fd, n);
	if (err >= 0)
		err = publish(dir, new, name, replace);
	sys3(SYS_unlinkat, dir, new, 0);
	if (err >= 0 && !map(o, fd, n)) {
		sys3(SYS_unlinkat, dir, name, 0);
		err = -ENOMEM;
	}
	sys_close(fd);
	return err;
}

/* Opens a count file that is there, to add to it: 0, or -errno; -EEXIST if it is no good. */
static long add_to(struct object *o, const char *name, const struct count_header *want, bool *old)
{
	static struct count_header have;
	struct stat st;
	long err = -EEXIST;
	int fd = sys_openat(AT_FDCWD, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

	*old = false;
	if (fd < 0)
		return fd == -ENOENT ? fd : -EEXIST;
	if (sys2(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode) && sys4(SYS_pread64, fd, &have, sizeof have, 0) == sizeof have &&
	    text_equal(have.magic, COUNT_MAGIC)) {
		*old = options.truncate && have.start < run.begun;
		if (!*old && fits(&have, want) && (uint64_t)st.st_size >= file_size(want) && map(o, fd, file_size(want)))
			err = 0;
	}
	sys_close(fd);
	return err;
}

/* A name in a run directory that is taken for something else. */
static bool reserved(const char *name)
{
	return text_equal(name, "meta") || text_equal(name, "paths") || text_equal(name, "tree") || text_equal(name, "kernel.syms");
}

static void put_object(struct text *t, const struct object *o)
{
	const char *name = text_base(o->path);

	for (int n = 0; *name && n < NAME_MOST; name++, n++)
		text_char(t, (unsigned char)*name < ' ' || *name == 0x7f ? '_' : *name);
}

static void put_try(struct text *t, int try)
{
	if (try > 1) {
		text_char(t, '.');
		text_num(t, (uint64_t)try);
	}
}

/* The try-th name of an object's file in the run directory. */
static const char *name_in_run_directory(const struct object *o, int try)
{
	static char name[NAME_MOST + 16];
	struct text t = text_in(name, sizeof name);

	put_object(&t, o);
	put_try(&t, try);
	return name;
}

static long open_in_run_directory(struct object *o, const struct count_header *h)
{
	int dir = rundir_open();
	long err = -EEXIST;

	if (dir < 0)
		return -ENOTDIR; /* which has been noted */
	for (o->try = 1; o->try < NAMES_MOST; o->try++) {
		const char *name = name_in_run_directory(o, o->try);

		if (reserved(name))
			continue;
		err = make(o, dir, name, h, false);
		if (err != -EEXIST)
			break;
	}
	sys_close(dir);
	return err;
}

/* The program's name as it was called, of p and o. */
static void put_called(struct text *t)
{
	static char arguments[PATH_MOST];
	int fd = sys_openat(AT_FDCWD, "/proc/thread-self/cmdline", O_RDONLY, 0);
	long n = fd < 0 ? -1 : sys3(SYS_read, fd, arguments, sizeof arguments - 1);

	if (fd >= 0)
		sys_close(fd);
	arguments[n > 0 ? n : 0] = '\0';
	text_str(t, arguments[0] ? text_base(arguments) : meta_program());
}

static long open_named(struct object *o, const struct count_header *h)
{
	static char name[PATH_MOST + NAME_MOST];
	long err = -EEXIST;
	struct stat st;
	bool old;

	for (int try = 1; err == -EEXIST && try < NAMES_MOST; try++) {
		struct text t = text_in(name, sizeof name);

		text_str(&t, options.path);
		if (sys4(SYS_newfstatat, AT_FDCWD, options.path, &st, 0) == 0 && S_ISDIR(st.st_mode)) {
			text_char(&t, '/');
			put_called(&t);
			text_str(&t, ".pct");
		}
		if (!o->main) {
			text_char(&t, '.');
			put_object(&t, o);
		}
		put_try(&t, try);
		if (t.full)
			return -ENAMETOOLONG;
		err = add_to(o, name, h, &old);
		if (err == -ENOENT || old)
			err = make(o, AT_FDCWD, name, h, old);
		/* Somebody else may have made it just now. */
		if (err == -EEXIST && !old)
			err = add_to(o, name, h, &old);
		if (err == -EEXIST && try == 1)
			note_post(NOTE_OTHER_COUNTS);
	}
	return err;
}

void store_open(struct object *o, uint64_t bias)
{
	static struct count_header h;
	long err = -EINVAL;

	if (fill_header(&h, o, bias))
		err = options.to_file ? open_named(o, &h) : open_in_run_directory(o, &h);
	if (err >= 0)
		return;
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
		if (!reserve(o, at))
			return false;
	return true;
}

void store_lost(struct object *o, uint64_t n)
{
	struct count_header *h = o && atomic_load_explicit(&o->state, memory_order_acquire) == FILE_OPEN ? o->header : atomic_load(&first_header);

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

	if (vaddr < h->low || bin >= h->capacity || !reserve(o, (size_t)(c - (char *)h)))
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

static bool add_to_table(struct object *o, uint64_t address)
{
	struct count_header *h = o->header;
	struct count_slot *slots = payload(h);
	uint64_t bin = address - address % h->bin;
	uint64_t i = bin * UINT64_C(0x9e3779b97f4a7c15) >> 48;

	if (bin == 0)
		bin = 1;
	for (int probes = 0; probes < 256; probes++, i++) {
		struct count_slot *s = &slots[i % TABLE_SLOTS];
		uint64_t a = 0;

		if (!reserve(o, (size_t)((char *)s - (char *)h)))
			return false;
		if (atomic_load_explicit(&s->address, memory_order_relaxed) == bin ||
		    atomic_compare_exchange_strong(&s->address, &a, bin) || a == bin) {
			atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
			return true;
		}
	}
	return false;
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
	if (!reserve(o, (size_t)((char *)r - (char *)h)))
		return false;
	now = sys_time(CLOCK_MONOTONIC);
	atomic_store_explicit(&r->time, UNWRITTEN, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	r->offset = (uint32_t)(vaddr - h->low);
	r->thread = (uint32_t)sys0(SYS_gettid);
	/* Times count from the start that the file states, which another process may have written. */
	atomic_store_explicit(&r->time,
			      now - run.monotonic + run.start - h->start,
			      memory_order_release);
	return true;
}

void store_add(struct object *o, uint64_t vaddr)
{
	struct count_header *h = o->header;
	bool stored;

	switch (h->kind) {
	case KIND_HISTOGRAM:
		stored = add_to_histogram(o, vaddr);
		break;
	case KIND_TABLE:
		stored = add_to_table(o, vaddr);
		break;
	default:
		stored = add_to_log(o, vaddr);
	}
	atomic_fetch_add_explicit(stored ? &h->samples : &h->lost, 1, memory_order_relaxed);
}

/*
 * Handlers of other threads may still add some records: there stays more room than they
 * could need, and what is beyond it is lost by the new capacity before it is cut off.
 */
static void cut(struct object *o)
{
	enum { SPARE = 4096 };
	uint64_t capacity;
	int dir, fd;

	if (atomic_load(&o->state) != FILE_OPEN || o->header->kind != KIND_LOG || options.to_file)
		return;
	capacity = atomic_load(&o->header->written) + SPARE;
	if (capacity >= o->header->capacity)
		return;
	dir = rundir_reopen();
	if (dir < 0)
		return;
	fd = sys_openat(dir, name_in_run_directory(o, o->try), O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
	sys_close(dir);
	if (fd < 0)
		return;
	o->header->capacity = capacity;
	sys2(SYS_ftruncate, fd, file_size(o->header));
	sys_close(fd);
}

void store_complete(void)
{
	object_each(cut);
}

static void forget(struct object *o)
{
	/* The mapping of the file was not inherited. */
	if (atomic_load(&o->state) == FILE_OPEN)
		sys2(SYS_munmap, o->touched, touched_size(o->mapped));
	o->header = NULL;
	o->touched = NULL;
	atomic_store(&o->state, FILE_NONE);
}

void store_forget(void)
{
	atomic_store(&first_header, NULL);
	atomic_store(&orphans, 0);
	object_each(forget);
}
