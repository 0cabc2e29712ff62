#include "mapped.h"
#include "contexts.h"
#include "note.h"
#include "object.h"
#include "options.h"
#include "plans.h"
#include "text.h"

#include <link.h>
#include <stdatomic.h>

enum { PERMANENT = 512 };

static _Atomic uint32_t published; /* the areas' generation that is known, plus 1 */

/* The text of the objects that the program was started with, which stay for good. */
static uintptr_t permanent[PERMANENT];
static uint32_t permanents;

static int note_permanent(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum && permanents < PERMANENT; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X))
			permanent[permanents++] = info->dlpi_addr + p->p_vaddr;
	}
	return 0;
}

void mapped_start(void)
{
	dl_iterate_phdr(note_permanent, NULL);
}

/* What else is there may be unmapped while a handler of another thread reads how it is left. */
static bool stays(const struct area_found *a)
{
	if (a->object->kind == OBJECT_VDSO)
		return true;
	for (uint32_t i = 0; i < permanents; i++)
		if (permanent[i] >= a->start && permanent[i] < a->end)
			return true;
	return false;
}

/* The libraries of functions that unwind stacks, or that copy them (Python's greenlets). */
static bool is_unwinder(const struct object *o)
{
	const char *name = text_base(o->path);

	return text_begins(name, "libgcc_s.so") || text_begins(name, "libunwind") || text_begins(name, "_greenlet.") ||
	       text_begins(name, "greenlet.");
}

static void put_hexadecimal(struct text *t, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	int shift = 60;

	while (shift > 0 && !(v >> shift & 15))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		text_char(t, digits[v >> shift & 15]);
	text_char(t, '\t');
}

/*
 * A line about an object, in static memory; its length, 0 if it is too long or the object has no
 * number.
 */
static size_t describe(const struct area_found *a, const char **told)
{
	static char line[OBJECT_PATH_MOST * 4 + 256];
	struct text t = text_in(line, sizeof line);
	const struct object *o = a->object;

	text_num(&t, o->number);
	text_char(&t, '\t');
	text_num(&t, o->kind);
	text_char(&t, '\t');
	put_hexadecimal(&t, o->size ? o->low + a->bias : a->start);
	put_hexadecimal(&t, o->size ? o->low + o->size + a->bias : a->end);
	put_hexadecimal(&t, a->bias);
	for (unsigned i = 0; i < 2u * o->id_length; i++)
		text_char(&t, "0123456789abcdef"[i % 2 ? o->id[i / 2] & 15 : o->id[i / 2] >> 4]);
	text_char(&t, '\t');
	text_value(&t, o->path, text_len(o->path));
	text_char(&t, '\n');
	*told = line;
	return t.full || !o->number ? 0 : t.n;
}

/* Tells of an object in all files that are there; false if one has no room. */
static bool tell(const struct area_found *a)
{
	bool told = true;
	const char *line;

	for (uint32_t i = 0; i < options.resource_count; i++) {
		size_t n;

		if (!contexts_tree(i) || a->object->told & 1u << i)
			continue;
		n = describe(a, &line);
		if (n && contexts_append(i, line, n))
			a->object->told |= 1u << i;
		else
			told = false;
	}
	return told;
}

static bool publish_area(const struct area_found *a)
{
	struct unwind_object o = {
		.start = a->start,
		.end = a->end,
		.header = a->frames,
		.data_start = a->frames_low,
		.data_end = a->frames_high,
		.bias = a->bias,
		.fleeting = !stays(a),
		.unwinder = is_unwinder(a->object),
		.id = (uint16_t)a->object->number,
	};

	plans_object(a->object);
	if (!tell(a) || !unwind_objects_add(&o))
		note_post(NOTE_PATHS_OBJECTS);
	return true;
}

void mapped_publish(void)
{
	uint32_t generation = object_generation() + 1;

	if (atomic_load(&published) == generation || !unwind_objects_begin())
		return;
	object_each_area(publish_area);
	unwind_objects_publish();
	atomic_store(&published, generation);
}

bool mapped_known(void)
{
	return atomic_load_explicit(&published, memory_order_relaxed) == object_generation() + 1;
}

void mapped_news(void)
{
	atomic_store(&published, 0);
}

static void forget_object(struct object *o)
{
	o->told = 0;
}

void mapped_forget(void)
{
	mapped_news();
	known_each(forget_object);
}
