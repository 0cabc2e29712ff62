#ifdef __x86_64__

/* The stub leaves the other registers as they are. */
#pragma GCC target("general-regs-only")

#include "trampoline.h"
#include "linked.h"
#include "peculiar.h"
#include "thread.h"
#include "../sys.h"

#include <dlfcn.h>

enum {
	MARKS = 8192,
	FRAMES_TRIED = 64,
	SHADOW_STACK_STATUS = 0x5005
};

struct mark trampoline_marks[MARKS] __attribute__((visibility("hidden")));
_Atomic uint32_t trampoline_marks_used __attribute__((visibility("hidden")));
_Static_assert(sizeof(struct mark) == TRAMPOLINE_MARK_SIZE && offsetof(struct mark, original) == 8, "as stub.c has it");

__thread struct mark *trampoline_mine __attribute__((visibility("hidden"), tls_model("initial-exec")));

#define IN_STUB __attribute__((section("pct_trampoline"), noinline))

uint64_t trampoline_return(uintptr_t slot) __attribute__((visibility("hidden")));

static inline uint64_t stub(void)
{
	return (uintptr_t)trampoline_stub;
}

static inline uintptr_t slot_of(const struct unwind_frame *outer)
{
	return outer->sp - 8;
}

static inline uint64_t *word(uintptr_t slot)
{
	return (uint64_t *)slot;
}

/* Whether a frame's return address may be replaced, given the frame that it returns to. */
static inline bool markable(const struct unwind_frame *f, const struct unwind_frame *outer)
{
	return (f->flags & (UNWIND_SIMPLE | UNWIND_GUESS | UNWIND_SIGNAL)) == UNWIND_SIMPLE && f->ra_slot == -1 &&
	       !(outer->flags & (UNWIND_GUESS | UNWIND_SIGNAL | UNWIND_EXACT)) && outer->sp % 8 == 0 && slot_of(outer) >= f->sp;
}

/*
 * Marks the innermost of the known frames from `from` out to `to` that can be marked. The slot is told
 * before it is changed, since the program's handlers may leave the stub for ever anywhere.
 */
static inline __attribute__((always_inline)) bool set(struct mark *m, uint32_t from, uint32_t to)
{
	const struct unwind_frame *known = m->thread->known;

	for (uint32_t i = from; i > 0 && i >= to && from - i < FRAMES_TRIED; i--) {
		const struct unwind_frame *outer = &known[i - 1];

		if (!markable(&known[i], outer) || *word(slot_of(outer)) != outer->pc)
			continue;
		atomic_store_explicit(&m->original, outer->pc, memory_order_relaxed);
		m->pc = unwind_address(&known[i]);
		m->at = i;
		atomic_store_explicit(&m->slot, slot_of(outer), memory_order_release);
		atomic_signal_fence(memory_order_seq_cst);
		*(volatile uint64_t *)word(slot_of(outer)) = stub();
		return true;
	}
	return false;
}

/* The mark at a slot, of whatever thread; NULL if there is none. */
static inline __attribute__((always_inline)) struct mark *find(uintptr_t slot, uint64_t *original)
{
	uint32_t n = atomic_load(&trampoline_marks_used);

	for (uint32_t i = 0; i < n; i++) {
		if (atomic_load(&trampoline_marks[i].slot) != slot)
			continue;
		*original = atomic_load(&trampoline_marks[i].original);
		if (atomic_load(&trampoline_marks[i].slot) == slot)
			return &trampoline_marks[i];
	}
	return NULL;
}

/*
 * What a return address was that the mark of this thread is not at: a stack that another thread left,
 * or one from which the mark has just been taken, or a function that returned twice.
 */
static IN_STUB uint64_t original_elsewhere(uintptr_t slot)
{
	struct mark *m;
	uint64_t original;
	uintptr_t expected = slot;

	m = find(slot, &original);
	if (m) {
		atomic_compare_exchange_strong(&m->slot, &expected, 0);
		return original;
	}
	original = *(volatile uint64_t *)word(slot);
	if (original != stub())
		return original;
	m = trampoline_mine;
	for (uint32_t i = 0; m && i < m->thread->known_count; i++)
		if (slot_of(&m->thread->known[i]) == slot)
			return m->thread->known[i].pc;
	__builtin_trap();
}

/* The frame that returns through a slot has returned: where to. */
IN_STUB uint64_t trampoline_return(uintptr_t slot)
{
	struct mark *m = trampoline_mine;
	uintptr_t busy;
	uint64_t original;
	uint32_t at;

	if (!m)
		return original_elsewhere(slot);
	/* Before all else: a handler that forks here leaves the mark to the child. */
	busy = m->busy;
	m->busy = slot;
	atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&m->slot, memory_order_relaxed) != slot) {
		m->busy = busy;
		return original_elsewhere(slot);
	}
	original = atomic_load_explicit(&m->original, memory_order_relaxed);
	at = m->at;
	m->live = at;
	atomic_store_explicit(&m->slot, 0, memory_order_relaxed);
	if (at > 1)
		set(m, at - 1, 1);
	atomic_signal_fence(memory_order_seq_cst);
	m->busy = 0;
	return original;
}

bool trampoline_original(uintptr_t slot, uint64_t *original)
{
	return find(slot, original) != NULL;
}

/* Gives a slot its return address back, if the stub's still stands there. */
static bool restore(uintptr_t slot, uint64_t original)
{
	uint64_t expected = stub();

	return __atomic_compare_exchange_n(word(slot), &expected, original, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool trampoline_take(struct mark *m)
{
	uintptr_t slot = m->slot;
	const struct memory *memory = &m->thread->memory;
	uint64_t there;

	if ((slot >= memory->own_low && slot < memory->own_high) || (memory_peek(slot, &there, sizeof there) && there == stub()))
		return restore(slot, m->original);
	return false;
}

void trampoline_clear(struct mark *m)
{
	if (!m->slot)
		return;
	trampoline_take(m);
	m->slot = 0;
}

bool unwind_counted(void)
{
	return trampoline_mine != NULL;
}

/* Whether an address is on the thread's own stack, not below sp. */
static bool on_own_stack(const struct mark *m, uintptr_t at, uintptr_t sp)
{
	return at >= sp && sp >= m->thread->memory.own_low && at < m->thread->memory.own_high;
}

bool trampoline_own_stack(uintptr_t sp, uintptr_t at)
{
	return trampoline_mine && on_own_stack(trampoline_mine, at, sp);
}

/* What unwind_landed does while no handler changes the mark. */
static void land(struct mark *m, uintptr_t sp)
{
	const struct unwind_frame *known = m->thread->known;
	uintptr_t slot = m->slot;
	uint32_t i = m->live;

	/* A mark that is on another stack is left to the next sample. */
	if (!on_own_stack(m, sp, sp) || (slot && !on_own_stack(m, slot, m->thread->memory.own_low)))
		return;
	do {
		if (i-- <= 1)
			return;
	} while (slot_of(&known[i - 1]) < sp);
	if (!on_own_stack(m, slot_of(&known[i - 1]), sp))
		return;
	m->live = i + 1;
	if (slot >= sp)
		return;
	if (slot)
		trampoline_clear(m);
	set(m, i, 1);
}

void unwind_landed(uintptr_t sp)
{
	struct mark *m = trampoline_mine;

	if (__builtin_expect(!m, 1))
		return;
	/* What is at work further out goes on: another mark would be lost. Further in, it does not go on any more. */
	if (m->busy >= sp)
		return;
	m->busy = (uintptr_t)__builtin_frame_address(0);
	atomic_signal_fence(memory_order_seq_cst);
	land(m, sp);
	atomic_signal_fence(memory_order_seq_cst);
	m->busy = 0;
}

enum unwind_counting unwind_count_start(void)
{
	uint64_t status = 0;

	if (sys2(SYS_arch_prctl, SHADOW_STACK_STATUS, &status) == 0 && status & 1)
		return UNWIND_SHADOW_STACK;
	/* OCaml's run-time system looks up return addresses of its own, and does not put up with others. */
	if (dlsym(RTLD_DEFAULT, "caml_frametable"))
		return UNWIND_OCAML;
	peculiar_find();
	return UNWIND_COUNTS;
}

bool unwind_count(struct unwind_thread *t)
{
	for (uint32_t i = 0; i < MARKS; i++) {
		bool taken = false;
		uint32_t used = atomic_load(&trampoline_marks_used);

		if (!atomic_compare_exchange_strong(&trampoline_marks[i].taken, &taken, true))
			continue;
		while (used <= i && !atomic_compare_exchange_weak(&trampoline_marks_used, &used, i + 1))
			;
		trampoline_marks[i].at = trampoline_marks[i].live = 0;
		trampoline_marks[i].thread = t;
		trampoline_marks[i].busy = 0;
		trampoline_mine = t->mark = &trampoline_marks[i];
		return true;
	}
	return false;
}

void unwind_count_ends(struct unwind_thread *t)
{
	struct mark *m = t->mark;

	if (!m)
		return;
	trampoline_clear(m);
	trampoline_mine = t->mark = NULL;
	atomic_store(&m->taken, false);
}

struct unwind_thread *unwind_count_forked(void)
{
	struct unwind_thread *at_work = NULL;
	uint32_t n = atomic_load(&trampoline_marks_used);

	for (uint32_t i = 0; i < n; i++) {
		struct mark *m = &trampoline_marks[i];

		if (!atomic_load(&m->taken))
			continue;
		if (m == trampoline_mine && m->busy) {
			at_work = m->thread;
			continue;
		}
		trampoline_clear(m);
		m->thread->mark = NULL;
		atomic_store(&m->taken, false);
	}
	if (!at_work)
		trampoline_mine = NULL;
	return at_work;
}

void unwind_mark(struct unwind_thread *t, const struct unwind_path *path)
{
	struct mark *m = t->mark;
	uint32_t from, to;
	uintptr_t old;
	uint64_t original;

	if (!m || path->end != UNWIND_COMPLETE || t->in_stub || m->busy)
		return;
	m->live = path->count;
	old = m->slot;
	original = m->original;
	to = old ? m->at + 1 : 1;
	from = path->count - 1;
	for (uint32_t i = to; i < path->count; i++)
		if (path->frames[i].flags & UNWIND_GUESS)
			return;
	for (uint32_t i = old ? m->at : 0; i < path->count; i++) {
		const struct unwind_object *o = unwind_object_at(t, unwind_address(&path->frames[i]));

		if (!o || o->unwinder || linked_holds(unwind_address(&path->frames[i])))
			return;
	}
	if (from && peculiar_holds(path->frames[from].pc))
		from--;
	if (from >= to && set(m, from, to) && old)
		restore(old, original);
}

#endif
