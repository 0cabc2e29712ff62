#include "slot.h"
#include "sys.h"

#include <signal.h>
#include <stdatomic.h>

struct slot slots[SLOTS];
static _Atomic uint32_t used;

struct slot *slot_claim(int tid)
{
	uint32_t n = atomic_load(&used);

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct slot *s = &slots[i];
		int nobody = 0;

		if (atomic_load_explicit(&s->tid, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&s->tid, &nobody, tid))
			continue;
		while (n <= i && !atomic_compare_exchange_weak(&used, &n, i + 1))
			;
		return s;
	}
	return NULL;
}

struct slot *slot_own(void)
{
	int tid = (int)sys0(SYS_gettid);
	uint32_t n = atomic_load(&used), i = 0;

	while (i < n && atomic_load_explicit(&slots[i].tid, memory_order_relaxed) != tid)
		i++;
	return i < n ? &slots[i] : NULL;
}

void slot_hold(struct slot *s, uint64_t *mask)
{
	uint64_t all = UINT64_MAX;

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, mask, sizeof all);
	while (!slot_take(s))
		sys0(SYS_sched_yield);
}

void slot_unhold(struct slot *s, const uint64_t *mask)
{
	slot_give(s);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof *mask);
}

bool slot_take(struct slot *s)
{
	return !atomic_exchange(&s->busy, true);
}

void slot_give(struct slot *s)
{
	atomic_store(&s->busy, false);
	if (atomic_exchange(&s->ticked, false))
		slot_next(s);
}

void slot_next(struct slot *s)
{
	if (!slot_take(s)) {
		atomic_store(&s->ticked, true);
		if (!slot_take(s))
			return;
		atomic_store(&s->ticked, false);
	}
	ticker_next(&s->ticker, atomic_load(&s->tid), slot_number(s));
	slot_give(s);
}

void slot_each(void (*f)(struct slot *))
{
	uint32_t n = atomic_load(&used);
	uint64_t mask;

	for (uint32_t i = 0; i < n; i++) {
		if (!atomic_load(&slots[i].tid))
			continue;
		slot_hold(&slots[i], &mask);
		if (atomic_load(&slots[i].tid))
			f(&slots[i]);
		slot_unhold(&slots[i], &mask);
	}
}

uint32_t slot_forget(void)
{
	uint32_t n = atomic_load(&used);

	for (uint32_t i = 0; i < n; i++) {
		ticker_forget(&slots[i].ticker);
		slots[i] = (struct slot){ .ticker = slots[i].ticker };
	}
	atomic_store(&used, 0);
	return n;
}
