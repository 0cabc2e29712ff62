#include "asked.h"
#include "plans.h"
#include "unwind/machine.h"

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

void asked_begin(struct asked_memory *m)
{
	m->path++;
	m->steps = 0;
}

/* Where it is kept what was passed, or may be: one that is not of this path is free. */
static struct asked_entry *place(struct asked_memory *m, uint32_t at, uint64_t number)
{
	enum { PROBES = 16 };
	uint64_t mixed = (at * UINT64_C(0x9e3779b97f4a7c15)) ^ (number * UINT64_C(0xc2b2ae3d27d4eb4f));
	struct asked_entry *e = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		e = &m->kept[((mixed >> 40) + i) % ASKED_KEPT];
		if (e->path != m->path || (e->at == at && e->number == number))
			return e;
	}
	return e;
}

static void keep(struct asked_memory *m, const struct asked_entry *want, bool found, uint64_t value)
{
	struct asked_entry *e = place(m, want->at, want->number);

	*e = (struct asked_entry){ want->number, value, want->at, m->path, found };
}

/* What was passed is kept, or is not known yet: then the plan ends, and it is found out. */
static bool entry(void *of, uint64_t number, uint64_t *value)
{
	const struct asked *a = of;
	const struct asked_entry *e = place(a->memory, a->at, number);

	if (e->path == a->memory->path && e->at == a->at && e->number == number) {
		*value = e->value;
		return e->found;
	}
	a->memory->want = (struct asked_entry){ .number = number, .at = a->at };
	a->memory->wanted = true;
	return false;
}

static enum plan_outcome run(struct asked *a, const struct plan_instr *code, uint32_t n, uint8_t *out, size_t *size)
{
	const struct plan_frame f = {
		.of = a, .reg = reg, .high = high, .cfa = cfa, .entry = entry, .read = read_memory,
		.bias = a->object->bias, .thread = machine_thread_pointer(),
	};

	a->memory->wanted = false;
	return plan_run(code, n, &f, out, size);
}

/* The call that entered a frame, if it is known. What a signal interrupted called nothing. */
static const struct plans_site *site(const struct asked *a, const struct asked_entry *want)
{
	const struct unwind_path *path = a->frame.path;
	const struct unwind_frame *f = &path->frames[want->at ? want->at - 1 : 0];

	if (!want->at || (f->flags | path->frames[want->at].flags) & (UNWIND_SIGNAL | UNWIND_GUESS) ||
	    f->flags & UNWIND_EXACT || unwind_object_at(a->frame.thread, unwind_address(f)) != a->object)
		return NULL;
	return plans_site(want->number, f->pc - a->object->bias);
}

/* Finds out what is wanted, in the frames from that of a on out, as far as they tell. */
static void find_out(const struct asked *a)
{
	enum { STEPS = 1 << 12 };
	struct asked_memory *m = a->memory;
	uint32_t n = 1;

	m->todo[0] = m->want;
	while (n) {
		const struct asked_entry *want = &m->todo[n - 1];
		const struct plans_site *s = site(a, want);
		const struct plan_instr *code = s ? plans_code(s->first, s->count) : NULL;
		struct asked caller = { .memory = m, .object = a->object };
		uint64_t value = 0;
		size_t size = sizeof value;
		bool found;

		if (!code || m->steps == STEPS) {
			keep(m, want, false, 0);
			n--;
			continue;
		}
		m->steps++;
		caller.at = want->at - 1;
		caller.frame = inspect(a->frame.thread, a->frame.path, caller.at);
		found = caller.frame.sure && run(&caller, code, s->count, (uint8_t *)&value, &size) == PLAN_GOT &&
			size == sizeof value;
		if (caller.frame.sure && m->wanted && n < ASKED_DEEP) {
			m->todo[n++] = m->want;
			continue;
		}
		keep(m, want, found, value);
		n--;
	}
}

enum plan_outcome asked_run(struct asked *a, const struct plan_instr *code, uint32_t n, uint8_t *out, size_t *size)
{
	enum { TIMES = 16 }; /* it asks for less */
	const size_t room = *size;
	enum plan_outcome outcome = run(a, code, n, out, size);

	for (uint32_t i = 0; a->memory->wanted && i < TIMES; i++) {
		find_out(a);
		*size = room;
		outcome = run(a, code, n, out, size);
	}
	return outcome;
}
