#include "values.h"
#include "plans.h"
#include "run.h"
#include "sys.h"
#include "unwind/inspect.h"
#include "valuelog.h"

size_t values_room(void)
{
	return plans_there() ? sizeof(struct values_memory) : 0;
}

/* Where a plan is executed. */
struct asked {
	struct inspected frame;
	uint32_t at; /* its place on the path */
	const struct unwind_object *object;
};

static bool reg(void *of, uint64_t number, uint64_t *value)
{
	return inspect_register(&((struct asked *)of)->frame, number, value);
}

static bool high(void *of, uint64_t number, uint64_t *value)
{
	return inspect_high(&((struct asked *)of)->frame, number, value);
}

static bool cfa(void *of, uint64_t *value)
{
	return inspect_cfa(&((struct asked *)of)->frame, value);
}

static bool read_memory(void *of, uint64_t at, void *to, size_t n)
{
	return inspect_read(&((struct asked *)of)->frame, at, to, n);
}

/* What the caller passed, by its own frame, if the site of the call is known. */
static bool entry(void *of, uint64_t number, uint64_t *value)
{
	const struct asked *a = of;
	const struct unwind_path *path = a->frame.path;
	const struct unwind_frame *f = &path->frames[a->at ? a->at - 1 : 0];
	struct asked caller = { .object = a->object };
	const struct plan_frame p = {
		.of = &caller, .reg = reg, .high = high, .cfa = cfa, .read = read_memory, .bias = a->object->bias,
	};
	const struct plans_site *s;
	const struct plan_instr *code;
	size_t size = sizeof *value;

	/* What a signal interrupted has called nothing. */
	if (!a->at || !a->frame.sure || (f->flags | path->frames[a->at].flags) & (UNWIND_SIGNAL | UNWIND_GUESS) ||
	    f->flags & UNWIND_EXACT || unwind_object_at(a->frame.thread, unwind_address(f)) != a->object)
		return false;
	s = plans_site(number, f->pc - a->object->bias);
	code = s ? plans_code(s->first, s->count) : NULL;
	if (!code)
		return false;
	caller.at = a->at - 1;
	caller.frame = inspect(a->frame.thread, path, caller.at);
	return plan_run(code, s->count, &p, (uint8_t *)value, &size) == PLAN_GOT && size == sizeof *value;
}

/*
 * Executes a plan, and puts down what it comes to from an offset to another one at most, both multiples of 4,
 * with room for a value without bytes; returns where that ends.
 */
static size_t evaluate(const struct plans_use *u, struct asked *a, char *to, size_t at, size_t most)
{
	const struct plan_frame f = {
		.of = a, .reg = reg, .high = high, .cfa = cfa, .entry = entry, .read = read_memory,
		.bias = a->object->bias,
	};
	struct values_value *v = (struct values_value *)(to + at);
	size_t size = most - at - sizeof *v;
	const struct plan_instr *code = plans_code(u->first, u->count);

	*v = (struct values_value){ .plan = u->plan, .outcome = PLAN_TOO_LONG };
	if (code)
		v->outcome = (uint8_t)plan_run(code, u->count, &f, (uint8_t *)(v + 1), &size);
	if (v->outcome != PLAN_GOT)
		size = 0;
	v->length = (uint32_t)size;
	for (at += sizeof *v + size; at % sizeof(uint32_t); at++)
		to[at] = 0;
	return at;
}

/* A record that is put together. */
struct made {
	char *to;
	size_t at;      /* where its values end */
	uint32_t left;  /* expressions that no frame was for yet, as bits */
	bool arguments; /* those of functions are wanted, and there is room */
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
		m->at = evaluate(u, a, m->to, m->at, PLANS_RECORD);
	}
}

/* Of a frame that may be none, all arguments are unknown, whatever they are. */
static size_t unsure(const struct plans_use *u, char *to, size_t at)
{
	*(struct values_value *)(to + at) = (struct values_value){ .plan = u->plan, .outcome = PLAN_NO_REGISTER };
	return at + sizeof(struct values_value);
}

static void arguments(struct made *m, const struct plans_stretch *s, struct asked *a)
{
	struct values_frame *f = (struct values_frame *)(m->to + m->at);
	const struct plans_use *u = plans_uses(s), *end = u + s->count;
	size_t most = PLANS_RECORD - sizeof *f; /* so that one more frame can tell that there is no more room */

	if (m->at > most)
		return;
	*f = (struct values_frame){ VALUES_FRAME, (uint16_t)a->frame.depth, s->calls };
	m->at += sizeof *f;
	if (m->at > most || s->count > (most - m->at) / sizeof(struct values_value)) {
		f->depth = VALUES_NO_ROOM;
		m->arguments = false;
		return;
	}
	for (; u < end; u++) {
		if (u->expression != PLANS_ARGUMENT)
			continue;
		m->at = a->frame.sure ? evaluate(u, a, m->to, m->at, most - (size_t)(end - u - 1) * sizeof(struct values_value)) :
					unsure(u, m->to, m->at);
	}
}

/*
 * Evaluates what is wanted in the frames of a path from the innermost to one, and returns how many of
 * the outermost have nothing that is evaluated in them.
 */
static uint32_t frames(struct made *m, struct unwind_thread *t, const struct unwind_path *path, uint32_t from)
{
	uint32_t empty = path->count;

	for (uint32_t k = path->count; k-- > from;) {
		const struct unwind_frame *f = &path->frames[k];
		const struct unwind_object *o = unwind_object_at(t, unwind_address(f));
		const struct plans_stretch *s = o ? plans_at(o->id, unwind_address(f) - o->bias) : NULL;
		struct asked a;

		if (!m->left && !m->arguments)
			return from;
		if (!s)
			continue;
		empty = k;
		a = (struct asked){ inspect(t, path, k), k, o };
		if (m->left)
			expressions(m, s, &a);
		if (m->arguments && s->calls)
			arguments(m, s, &a);
	}
	return empty;
}

void values_take(uint32_t resource, struct unwind_thread *t, const struct unwind_path *path, int tid, uint32_t weight,
		 struct values_memory *memory)
{
	struct values_record *r = (struct values_record *)memory->record;
	struct made m = {
		.to = memory->record,
		.at = sizeof *r,
		.left = (uint32_t)((UINT64_C(1) << plans_expressions()) - 1),
		.arguments = plans_arguments(),
	};
	uint64_t now = sys_time(CLOCK_MONOTONIC) - run.monotonic;
	uint32_t *empty = &memory->empty[resource];

	/* A path that has no end is not the one that the next one has frames in common with. */
	if (path->end == UNWIND_COMPLETE)
		*empty = frames(&m, t, path, *empty < path->common ? *empty : path->common);
	else
		frames(&m, t, path, 0);
	r->node = path->frames[path->count - 1].node;
	r->thread = (uint32_t)tid;
	r->count = weight;
	r->time[0] = (uint32_t)now;
	r->time[1] = (uint32_t)(now >> 32);
	valuelog_append(resource, r, m.at);
}
