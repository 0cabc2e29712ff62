#include "linked.h"
#include "cfi.h"
#include "unwind.h"
#include "../sys.h"

#include <dlfcn.h>
#include <stdatomic.h>

enum {
	UNWINDERS = 64,
	JUMPS = 8,
	NEAR = 4096,    /* bytes around those functions that are taken for the unwinder's too */
	APART = 1 << 14, /* between them; what is farther is not looked at */
	PATIENCE = 1000  /* scheduling turns */
};

/* What is read while it is written, as `version` tells, is not believed. */
static struct code {
	_Atomic uint32_t version;     /* odd while it is written */
	_Atomic uintptr_t low, high;  /* of the object's text; the same: this is free */
	_Atomic uintptr_t start, end; /* of the unwinder; the same: there is none */
	struct {
		_Atomic uintptr_t start, end;
	} jumps[JUMPS]; /* the functions that it is known by; the same: there are no more */
} all[UNWINDERS];
static _Atomic uint32_t count; /* of those that are or were in use */
static atomic_flag busy = ATOMIC_FLAG_INIT;

static uint32_t version_of(const struct code *c)
{
	return atomic_load_explicit(&c->version, memory_order_acquire);
}

static bool stays(const struct code *c, uint32_t version)
{
	atomic_thread_fence(memory_order_acquire);
	return !(version & 1) && atomic_load_explicit(&c->version, memory_order_relaxed) == version;
}

static uintptr_t get(const _Atomic uintptr_t *v)
{
	return atomic_load_explicit(v, memory_order_relaxed);
}

static bool between(uintptr_t address, const _Atomic uintptr_t *start, const _Atomic uintptr_t *end)
{
	return address >= get(start) && address < get(end);
}

bool linked_holds(uintptr_t address)
{
	uint32_t n = atomic_load_explicit(&count, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t version = version_of(&all[i]);

		if (between(address, &all[i].start, &all[i].end) && stays(&all[i], version))
			return true;
	}
	return false;
}

bool linked_jumps(uintptr_t address)
{
	uint32_t n = atomic_load_explicit(&count, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t version = version_of(&all[i]);

		for (uint32_t j = 0; j < JUMPS; j++)
			if (between(address, &all[i].jumps[j].start, &all[i].jumps[j].end) && stays(&all[i], version))
				return true;
	}
	return false;
}

/* The object's first address, if it is known; has tells whether it has an unwinder. */
static uintptr_t known(uintptr_t address, bool *has)
{
	uint32_t n = atomic_load_explicit(&count, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t version = version_of(&all[i]);
		uintptr_t low = get(&all[i].low);

		*has = get(&all[i].end) != 0;
		if (between(address, &all[i].low, &all[i].high) && stays(&all[i], version))
			return low;
	}
	return 0;
}

uintptr_t linked_in(uintptr_t address)
{
	bool has;
	uintptr_t low = known(address, &has);

	return low && has ? low : 0;
}

/* What is found in an object. */
struct found {
	uintptr_t start, end;
	struct {
		uintptr_t start, end;
	} jumps[JUMPS];
	uint32_t jump_count;
};

/* Looks from the end, where libraries are that were linked in. */
static void look(const struct object *o, uint32_t most, struct found *c)
{
	static struct cfi_work work;
	const struct objects_view view = { .last = o };

	for (uint32_t i = o->count; i-- > 0 && most-- > 0;) {
		uintptr_t start = 0, end = 0;
		bool jumps = cfi_jumps(&work, &view, o, i, &start, &end);

		if (jumps && c->end == 0)
			c->end = end;
		if (jumps) {
			c->start = start;
			if (c->jump_count < JUMPS) {
				c->jumps[c->jump_count].start = start;
				c->jumps[c->jump_count++].end = end;
			}
		} else if (c->end && end && c->start > end && c->start - end > APART)
			break;
	}
	if (!c->end)
		return;
	c->start = c->start - o->given.start > NEAR ? c->start - NEAR : o->given.start;
	c->end = o->given.end - c->end > NEAR ? c->end + NEAR : o->given.end;
}

static void put(_Atomic uintptr_t *to, uintptr_t v)
{
	atomic_store_explicit(to, v, memory_order_relaxed);
}

static void write_code(struct code *c, uintptr_t low, uintptr_t high, const struct found *f)
{
	atomic_fetch_add(&c->version, 1);
	atomic_thread_fence(memory_order_release);
	put(&c->low, low);
	put(&c->high, high);
	put(&c->start, f->start);
	put(&c->end, f->end);
	for (uint32_t i = 0; i < JUMPS; i++) {
		put(&c->jumps[i].start, f->jumps[i].start);
		put(&c->jumps[i].end, f->jumps[i].end);
	}
	atomic_fetch_add_explicit(&c->version, 1, memory_order_release);
}

static bool is_free(const struct code *c)
{
	return get(&c->low) == get(&c->high);
}

/* A free place; UNWINDERS if there is none. */
static uint32_t place(void)
{
	uint32_t n = atomic_load(&count), i = 0;

	while (i < n && !is_free(&all[i]))
		i++;
	return i;
}

/* Keeps what was found, if there is room. */
static void keep(uintptr_t low, uintptr_t high, const struct found *f)
{
	uint32_t i = place();

	if (i == UNWINDERS)
		return;
	write_code(&all[i], low, high, f);
	if (i == atomic_load(&count))
		atomic_store_explicit(&count, i + 1, memory_order_release);
}

bool unwind_linked(const struct unwind_object *object, uint32_t most)
{
	struct object o = { .given = *object };
	struct found f = { .jump_count = 0 };

	if (atomic_flag_test_and_set(&busy))
		return true;
	objects_read_header(&o);
	look(&o, most, &f);
	keep(object->start, object->end, &f);
	atomic_flag_clear(&busy);
	return f.end != 0;
}

bool unwind_linked_known(uintptr_t address)
{
	bool has;

	/* If no more can be kept it is as if all were known. */
	return known(address, &has) || place() == UNWINDERS;
}

void unwind_linked_unloaded(void)
{
	static const struct found nothing;
	uint32_t n = atomic_load(&count);
	Dl_info info;

	/* Who holds it looks at another object, and is soon done. */
	for (int turns = 0; n && atomic_flag_test_and_set(&busy); turns++) {
		if (turns == PATIENCE)
			return;
		sys0(SYS_sched_yield);
	}
	for (uint32_t i = 0; i < n; i++)
		if (!is_free(&all[i]) && !dladdr((void *)get(&all[i].low), &info))
			write_code(&all[i], 0, 0, &nothing);
	if (n)
		atomic_flag_clear(&busy);
}
