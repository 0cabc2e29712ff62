#include "known.h"
#include "text.h"

enum { OBJECTS = 1024, PATHS = 256 << 10, NUMBERS = 60000 };

/* A path follows its owner's place; one whose owner does not have it any more is free. */
struct owned {
	uint16_t owner;
	char path[];
};

static struct object objects[OBJECTS];
static uint32_t used, hand, numbers;
static char paths[PATHS];
static size_t paths_used;

static bool free_place(const struct object *o)
{
	return !o->path;
}

void known_each(void (*f)(struct object *))
{
	for (uint32_t i = 0; i < used; i++)
		if (!free_place(&objects[i]))
			f(&objects[i]);
}

struct object *known_find(enum object_kind kind, uint64_t device, uint64_t inode)
{
	for (uint32_t i = 0; i < used; i++) {
		struct object *o = &objects[i];

		if (o->inode == inode && o->device == device && o->kind == kind && !free_place(o) && !o->outdated)
			return o;
	}
	return NULL;
}

/* Makes a place free; false if there is none that nothing is mapped of. */
static bool give_up_one(void)
{
	for (uint32_t i = 0; i < used; i++) {
		struct object *o = &objects[hand];

		hand = (hand + 1) % used;
		if (free_place(o) || o->kind != OBJECT_FILE || o->areas || o->main ||
		    atomic_load(&o->state) == FILE_OPEN)
			continue;
		*o = (struct object){ 0 };
		return true;
	}
	return false;
}

static struct object *place(void)
{
	if (used < OBJECTS)
		return &objects[used++];
	for (uint32_t i = 0; i < used; i++)
		if (free_place(&objects[i]))
			return &objects[i];
	return NULL;
}

/* Moves the paths that have an owner together. */
static void pack(void)
{
	size_t to = 0;

	for (size_t at = 0; at < paths_used;) {
		struct owned *p = (struct owned *)(paths + at), *q = (struct owned *)(paths + to);
		size_t n = (sizeof *p + text_len(p->path) + 2) & ~(size_t)1;
		struct object *o = &objects[p->owner];

		if (o->path == p->path) {
			for (size_t i = 0; i < n; i++)
				paths[to + i] = paths[at + i];
			o->path = q->path;
			to += n;
		}
		at += n;
	}
	paths_used = to;
}

/* Keeps an object's path; false if there is no room. */
static bool keep_path(struct object *o, const char *path)
{
	size_t n = (sizeof(struct owned) + text_len(path) + 2) & ~(size_t)1;
	struct owned *p;

	if (n > OBJECT_PATH_MOST)
		return false;
	while (n > PATHS - paths_used) {
		size_t before = paths_used;

		pack();
		if (paths_used == before && !give_up_one())
			return false;
	}
	p = (struct owned *)(paths + paths_used);
	p->owner = (uint16_t)(o - objects);
	for (size_t i = 0; i <= text_len(path); i++)
		p->path[i] = path[i];
	o->path = p->path;
	paths_used += n;
	return true;
}

struct object *known_new(enum object_kind kind, uint64_t device, uint64_t inode, const char *path)
{
	struct object *o = place();

	if (!o && give_up_one())
		o = place();
	if (!o)
		return NULL;
	*o = (struct object){ .kind = kind, .device = device, .inode = inode };
	if (!keep_path(o, path))
		return NULL;
	o->number = numbers < NUMBERS ? ++numbers : 0;
	return o;
}

struct object *known_file(uint64_t device, uint64_t inode, const char *path)
{
	struct object *o = known_find(OBJECT_FILE, device, inode);

	/* The number of an inode is used again. */
	if (o && !o->areas && !text_equal(o->path, path)) {
		o->outdated = true;
		o = NULL;
	}
	return o ? o : known_new(OBJECT_FILE, device, inode, path);
}

struct object *known_anew(struct object *o)
{
	static char path[OBJECT_PATH_MOST];
	struct text t = text_in(path, sizeof path);

	o->outdated = true;
	text_str(&t, o->path);
	return known_new(OBJECT_FILE, o->device, o->inode, path);
}
