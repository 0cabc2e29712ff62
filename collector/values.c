#include "values.h"
#include "plans.h"
#include "run.h"
#include "sys.h"
#include "valuelog.h"

size_t values_room(void)
{
	return plans_there() ? sizeof(struct values_memory) : 0;
}

/*
 * Executes a plan, and puts down what it comes to from an offset to another one at most, both
 * multiples of 4, with room for a value without bytes; returns where that ends.
 */
static size_t evaluate(const struct plans_use *u, struct asked *a, char *to, size_t at, size_t most)
{
	struct values_value *v = (struct values_value *)(to + at);
	size_t size = most - at - sizeof *v;
	const struct plan_instr *code = plans_code(u->first, u->count);

	*v = (struct values_value){ .plan = u->plan, .outcome = PLAN_TOO_LONG };
	if (code)
		v->outcome = (uint8_t)asked_run(a, code, u->count, (uint8_t *)(v + 1), &size);
	if (v->outcome != PLAN_GOT)
		size = 0;
	v->length = (uint32_t)size;
	for (at += sizeof *v + size; at % sizeof(uint32_t); at++)
		to[at] = 0;
	return at;
}

/* A record that is put together. */
struct made {
	struct values_memory *memory;
	size_t at;     /* where its values end */
	uint32_t left; /* expressions that no frame was for yet, as bits */
};

static void expressions(struct made *m, const struct plans_stretch *s, struct asked *a)
{
	/* For each expression one value without bytes always has room. */
	enum { LEAST = sizeof(struct values_value) * PLANS_EXPRESSIONS };
	const struct plans_use *u = plans_uses(s);

	for (const struct plans_use *end = u + s->count; u < end; u++) {
		uint32_t bit = u->expression < PLANS_EXPRESSIONS ? UINT32_C(1) << u->expression : 0;

		if (!(m->left & bit) || m->at > PLANS_RECORD - LEAST)
			continue;
		m->left &= ~bit;
		m->at = evaluate(u, a, m->memory->record, m->at, PLANS_RECORD);
	}
}

/* What is evaluated in a frame; NULL if nothing is. */
static const struct plans_stretch *stretch(struct unwind_thread *t, const struct unwind_frame *f,
					   const struct unwind_object **o)
{
	*o = unwind_object_at(t, unwind_address(f));
	return *o ? plans_at((*o)->id, unwind_address(f) - (*o)->bias) : NULL;
}

/*
 * Evaluates expressions in the frames of a path from the innermost to one, and returns how many of
 * the outermost have nothing that is evaluated in them.
 */
static uint32_t innermost(struct made *m, struct unwind_thread *t, const struct unwind_path *path, uint32_t from)
{
	uint32_t empty = path->count;

	for (uint32_t k = path->count; k-- > from;) {
		const struct unwind_object *o;
		const struct plans_stretch *s;

		if (!m->left)
			return from;
		s = stretch(t, &path->frames[k], &o);
		if (!s)
			continue;
		empty = k;
		expressions(m, s, &(struct asked){ &m->memory->asked, inspect(t, path, k), k, o });
	}
	return empty;
}

/* The arguments of a frame's functions; false if they have no room. */
static bool frame(struct made *m, const struct plans_stretch *s, struct asked *a, size_t most)
{
	struct values_frame *f = (struct values_frame *)(m->memory->record + m->at);
	const struct plans_use *u = plans_uses(s), *end = u + s->count;

	if ((s->count + UINT64_C(1)) * sizeof(struct values_value) > most - m->at)
		return false;
	*f = (struct values_frame){ VALUES_FRAME, (uint16_t)a->frame.depth, s->calls };
	m->at += sizeof *f;
	for (; u < end; u++) {
		struct values_value *v = (struct values_value *)(m->memory->record + m->at);

		if (u->expression != PLANS_ARGUMENT)
			continue;
		/* A frame that may be none has none. */
		if (a->frame.sure) {
			m->at = evaluate(u, a, m->memory->record, m->at,
					 most - (size_t)(end - u - 1) * sizeof *v);
		} else {
			*v = (struct values_value){ .plan = u->plan, .outcome = PLAN_NO_REGISTER };
			m->at += sizeof *v;
		}
	}
	return true;
}

/* The arguments of the functions of a path, from the innermost frame as far as there is room. */
static void arguments(struct made *m, struct unwind_thread *t, const struct unwind_path *path)
{
	const size_t most = PLANS_RECORD - sizeof(struct values_frame);
	struct values_frame *f;

	for (uint32_t k = path->count; k-- > 0;) {
		const struct unwind_object *o;
		const struct plans_stretch *s = stretch(t, &path->frames[k], &o);

		if (!s || !s->calls ||
		    frame(m, s, &(struct asked){ &m->memory->asked, inspect(t, path, k), k, o }, most))
			continue;
		f = (struct values_frame *)(m->memory->record + m->at);
		*f = (struct values_frame){ VALUES_FRAME, VALUES_NO_ROOM, 0 };
		m->at += sizeof *f;
		return;
	}
}

void values_take(uint32_t resource, struct unwind_thread *t, const struct unwind_path *path, int tid, uint32_t weight,
		 struct values_memory *memory)
{
	struct values_record *r = (struct values_record *)memory->record;
	struct made m = {
		.memory = memory,
		.at = sizeof *r,
		.left = (uint32_t)((UINT64_C(1) << plans_expressions()) - 1),
	};
	uint64_t now = sys_time(CLOCK_MONOTONIC) - run.monotonic;
	uint32_t *empty = &memory->empty[resource];

	asked_begin(&memory->asked);
	/* A path that has no end is not the one that the next one has frames in common with. */
	if (path->end == UNWIND_COMPLETE)
		*empty = innermost(&m, t, path, *empty < path->common ? *empty : path->common);
	else
		innermost(&m, t, path, 0);
	if (plans_arguments())
		arguments(&m, t, path);
	r->node = path->frames[path->count - 1].node;
	r->thread = (uint32_t)tid;
	r->count = weight;
	r->time[0] = (uint32_t)now;
	r->time[1] = (uint32_t)(now >> 32);
	valuelog_append(resource, r, m.at);
}
