#include "values.h"
#include "plans.h"
#include "unwind/inspect.h"
#include "unwind/machine.h"
#include "valuelog.h"

size_t values_room(void)
{
	return plans_expressions() ? PLANS_RECORD : 0;
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

/* Executes a plan, and puts down what it comes to at an offset; returns where that ends. */
static size_t evaluate(const struct plans_use *u, struct asked *a, char *to, size_t at)
{
	const struct plan_frame f = {
		.of = a, .reg = reg, .high = high, .cfa = cfa, .entry = entry, .read = read_memory,
		.bias = a->object->bias, .thread = machine_thread_pointer(),
	};
	struct values_value *v = (struct values_value *)(to + at);
	size_t size = PLANS_RECORD - at - sizeof *v;
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

void values_take(uint32_t resource, struct unwind_thread *t, const struct unwind_path *path, int tid, uint32_t weight,
		 void *room)
{
	/* For each expression one value without bytes always has room. */
	enum { LEAST = sizeof(struct values_value) * PLANS_EXPRESSIONS };
	uint32_t left = (uint32_t)((UINT64_C(1) << plans_expressions()) - 1);
	struct values_record *r = room;
	size_t at = sizeof *r;

	for (uint32_t k = path->count; left && k-- > 0;) {
		const struct unwind_frame *f = &path->frames[k];
		const struct unwind_object *o = unwind_object_at(t, unwind_address(f));
		const struct plans_use *u;
		struct asked a;
		uint32_t n = 0;

		u = o ? plans_at(o->id, unwind_address(f) - o->bias, &n) : NULL;
		if (!u)
			continue;
		a = (struct asked){ inspect(t, path, k), k, o };
		for (const struct plans_use *end = u + n; u < end; u++) {
			uint32_t bit = u->expression < PLANS_EXPRESSIONS ? UINT32_C(1) << u->expression : 0;

			if (!(left & bit) || at > PLANS_RECORD - LEAST)
				continue;
			left &= ~bit;
			at = evaluate(u, &a, room, at);
		}
	}
	if (at == sizeof *r)
		return;
	r->node = path->frames[path->count - 1].node;
	r->thread = (uint32_t)tid;
	r->count = weight;
	valuelog_append(resource, r, at);
}
