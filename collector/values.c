#include "values.h"
#include "plans.h"
#include "unwind/inspect.h"
#include "valuelog.h"

size_t values_room(void)
{
	return plans_expressions() ? PLANS_RECORD : 0;
}

static bool reg(void *of, uint64_t number, uint64_t *value)
{
	return inspect_register(of, number, value);
}

static bool high(void *of, uint64_t number, uint64_t *value)
{
	return inspect_high(of, number, value);
}

static bool cfa(void *of, uint64_t *value)
{
	return inspect_cfa(of, value);
}

static bool read_memory(void *of, uint64_t at, void *to, size_t n)
{
	return inspect_read(of, at, to, n);
}

/* Executes a plan, and puts down what it comes to at an offset; returns where that ends. */
static size_t evaluate(const struct plans_use *u, struct inspected *i, uint64_t bias, char *to, size_t at)
{
	const struct plan_frame f = {
		.of = i, .reg = reg, .high = high, .cfa = cfa, .read = read_memory, .bias = bias,
	};
	struct values_value *v = (struct values_value *)(to + at);
	size_t size = PLANS_RECORD - at - sizeof *v;
	uint32_t n;
	const struct plan_instr *code = plans_code(u, &n);

	*v = (struct values_value){ .plan = u->plan };
	v->outcome = (uint8_t)plan_run(code, n, &f, (uint8_t *)(v + 1), &size);
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
		struct inspected i;
		uint32_t n = 0;

		u = o ? plans_at(o->id, unwind_address(f) - o->bias, &n) : NULL;
		if (!u)
			continue;
		i = inspect(t, path, k);
		for (const struct plans_use *end = u + n; u < end; u++) {
			uint32_t bit = u->expression < PLANS_EXPRESSIONS ? UINT32_C(1) << u->expression : 0;

			if (!(left & bit) || at > PLANS_RECORD - LEAST)
				continue;
			left &= ~bit;
			at = evaluate(u, &i, o->bias, room, at);
		}
	}
	if (at == sizeof *r)
		return;
	r->node = path->frames[path->count - 1].node;
	r->thread = (uint32_t)tid;
	r->count = weight;
	valuelog_append(resource, r, at);
}
