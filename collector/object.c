#include "object.h"
#include "image.h"
#include "known.h"
#include "map.h"
#include "note.h"
#include "options.h"
#include "sys.h"
#include "text.h"

#include <time.h>

enum { AREAS = 4096, CACHE = 512 };

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
	uint64_t offset, device, inode; /* what the map says of its file */
	uintptr_t header;
	uintptr_t frames, frames_low, frames_high;
};

static struct area areas[AREAS];
static _Atomic uint32_t area_count;
static _Atomic uint32_t generation;
static uintptr_t entry;

/* The areas in the order of addresses, as the last reading of the map found them. */
static uint16_t order[AREAS];
static uint32_t ordered;

/* The area that answered last for an address like this, plus 1. */
static _Atomic uint16_t cache[CACHE];

/* Readings of the map for unknown addresses: some at once, then a thousandth of the time. */
enum { READINGS = 64, SHARE = 1000 };
static uint64_t last_reading, reading_cost;
static uint32_t readings = READINGS;

/* Whether the last reading took in all that was mapped. */
static bool complete;

/* When what is known is to be compared with the map again: coarse monotonic ns. */
static _Atomic uint64_t stale_at;

/*
 * A look at the clock is a system call, which would be a tenth of what a sample takes: one in so
 * many looks.
 */
enum { LOOKS = 16 };
static _Atomic uint32_t looks;

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
	uint64_t at = atomic_load_explicit(&stale_at, memory_order_relaxed);

	if (at && atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed) % LOOKS)
		return false;
	return sys_time(CLOCK_MONOTONIC_COARSE) >= at;
}

struct object *object_anonymous(uintptr_t pc)
{
	uint64_t part = options.kind == KIND_HISTOGRAM ? 0 : pc >> 32;
	struct object *o = known_find(OBJECT_ANON, 0, part);

	if (!o && (o = known_new(OBJECT_ANON, 0, part, "[anon]"))) {
		o->low = part << 32;
		o->size = options.kind == KIND_HISTOGRAM ? 0 : (uint64_t)1 << 32;
	}
	return o;
}

static struct object *object_of(const struct map_line *l)
{
	struct object *o;

	if (text_equal(l->path, "[vdso]")) {
		o = known_find(OBJECT_VDSO, 0, 0);
		return o ? o : known_new(OBJECT_VDSO, 0, 0, "[vdso]");
	}
	if (!l->inode || l->path[0] != '/')
		return object_anonymous(l->start);
	return known_file(l->device, l->inode, l->path);
}

static void set_object(struct area *a, struct object *o)
{
	struct object *before = atomic_exchange(&a->object, o);

	if (before)
		before->areas--;
	if (o)
		o->areas++;
}

static void free_area(struct area *a)
{
	atomic_fetch_add(&generation, 1);
	atomic_fetch_add(&a->seq, 1);
	atomic_store(&a->end, 0);
	set_object(a, NULL);
	atomic_fetch_add(&a->seq, 1);
}

static bool add_area(const struct map_line *l, uintptr_t header)
{
	uint32_t n = atomic_load(&area_count), i = 0;
	struct object *o;
	struct area *a;

	while (i < n && areas[i].end)
		i++;
	o = i < AREAS ? object_of(l) : NULL;
	if (!o)
		return false;
	a = &areas[i];
	atomic_fetch_add(&generation, 1);
	atomic_fetch_add(&a->seq, 1);
	atomic_store(&a->start, l->start);
	set_object(a, o);
	atomic_store(&a->bias, 0);
	atomic_store(&a->placed, o->kind == OBJECT_ANON);
	a->offset = l->offset;
	a->device = l->device;
	a->inode = l->inode;
	a->header = header;
	a->frames = a->frames_low = a->frames_high = 0;
	a->seen = true;
	atomic_store(&a->end, l->end);
	atomic_fetch_add(&a->seq, 1);
	if (i == n)
		atomic_store(&area_count, n + 1);
	if (entry >= l->start && entry < l->end)
		o->main = true;
	return true;
}

static void describe(struct object *o, const struct image *image)
{
	o->low = image->low;
	o->size = image->size;
	o->id_length = image->id_length;
	for (int i = 0; i < BUILD_ID_MOST; i++)
		o->id[i] = image->id[i];
}

static bool describes(const struct object *o, const struct image *image)
{
	bool same = o->low == image->low && o->size == image->size && o->id_length == image->id_length;

	for (int i = 0; i < o->id_length && same; i++)
		same = o->id[i] == image->id[i];
	return same;
}

/* The first page of the file that the lines before spoke of. */
static struct {
	uint64_t device, inode;
	uintptr_t start;
} first;

/* Of the areas that were known in their order: how many lie below the lines read so far. */
static uint32_t passed;

/* Whether the reading looks at what is in files whose numbers and places are as they were. */
static bool thorough;

/*
 * A file that is gone may have left its place, its name and the number of its inode to the next
 * one.
 */
static bool as_before(const struct area *a, const struct map_line *l)
{
	const struct object *o = atomic_load(&a->object);
	struct image image;

	if (a->start != l->start || a->end != l->end || a->offset != l->offset || a->device != l->device ||
	    a->inode != l->inode)
		return false;
	if (!thorough || !a->header || !atomic_load(&a->placed) || o->kind != OBJECT_FILE)
		return true;
	/* The program's own file may be renamed. */
	return (o->main || text_equal(o->path, l->path)) && image_read(&image, a->start, a->offset, a->header,
								       o->path) && describes(o, &image);
}

static void take_line(struct map_line *l)
{
	struct area *a;

	if (l->inode && l->offset == 0) {
		first.device = l->device;
		first.inode = l->inode;
		first.start = l->start;
	}
	if (!l->executable || text_equal(l->path, "[vsyscall]"))
		return;
	while (passed < ordered && areas[order[passed]].start < l->start)
		passed++;
	a = passed < ordered ? &areas[order[passed]] : NULL;
	if (a && as_before(a, l)) {
		a->seen = true;
		return;
	}
	/*
	 * What was there is gone before the next object is looked for, which may seem to be the
	 * same.
	 */
	if (a && a->start == l->start)
		free_area(a);
	if (l->inode)
		complete &= add_area(l, first.device == l->device && first.inode == l->inode ? first.start : 0);
	else
		complete &= add_area(l, l->start);
}

static void put_in_order(void)
{
	uint32_t n = atomic_load(&area_count);

	ordered = 0;
	for (uint32_t i = 0; i < n; i++)
		if (areas[i].end)
			order[ordered++] = (uint16_t)i;
	/* By steps that become shorter. */
	for (uint32_t step = ordered / 2; step > 0; step /= 2) {
		for (uint32_t i = step; i < ordered; i++) {
			uint16_t moved = order[i];
			uint32_t at = i;

			for (; at >= step && areas[order[at - step]].start > areas[moved].start; at -= step)
				order[at] = order[at - step];
			order[at] = moved;
		}
	}
}

/* Takes a whole map. */
static void read_map(void)
{
	uint32_t n = atomic_load(&area_count), before = atomic_load(&generation);

	for (uint32_t i = 0; i < n; i++)
		areas[i].seen = false;
	passed = 0;
	first.inode = 0;
	complete = true;
	if (!map_each(take_line)) {
		complete = false;
		if (atomic_load(&generation) != before)
			put_in_order();
		return;
	}
	n = atomic_load(&area_count);
	for (uint32_t i = 0; i < n; i++)
		if (areas[i].end && !areas[i].seen)
			free_area(&areas[i]);
	if (atomic_load(&generation) != before)
		put_in_order();
}

/* Finds out the bias of an area, and its object's range and build-id. */
static void place_area(struct area *a)
{
	struct object *o = atomic_load(&a->object), *other;
	struct image image;

	if (atomic_load(&a->placed))
		return;
	atomic_fetch_add(&a->seq, 1);
	if (image_read(&image, a->start, a->offset, a->header, o->path)) {
		/* A file that was written anew has its name and its inode still. */
		if (o->size && !describes(o, &image) && (other = known_anew(o))) {
			other->main = o->main;
			set_object(a, o = other);
		}
		if (!o->size)
			describe(o, &image);
		atomic_store(&a->bias, image.bias);
		if (image.frames) {
			a->frames = image.frames + image.bias;
			a->frames_low = image.frames_low + image.bias;
			a->frames_high = image.frames_high + image.bias;
		}
	} else if ((other = object_anonymous(a->start))) {
		/* Code in a file of another format is as good as in none. */
		set_object(a, other);
	}
	atomic_store(&a->placed, true);
	atomic_fetch_add(&a->seq, 1);
}

uint32_t object_generation(void)
{
	return atomic_load(&generation);
}

void object_each_area(bool (*f)(const struct area_found *))
{
	for (uint32_t i = 0; i < ordered; i++) {
		struct area *a = &areas[order[i]];
		struct area_found found;

		place_area(a);
		found = (struct area_found){
			a->object, a->start, a->end, a->bias, a->frames, a->frames_low, a->frames_high,
		};
		if (!f(&found))
			return;
	}
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
		thorough = stale;
		read_map();
		if (!complete)
			note_post(NOTE_OBJECTS);
		after = monotonic();
		reading_cost = after - before;
		uint64_t rest = 2 * SHARE * reading_cost;
		uint64_t next = after + (rest > 1000000000 ? rest : 1000000000);
		uint64_t nothing_new = UINT64_MAX;
		atomic_compare_exchange_strong(&stale_at, &nothing_new, next);
	}
	n = atomic_load(&area_count);
	for (uint32_t i = 0; i < n; i++)
		if (pc >= areas[i].start && pc < areas[i].end)
			place_area(&areas[i]);
	place = object_at(pc);
	/* What may be in a file that is not known is not taken for something else. */
	if (!place.object && complete)
		place = (struct place){ .object = object_anonymous(pc), .placed = true };
	return place;
}
