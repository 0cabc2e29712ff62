#include "slow.h"
#include "sys.h"

#include <signal.h>
#include <stdatomic.h>

static _Atomic bool slow;

bool slow_take(void)
{
	/* Others make way in some 100 µs, unless they don't get a CPU. */
	for (int i = 0; i < 64; i++) {
		if (!atomic_exchange_explicit(&slow, true, memory_order_acquire))
			return true;
		sys0(SYS_sched_yield);
	}
	return false;
}

void slow_release(void)
{
	atomic_store_explicit(&slow, false, memory_order_release);
}

bool slow_take_blocked(uint64_t *mask)
{
	uint64_t all = UINT64_MAX;

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, mask, sizeof all);
	if (slow_take())
		return true;
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof all);
	return false;
}

void slow_release_blocked(const uint64_t *mask)
{
	slow_release();
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof *mask);
}

void slow_forget(void)
{
	atomic_store(&slow, false);
}
