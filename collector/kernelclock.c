#include "kernelclock.h"
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
	k->live = timer_make(&k->timer, timer_account(tid, ACCOUNT_TICKS), signal, tid, (uint32_t)slot);
	if (!k->live)
		return false;
	k->owed = 0;
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

struct tick kernelclock_tick(struct kernelclock *k, int tid)
{
	uint64_t used = sys_time(timer_account(tid, ACCOUNT_CPU)), user = sys_time(timer_account(tid, ACCOUNT_USER));
	int64_t period = (int64_t)run.period, most = (int64_t)(TICKS_UNSEEN * ticking.tick);
	bool in_kernel = user == k->user;
	struct tick t = { .in_kernel = true };

	k->owed += (int64_t)(used - k->used);
	k->used = used;
	k->user = user;
	if (!k->live || !in_kernel || k->owed < period)
		return t;
	t.hits = (uint64_t)((k->owed < most ? k->owed : most) / period);
	t.lost = (uint64_t)(k->owed / period) - t.hits;
	k->owed %= period;
	return t;
}
