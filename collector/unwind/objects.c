#include "objects.h"
#include "cursor.h"
#include "../sys.h"

#include <stdatomic.h>

/*
 * Two tables: one is read, the other is made. A reader says which one it holds before it
 * reads, so that a table is only changed when nobody does.
 */
static struct object *sides[2];
static uint32_t counts[2];
static bool fleeting[2]; /* has an object that is */
static _Atomic uint32_t current; /* epoch << 1 | side */
static _Atomic uint32_t readers[2];

enum { PATIENCE = 1000 }; /* scheduling turns */

static bool drained(uint32_t side)
{
	int patience = PATIENCE;

	while (atomic_load(&readers[side])) {
		if (patience-- == 0)
			return false;
		sys0(SYS_sched_yield);
	}
	return true;
}

bool objects_start(void)
{
	for (int i = 0; i < 2; i++) {
		sides[i] = sys_mmap(UNWIND_OBJECTS * sizeof *sides[i], PROT_READ | PROT_WRITE, MAP_PRIVATE |
				    MAP_ANONYMOUS | MAP_NORESERVE, -1);
		if (!sides[i])
			return false;
	}
	return true;
}

void objects_enter(struct objects_view *v)
{
	uint32_t now;

	for (;;) {
		now = atomic_load(&current);
		atomic_fetch_add(&readers[now & 1], 1);
		if (atomic_load(&current) == now)
			break;
		atomic_fetch_sub(&readers[now & 1], 1);
	}
	v->side = now & 1;
	v->epoch = now >> 1;
	v->all = sides[v->side];
	v->count = counts[v->side];
	v->guarded = false;
	v->fleeting = fleeting[v->side];
	v->last = NULL;
}

void objects_leave(struct objects_view *v)
{
	atomic_fetch_sub(&readers[v->side], 1);
}

const struct object *objects_search(struct objects_view *v, uintptr_t address)
{
	uint32_t low = 0, high = v->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (v->all[middle].given.start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= v->all[low - 1].given.end)
		return NULL;
	v->last = &v->all[low - 1];
	v->guarded = v->last->given.fleeting;
	return v->last;
}

bool unwind_objects_begin(void)
{
	uint32_t side = ~atomic_load(&current) & 1;

	if (!drained(side))
		return false;
	counts[side] = 0;
	fleeting[side] = false;
	return true;
}

void objects_read_header(struct object *o)
{
	const struct unwind_object *g = &o->given;
	struct cursor c;
	unsigned version, pointer, count, table;
	uint64_t n;

	if (!g->header || g->header < g->data_start || g->header >= g->data_end)
		return;
	cursor_begin(&c, g->header, g->data_end, true);
	version = cursor_u8(&c);
	pointer = cursor_u8(&c);
	count = cursor_u8(&c);
	table = cursor_u8(&c);
	cursor_pointer(&c, pointer, g->header);
	n = count == ENCODING_OMIT ? 0 : cursor_pointer(&c, count, g->header);
	if (version != 1 || table != (ENCODING_DATA_RELATIVE | ENCODING_SDATA4) || c.bad ||
	    n > (g->data_end - cursor_at(&c)) / 8 ||
	    cursor_at(&c) % sizeof(int32_t))
		return;
	o->table = cursor_at(&c);
	o->count = (uint32_t)n;
}

bool unwind_objects_add(const struct unwind_object *object)
{
	uint32_t side = ~atomic_load(&current) & 1, i = counts[side];
	struct object new = { .given = *object };

	if (i == UNWIND_OBJECTS)
		return false;
	objects_read_header(&new);
	for (; i > 0 && sides[side][i - 1].given.start > object->start; i--)
		sides[side][i] = sides[side][i - 1];
	sides[side][i] = new;
	counts[side]++;
	fleeting[side] |= object->fleeting;
	return true;
}

static bool same(const struct object *a, const struct object *b)
{
	return a->given.start == b->given.start && a->given.end == b->given.end && a->given.bias == b->given.bias &&
	       a->given.id == b->given.id && a->table == b->table && a->count == b->count;
}

uint32_t unwind_objects_publish(void)
{
	uint32_t now = atomic_load(&current), side = ~now & 1, epoch = now >> 1, i = 0;

	/* What is known by address stays so, if all old objects are among the new ones. */
	for (uint32_t old = 0; old < counts[now & 1]; old++) {
		while (i < counts[side] && sides[side][i].given.start < sides[now & 1][old].given.start)
			i++;
		if (i == counts[side] || !same(&sides[side][i], &sides[now & 1][old])) {
			epoch++;
			break;
		}
	}
	atomic_store(&current, epoch << 1 | side);
	return epoch;
}

void unwind_forked(void)
{
	atomic_store(&readers[0], 0);
	atomic_store(&readers[1], 0);
}
