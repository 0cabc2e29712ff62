#include "kernelclock.h"
#include "options.h"
#include "run.h"
#include "ticker.h"
#include "timer.h"

bool kernelclock_start(struct kernelclock *k, int tid, int slot, int signal)
{
	/* Whatever a tick adds to the account is more than that: each one is told of. */
	enum { LITTLE = 1000 };
	struct itimerspec when = { .it_value = timer_spec(LITTLE), .it_interval = timer_spec(LITTLE) };

	if (k->live)
		return true;
	*k = (struct kernelclock){ 0 };
	k->live = timer_make(&k->timer, timer_account(tid, ACCOUNT_TICKS), signal, tid, (uint32_t)slot);
	if (!k->live)
		return false;
	k->used = sys_time(timer_account(tid, ACCOUNT_CPU));
	k->user = sys_time(timer_account(tid, ACCOUNT_USER));
	sys4(SYS_timer_settime, k->timer, 0, &when, NULL);
	return true;
}

void kernelclock_stop(struct kernelclock *k)
{
	if (k->live)
		sys1(SYS_timer_delete, k->timer);
	k->live = false;
}

/*
 * Whether the event is due while a tick is delivered, before its handler reads the clock or after.
 */
static bool due(const struct kernelclock *k)
{
	enum { DELIVERY = 50000 /* ns, at most */ };
	uint64_t near = run.period / 4 < DELIVERY ? run.period / 4 : DELIVERY, since = k->used - k->sampled;

	return k->sampled && !options.random && since > near && (since + near) % run.period <= 2 * near;
}

/* The event's sample is taken. */
static void sample(struct kernelclock *k, uint64_t used, bool stood_in)
{
	k->owed -= (int64_t)run.period;
	k->sampled = used;
	k->stood_in = stood_in;
}

struct tick kernelclock_event(struct kernelclock *k, uint64_t used)
{
	if (k->stood_in && used - k->sampled < run.period / 2) {
		k->stood_in = false;
		return (struct tick){ 0 };
	}
	sample(k, used, false);
	return (struct tick){ .hits = 1 };
}

struct tick kernelclock_tick(struct kernelclock *k, uint64_t used, uint64_t user)
{
	int64_t period = (int64_t)run.period, most = (int64_t)(TICKS_UNSEEN * ticking.tick);
	bool in_kernel = user == k->user;
	struct tick t = { .in_kernel = in_kernel };

	k->owed += (int64_t)(used - k->used);
	k->used = used;
	k->user = user;
	if (!in_kernel && due(k)) {
		sample(k, used, true);
		t.hits = 1;
	} else if (in_kernel && k->owed >= period) {
		t.hits = (uint64_t)((k->owed < most ? k->owed : most) / period);
		t.lost = (uint64_t)(k->owed / period) - t.hits;
		k->owed %= period;
	}
	return t;
}
