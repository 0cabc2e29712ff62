#include "sample.h"
#include "followed.h"
#include "options.h"
#include "pace.h"
#include "sys.h"

#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/auxv.h>

static const struct sink *sink;
static uint32_t clock_resource;
static _Atomic bool off;

void sample_into(const struct sink *s)
{
	clock_resource = options_clock();
	sink = s;
}

/*
 * Whether a pc is in libpct.so: what the library takes itself is no time of the program. (Linked
 * in, it can't be told from the program.)
 */
static bool is_ours(uintptr_t pc)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden"))), etext[] __attribute__((visibility("hidden")));

	return threads_are_followed() && pc - (uintptr_t)__ehdr_start < (uintptr_t)etext - (uintptr_t)__ehdr_start;
}

void sample_tick(const ucontext_t *context, const struct tick *tick)
{
	const struct sample s = {
		.resource = clock_resource,
		.hits = tick->hits,
		.lost = tick->lost,
		.of_clock = true,
		.in_kernel = tick->in_kernel,
	};

	if (!tick->hits || atomic_load_explicit(&off, memory_order_relaxed))
		return;
	/* Those that were due before may have been the program's. */
	if (is_ours(context_pc(context))) {
		sink->lose(clock_resource, tick->hits - 1 + tick->lost);
		return;
	}
	if (!pace_begin()) {
		sink->lose(clock_resource, tick->hits + tick->lost);
		return;
	}
	sink->add(context, &s);
	pace_end();
}

void sample_consumed(uint32_t resource, const ucontext_t *context, uint64_t hits)
{
	if (!atomic_load_explicit(&off, memory_order_relaxed))
		sink->add(context, &(struct sample){ .resource = resource, .hits = hits });
}

void sample_start(uint64_t n)
{
	const ElfW(Ehdr) *linker = (const void *)getauxval(AT_BASE);
	uintptr_t pc = linker ? (uintptr_t)linker + linker->e_entry : (uintptr_t)getauxval(AT_ENTRY);
	uint64_t all = UINT64_MAX, mask;

	/* As in a handler: a tick of this thread's own would not get the slow lock. */
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof all);
	sink->add_start(clock_resource, pc, n);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

void sample_thread_ends(void)
{
	sink->thread_ends();
}

uint64_t sample_faults(void)
{
	return sink->pages();
}

void sample_off(bool now)
{
	atomic_store(&off, now);
}
