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
	struct values_memory *memory;
	uint32_t nested; /* callers that are asked what theirs passed to them */
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

static bool entry(void *of, uint64_t number, uint64_t *value);

/* What the caller passed, by its own frame, if the site of the call is known. */
static bool passed(const struct asked *a, uint64_t number, uint64_t *value)
{
	enum { NESTED = 8 };
	const struct unwind_path *path = a->frame.path;
	const struct unwind_frame *f = &path->frames[a->at ? a->at - 1 : 0];
	struct asked caller = { .object = a->object, .memory = a->memory, .nested = a->nested + 1 };
	const struct plan_frame p = {
		.of = &caller, .reg = reg, .high = high, .cfa = cfa, .entry = entry, .read = read_memory,
		.bias = a->object->bias,
	};
	const struct plans_site *s;
	const struct plan_instr *code;
	size_t size = sizeof *value;

	/* What a signal interrupted has called nothing. */
	if (!a->at || !a->frame.sure || (f->flags | path->frames[a->at].flags) & (UNWIND_SIGNAL | UNWIND_GUESS) ||
	    f->flags & UNWIND_EXACT || a->nested == NESTED ||
	    unwind_object_at(a->frame.thread, unwind_address(f)) != a->object)
		return false;
	s = plans_site(number, f->pc - a->object->bias);
	code = s ? plans_code(s->first, s->count) : NULL;
	if (!code)
		return false;
	caller.at = a->at - 1;
	caller.frame = inspect(a->frame.thread, path, caller.at);
	return plan_run(code, s->count, &p, (uint8_t *)value, &size) == PLAN_GOT && size == sizeof *value;
}

/* Where the outer frames come first none is asked twice: the answers of the last ones are kept. */
static bool entry(void *of, uint64_t number, uint64_t *value)
{
	const struct asked *a = of;
	struct values_entries *e = &a->memory->entries[a->at % 2];
	bool found;

	for (uint32_t i = 0; e->at == a->at && i < e->count; i++)
		if (e->of[i].number == number) {
			*value = e->of[i].value;
			return e->of[i].found;
		}
	found = passed(a, number, value);
	if (e->at != a->at) {
		e->at = a->at;
		e->count = 0;
	}
	if (e->count < VALUES_ENTRIES)
		e->of[e->count++] = (struct values_entry){ number, found ? *value : 0, found };
	return found;
}

/*
 * Executes a plan, and puts down what it comes to from an offset to another one at most, both
 * multiples of 4, with room for a value without bytes; returns where that ends.
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
		expressions(m, s, &(struct asked){ inspect(t, path, k), k, o, m->memory, 0 });
	}
	return empty;
}

/* Takes the outermost frames out of a record, so that half of its room is free. */
static void drop_frames(struct made *m)
{
	char *record = m->memory->record;
	size_t from = sizeof(struct values_record), to = from;

	while (to < m->at) {
		const struct values_value *v = (struct values_value *)(record + to);

		if (m->at - to <= PLANS_RECORD / 2 && v->plan == VALUES_FRAME)
			break;
		to += sizeof *v;
		if (v->plan != VALUES_FRAME)
			to += (v->length + 3) & ~(size_t)3;
	}
	m->at -= to - from;
	for (size_t i = 0; from + i < m->at; i++)
		record[from + i] = record[to + i];
}

/* The arguments of a frame's functions; false if they are too many. */
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

/*
 * The arguments of the functions of a path, the outermost first: what a caller passed may be what
 * its own passed to it. Where there is no room for all, those of the innermost frames.
 */
static void arguments(struct made *m, struct unwind_thread *t, const struct unwind_path *path)
{
	enum { DEEP = 1 << 10, EACH = 256, HALF = PLANS_RECORD / 2 };
	const size_t most = PLANS_RECORD - sizeof(struct values_frame);
	uint32_t from = path->count > DEEP ? path->count - DEEP : 0;
	struct values_frame *f;
	bool all = !from;

	for (uint32_t k = from; k < path->count; k++) {
		const struct unwind_object *o;
		const struct plans_stretch *s = stretch(t, &path->frames[k], &o);
		struct asked a;

		if (!s || !s->calls)
			continue;
		if (most - m->at < sizeof(struct values_frame) + (s->count < HALF / EACH ? s->count * EACH : HALF)) {
			drop_frames(m);
			all = false;
		}
		a = (struct asked){ inspect(t, path, k), k, o, m->memory, 0 };
		if (!frame(m, s, &a, most))
			all = false;
	}
	if (!all) {
		f = (struct values_frame *)(m->memory->record + m->at);
		*f = (struct values_frame){ VALUES_FRAME, VALUES_NO_ROOM, 0 };
		m->at += sizeof *f;
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

	memory->entries[0].at = memory->entries[1].at = UINT32_MAX;
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
