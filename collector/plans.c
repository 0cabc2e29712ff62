#include "plans.h"
#include "note.h"
#include "options.h"
#include "space.h"
#include "sys.h"
#include "text.h"

#include <stdatomic.h>
#include <sys/stat.h>

enum { SIZE_MOST = 64 << 20, HEAD_LEAST = 64 };

static struct {
	const struct plans_header *header; /* NULL: there are none */
	const struct plans_object *objects;
	const struct plans_stretch *stretches;
	const struct plans_use *uses;
	const struct plans_entry *entries;
	const struct plans_site *sites;
	const struct plan_instr *instrs;
	const char *head, *paths;
} file;

/* The numbers of the objects as they are mapped; 0: not yet. */
static _Atomic uint32_t numbers[PLANS_OBJECTS];

/* Whether n things from the first on are among so many. */
static bool within(uint32_t first, uint32_t n, uint32_t all)
{
	return first <= all && n <= all - first;
}

/* Finds the parts of the file in memory; false if it is none. */
static bool parse(const char *at, uint64_t size)
{
	const struct plans_header *h = (const void *)at;
	uint64_t objects = sizeof *h, stretches, uses, entries, sites, instrs, head, paths;

	if (size < sizeof *h || !text_equal(h->magic, PLANS_MAGIC) || h->header != sizeof *h)
		return false;
	stretches = objects + (uint64_t)h->objects * sizeof *file.objects;
	uses = stretches + (uint64_t)h->stretches * sizeof *file.stretches;
	entries = uses + (uint64_t)h->uses * sizeof *file.uses;
	sites = entries + (uint64_t)h->entries * sizeof *file.entries;
	instrs = sites + (uint64_t)h->sites * sizeof *file.sites;
	head = instrs + (uint64_t)h->instrs * sizeof *file.instrs;
	paths = head + h->head;
	if (paths + h->paths != size || h->objects > PLANS_OBJECTS || h->expressions > PLANS_EXPRESSIONS ||
	    h->head < HEAD_LEAST)
		return false;
	file.objects = (const void *)(at + objects);
	file.stretches = (const void *)(at + stretches);
	file.uses = (const void *)(at + uses);
	file.entries = (const void *)(at + entries);
	file.sites = (const void *)(at + sites);
	file.instrs = (const void *)(at + instrs);
	file.head = at + head;
	file.paths = at + paths;
	for (uint32_t i = 0; i < h->objects; i++) {
		const struct plans_object *o = &file.objects[i];

		if (!within(o->first, o->count, h->stretches) || !within(o->path, o->path_length, h->paths) ||
		    o->id_length > PLANS_ID)
			return false;
	}
	file.header = h;
	return true;
}

/* A copy: the file may vanish while it is read. */
static bool read_file(int fd)
{
	struct stat st;
	char *to;
	long got;
	uint64_t size, n = 0;

	if (sys2(SYS_fstat, fd, &st) < 0 || st.st_size <= 0 || st.st_size > SIZE_MOST)
		return false;
	size = (uint64_t)st.st_size;
	to = space_permitted(size) ? space_reserve(size) : NULL;
	if (!to)
		return false;
	while (n < size && (got = sys3(SYS_read, fd, to + n, size - n)) > 0)
		n += (uint64_t)got;
	if (n == size && parse(to, size))
		return true;
	sys2(SYS_munmap, to, size);
	return false;
}

void plans_start(void)
{
	int fd;

	if (!options.plans[0])
		return;
	fd = sys_openat(AT_FDCWD, options.plans, O_RDONLY, 0);
	if (fd < 0 || !read_file(fd))
		note_post(NOTE_VALUES_PLANS);
	if (fd >= 0)
		sys_close(fd);
}

bool plans_there(void)
{
	return file.header;
}

uint32_t plans_expressions(void)
{
	return file.header->expressions;
}

bool plans_arguments(void)
{
	return file.header->arguments;
}

const void *plans_head(size_t *n)
{
	*n = file.header->head;
	return file.head;
}

static bool is(const struct plans_object *p, const struct object *o)
{
	if (p->id_length != o->id_length)
		return false;
	for (uint32_t i = 0; i < p->id_length; i++)
		if (p->id[i] != o->id[i])
			return false;
	if (p->id_length)
		return true;
	if (p->path_length != text_len(o->path))
		return false;
	for (uint32_t i = 0; i < p->path_length; i++)
		if (file.paths[p->path + i] != o->path[i])
			return false;
	return true;
}

void plans_object(const struct object *o)
{
	for (uint32_t i = 0; file.header && o->number && i < file.header->objects; i++)
		if (is(&file.objects[i], o))
			atomic_store(&numbers[i], o->number);
}

const struct plans_stretch *plans_at(uint32_t object, uint64_t address)
{
	/* Objects for which there was no number are 0, too. */
	for (uint32_t i = 0; object && i < file.header->objects; i++) {
		const struct plans_object *o = &file.objects[i];
		const struct plans_stretch *s = file.stretches + o->first, *end = s + o->count;

		if (atomic_load_explicit(&numbers[i], memory_order_relaxed) != object)
			continue;
		while (s < end) {
			const struct plans_stretch *middle = s + (end - s) / 2;

			if (address >= middle->high)
				s = middle + 1;
			else if (address < middle->low)
				end = middle;
			else
				return within(middle->first, middle->count, file.header->uses) ? middle : NULL;
		}
		return NULL;
	}
	return NULL;
}

const struct plans_use *plans_uses(const struct plans_stretch *s)
{
	return &file.uses[s->first];
}

const struct plan_instr *plans_code(uint32_t first, uint32_t count)
{
	return within(first, count, file.header->instrs) ? &file.instrs[first] : NULL;
}

const struct plans_site *plans_site(uint64_t entry, uint64_t returns)
{
	const struct plans_entry *e = &file.entries[entry];
	uint32_t low = 0, high;

	if (entry >= file.header->entries || !within(e->first, e->count, file.header->sites))
		return NULL;
	high = e->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct plans_site *s = &file.sites[e->first + middle];

		if (s->returns == returns)
			return s;
		if (s->returns < returns)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
