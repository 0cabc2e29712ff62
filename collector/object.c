#include "object.h"
#include "image.h"
#include "options.h"
#include "sys.h"
#include "text.h"

#include <time.h>

enum { AREAS = 4096, OBJECTS = 1024, PATHS = 256 << 10, CACHE = 512 };

/*
 * Areas are reused when their memory is unmapped: seq is odd while one changes, so
 * that a reader in another thread can tell.
 */
struct area {
	_Atomic uint32_t seq;
	_Atomic uintptr_t start, end; /* end 0: free */
	_Atomic(struct object *) object;
	_Atomic uint64_t bias;
	_Atomic bool placed;
	bool seen; /* by the current reading of the map */
	uint64_t offset;
	uintptr_t header;
};

static struct area areas[AREAS];
static _Atomic uint32_t area_count;
static struct object objects[OBJECTS];
static uint32_t object_count;
static char paths[PATHS];
static size_t paths_used;
static uintptr_t entry;

/* The area that answered last for an address like this, plus 1. */
static _Atomic uint16_t cache[CACHE];

/* Readings of the map for unknown addresses: some at once, then a thousandth of the time. */
enum { READINGS = 64, SHARE = 1000 };
static uint64_t last_reading, reading_cost;
static uint32_t readings = READINGS;

/* When what is known is to be compared with the map again: coarse monotonic ns. */
static _Atomic uint64_t stale_at;

static bool read_area(struct area *a, uintptr_t pc, struct place *place)
{
	uint32_t seq = atomic_load_explicit(&a->seq, memory_order_acquire);
	uintptr_t start = atomic_load_explicit(&a->start, memory_order_relaxed);
	uintptr_t end = atomic_load_explicit(&a->end, memory_order_relaxed);

	if (pc < start || pc >= end)
		return false;
	place->object = atomic_load_explicit(&a->object, memory_order_relaxed);
	place->bias = atomic_load_explicit(&a->bias, memory_order_relaxed);
	place->placed = atomic_load_explicit(&a->placed, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	return !(seq & 1) && atomic_load_explicit(&a->seq, memory_order_relaxed) == seq;
}

struct place object_at(uintptr_t pc)
{
	_Atomic uint16_t *cached = &cache[(pc >> 12) % CACHE];
	uint32_t i = atomic_load_explicit(cached, memory_order_relaxed);
	uint32_t n = atomic_load_explicit(&area_count, memory_order_acquire);
	struct place place = { 0 };

	if (i && read_area(&areas[i - 1], pc, &place))
		return place;
	for (i = 0; i < n; i++) {
		if (read_area(&areas[i], pc, &place)) {
			atomic_store_explicit(cached, (uint16_t)(i + 1), memory_order_relaxed);
			return place;
		}
	}
	return (struct place){ 0 };
}

void object_each(void (*f)(struct object *))
{
	for (uint32_t i = 0; i < object_count; i++)
		f(&objects[i]);
}

void object_set_entry(uintptr_t at)
{
	entry = at;
}

void object_changed(void)
{
	atomic_store(&stale_at, 0);
}

bool object_stale(void)
{
	return sys_time(CLOCK_MONOTONIC_COARSE) >= atomic_load_explicit(&stale_at, memory_order_relaxed);
}

static struct object *new_object(enum object_kind kind, uint64_t device, uint64_t inode, const char *path)
{
	struct text t = text_in(paths + paths_used, PATHS - paths_used > OBJECT_PATH_MOST ? OBJECT_PATH_MOST : 1);
	struct object *o = &objects[object_count];

	if (object_count == OBJECTS)
		return NULL;
	text_str(&t, path);
	if (t.full)
		return NULL;
	*o = (struct object){ .kind = kind, .device = device, .inode = inode, .path = t.p };
	paths_used += t.n + 1;
	object_count++;
	return o;
}

static struct object *known(enum object_kind kind, uint64_t device, uint64_t inode)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (objects[i].kind == kind && objects[i].device == device && objects[i].inode == inode)
			return &objects[i];
	return NULL;
}

struct object *object_anonymous(uintptr_t pc)
{
	uint64_t part = options.kind == KIND_HISTOGRAM ? 0 : pc >> 32;
	struct object *o = known(OBJECT_ANON, 0, part);

	if (!o && (o = new_object(OBJECT_ANON, 0, part, "[anon]"))) {
		o->low = part << 32;
		o->size = options.kind == KIND_HISTOGRAM ? 0 : (uint64_t)1 << 32;
	}
	return o;
}

/* A line of the memory map, of which only executable ones become areas. */
struct line {
	uintptr_t start, end;
	uint64_t offset, device, inode;
	bool executable;
	char *path;
};

static const char *hexadecimal(const char *s, uint64_t *v)
{
	for (*v = 0;; s++) {
		unsigned d = (unsigned)*s - '0';
		if (d > 9)
			d = (unsigned)*s - 'a' < 6 ? (unsigned)*s - 'a' + 10 : 16;
		if (d > 15)
			return s;
		*v = *v << 4 | d;
	}
}

/* START-END PERM OFFSET MAJOR:MINOR INODE PATH */
static void parse(char *s, struct line *l)
{
	const char *p;
	uint64_t start, end, minor;

	p = hexadecimal(s, &start);
	p = hexadecimal(p + (*p == '-'), &end);
	l->start = start;
	l->end = end;
	l->executable = false;
	for (p += *p == ' '; *p && *p != ' '; p++)
		l->executable |= *p == 'x';
	p = hexadecimal(p + (*p == ' '), &l->offset);
	p = hexadecimal(p + (*p == ' '), &l->device);
	p = hexadecimal(p + (*p == ':'), &minor);
	l->device = l->device << 32 | minor;
	for (l->inode = 0, p += *p == ' '; *p >= '0' && *p <= '9'; p++)
		l->inode = l->inode * 10 + (uint64_t)(*p - '0');
	while (*p == ' ')
		p++;
	l->path = s + (p - s);
}

/* Cuts " (deleted)" off: the object was there, and its build-id tells it. */
static void undelete(char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = text_len(path), m = sizeof deleted - 1;

	if (n > m && text_equal(path + n - m, deleted))
		path[n - m] = '\0';
}

static struct object *object_of(const struct line *l)
{
	struct object *o;

	if (text_equal(l->path, "[vdso]")) {
		o = known(OBJECT_VDSO, 0, 0);
		return o ? o : new_object(OBJECT_VDSO, 0, 0, "[vdso]");
	}
	if (!l->inode || l->path[0] != '/')
		return object_anonymous(l->start);
	o = known(OBJECT_FILE, l->device, l->inode);
	if (!o) {
		undelete(l->path);
		o = new_object(OBJECT_FILE, l->device, l->inode, l->path);
	}
	return o;
}

static void free_area(struct area *a)
{
	atomic_fetch_add(&a->seq, 1);
	atomic_store(&a->end, 0);
	atomic_fetch_add(&a->seq, 1);
}

static void add_area(const struct line *l, uintptr_t header)
{
	uint32_t n = atomic_load(&area_count), i;
	struct object *o = object_of(l);
	struct area *a;

	if (!o)
		return;
	for (i = 0; i < n; i++) {
		a = &areas[i];
		if (a->start == l->start && a->end == l->end && a->object == o && a->offset == l->offset) {
			a->seen = true;
			return;
		}
	}
	for (i = 0; i < n && areas[i].end; i++)
		;
	if (i == AREAS)
		return;
	a = &areas[i];
	atomic_fetch_add(&a->seq, 1);
	atomic_store(&a->start, l->start);
	atomic_store(&a->object, o);
	atomic_store(&a->bias, 0);
	atomic_store(&a->placed, o->kind == OBJECT_ANON);
	a->offset = l->offset;
	a->header = header;
	a->seen = true;
	atomic_store(&a->end, l->end);
	atomic_fetch_add(&a->seq, 1);
	if (i == n)
		atomic_store(&area_count, n + 1);
	if (entry >= l->start && entry < l->end)
		o->main = true;
}

/* What the lines before said: where the first page of a file is mapped. */
struct first_page {
	uint64_t device, inode;
	uintptr_t start;
};

static void take_line(char *s, struct first_page *first)
{
	struct line l;

	parse(s, &l);
	if (l.inode && l.offset == 0)
		*first = (struct first_page){ l.device, l.inode, l.start };
	if (!l.executable || text_equal(l.path, "[vsyscall]"))
		return;
	if (l.inode)
		add_area(&l, first->device == l.device && first->inode == l.inode ? first->start : 0);
	else
		add_area(&l, l.start);
}

/* Takes a whole map; false if it can't be read. */
static bool read_map(void)
{
	static char buffer[PATH_MOST + 256];
	struct first_page first = { 0 };
	size_t have = 0;
	bool skipping = false;
	/* The process itself has no map any more when its first thread has ended. */
	int fd = sys_openat(AT_FDCWD, "/proc/thread-self/maps", O_RDONLY, 0);
	uint32_t n;

	if (fd < 0)
		return false;
	n = atomic_load(&area_count);
	for (uint32_t i = 0; i < n; i++)
		areas[i].seen = false;
	for (;;) {
		long got = sys3(SYS_read, fd, buffer + have, sizeof buffer - 1 - have);
		size_t at = 0;

		if (got == -EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
		for (size_t i = have - (size_t)got; i < have; i++) {
			if (buffer[i] != '\n')
				continue;
			buffer[i] = '\0';
			if (!skipping)
				take_line(buffer + at, &first);
			skipping = false;
			at = i + 1;
		}
		if (at == 0 && have == sizeof buffer - 1) {
			/* A line longer than any path: pass it over. */
			skipping = true;
			at = have;
		}
		for (size_t i = at; i < have; i++)
			buffer[i - at] = buffer[i];
		have -= at;
	}
	sys_close(fd);
	n = atomic_load(&area_count);
	for (uint32_t i = 0; i < n; i++)
		if (areas[i].end && !areas[i].seen)
			free_area(&areas[i]);
	return true;
}

/* Finds out the bias of an area, and its object's range and build-id. */
static void place_area(struct area *a)
{
	struct object *o = atomic_load(&a->object);
	struct image image;

	if (atomic_load(&a->placed))
		return;
	atomic_fetch_add(&a->seq, 1);
	if (image_read(&image, a->start, a->offset, a->header, o->path)) {
		if (!o->size) {
			o->low = image.low;
			o->size = image.size;
			o->id_length = image.id_length;
			for (int i = 0; i < BUILD_ID_MOST; i++)
				o->id[i] = image.id[i];
		}
		atomic_store(&a->bias, image.bias);
	} else {
		/* Code in a file of another format is as good as in none. */
		atomic_store(&a->object, object_anonymous(a->start));
	}
	atomic_store(&a->placed, true);
	atomic_fetch_add(&a->seq, 1);
}

static uint64_t monotonic(void)
{
	return sys_time(CLOCK_MONOTONIC);
}

/* Whether an unknown address is worth a reading. */
static bool due(uint64_t now)
{
	uint64_t earned = (now - last_reading) / (SHARE * (reading_cost + 1));

	if (earned) {
		readings = earned > READINGS - readings ? READINGS : readings + (uint32_t)earned;
		last_reading = now;
	}
	if (!readings)
		return false;
	readings--;
	return true;
}

struct place object_find(uintptr_t pc)
{
	bool stale = object_stale();
	struct place place = object_at(pc);
	uint32_t n;

	if (stale || (!place.object && due(monotonic()))) {
		uint64_t before = monotonic(), after;

		/* What changes from now on makes it stale again. */
		atomic_store(&stale_at, UINT64_MAX);
		read_map();
		after = monotonic();
		reading_cost = after - before;
		uint64_t next = after + (2 * SHARE * reading_cost > 1000000000 ? 2 * SHARE * reading_cost : 1000000000);
		uint64_t nothing_new = UINT64_MAX;
		atomic_compare_exchange_strong(&stale_at, &nothing_new, next);
	}
	n = atomic_load(&area_count);
	for (uint32_t i = 0; i < n; i++)
		if (pc >= areas[i].start && pc < areas[i].end)
			place_area(&areas[i]);
	place = object_at(pc);
	if (!place.object)
		place = (struct place){ .object = object_anonymous(pc), .placed = true };
	return place;
}
