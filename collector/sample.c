#include "sample.h"
#include "calls.h"
#include "clock.h"
#include "contexts.h"
#include "object.h"
#include "options.h"
#include "pace.h"
#include "rundir.h"
#include "store.h"
#include "sys.h"
#include "unwind/machine.h"

#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/auxv.h>

static _Atomic bool off;
static _Atomic bool slow;

bool sample_take_slow(void)
{
	/* Others make way in some 100 µs, unless they don't get a CPU. */
	for (int i = 0; i < 64; i++) {
		if (!atomic_exchange_explicit(&slow, true, memory_order_acquire))
			return true;
		sys0(SYS_sched_yield);
	}
	return false;
}

void sample_release_slow(void)
{
	atomic_store_explicit(&slow, false, memory_order_release);
}

static bool ready(const struct place *p)
{
	return p->object && p->placed && atomic_load_explicit(&p->object->state, memory_order_acquire) == FILE_OPEN;
}

/* Samples whose object has no file yet, or is not known. */
static void sample_slowly(uintptr_t pc, uint64_t n)
{
	struct place p;

	pace_heavy();
	if (!sample_take_slow()) {
		p = object_at(pc);
		if (ready(&p))
			store_add(p.object, pc - p.bias, n);
		else
			store_lost(NULL, n);
		return;
	}
	p = object_find(pc);
	if (p.object && atomic_load(&p.object->state) == FILE_NONE)
		store_open(p.object, p.bias);
	rundir_tell_notes();
	sample_release_slow();
	if (ready(&p))
		store_add(p.object, pc - p.bias, n);
	else
		store_lost(NULL, n);
}

/* What the unwinder knows is not all that is there. */
static void prepare_paths(uint32_t resource, uintptr_t pc)
{
	uint64_t began;

	pace_heavy();
	if (!sample_take_slow())
		return;
	began = sys_time(CLOCK_THREAD_CPUTIME_ID);
	contexts_prepare(resource, pc);
	rundir_tell_notes();
	/* This can take as long as a period, and is none of the program's time. */
	run.unsampled += sys_time(CLOCK_THREAD_CPUTIME_ID) - began;
	sample_release_slow();
}

/*
 * How many looks at the thread a tick is. A tick that waited while another one's handler was at work finds the thread
 * where that did: both are one.
 */
static uint32_t looks(const ucontext_t *context, bool in_kernel)
{
	static __thread struct {
		uintptr_t pc, sp;
		bool in_kernel;
	} last __attribute__((tls_model("initial-exec")));
	uintptr_t pc = context_pc(context), sp = (uintptr_t)machine_context(context, MACHINE_SP);
	bool same = pc == last.pc && sp == last.sp && in_kernel != last.in_kernel;

	last.pc = pc;
	last.sp = sp;
	last.in_kernel = in_kernel;
	return !same;
}

void sample_path(uint32_t resource, const ucontext_t *context, uint64_t hits, uint64_t looks)
{
	if (atomic_load_explicit(&off, memory_order_relaxed))
		return;
	if (!contexts_ready(resource) || object_stale())
		prepare_paths(resource, context_pc(context));
	calls_add(resource, context, hits, looks, prepare_paths);
}

/* Samples that were not taken, of an object if it is known. */
static void lose(struct object *o, uint64_t n)
{
	if (options.paths)
		contexts_lost(options_clock(), n);
	else
		store_lost(o, n);
}

/* Counts where the program was; the object, if it was known. */
static struct object *sample(const ucontext_t *context, const struct tick *tick)
{
	uint64_t n = tick->hits;
	uintptr_t pc = context_pc(context);
	struct place p;

	if (options.paths) {
		sample_path(options_clock(), context, n, looks(context, tick->in_kernel));
		return NULL;
	}
	p = object_at(pc);
	if (ready(&p) && !object_stale())
		store_add(p.object, pc - p.bias, n);
	else
		sample_slowly(pc, n);
	return p.object;
}

/*
 * Whether a pc is in libpct.so: what the library takes itself is no time of the program. (Linked in, it can't be
 * told from the program.)
 */
static bool is_ours(uintptr_t pc)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden"))), etext[] __attribute__((visibility("hidden")));

	return clock_of_each_thread() && pc - (uintptr_t)__ehdr_start < (uintptr_t)etext - (uintptr_t)__ehdr_start;
}

void sample_tick(const ucontext_t *context, const struct tick *tick)
{
	if (!tick->hits || atomic_load_explicit(&off, memory_order_relaxed))
		return;
	/* Those that were due before may have been the program's. */
	if (is_ours(context_pc(context))) {
		lose(NULL, tick->hits - 1 + tick->lost);
		return;
	}
	if (!pace_begin()) {
		lose(NULL, tick->hits + tick->lost);
		return;
	}
	lose(sample(context, tick), tick->lost);
	pace_end();
}

void sample_start(uint64_t n)
{
	const ElfW(Ehdr) *linker = (const void *)getauxval(AT_BASE);
	uintptr_t pc = linker ? (uintptr_t)linker + linker->e_entry : (uintptr_t)getauxval(AT_ENTRY);
	uint64_t all = UINT64_MAX, mask;

	/* As in a handler: a tick of this thread's own would not get the slow lock. */
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof all);
	if (options.paths) {
		prepare_paths(options_clock(), pc);
		calls_add_start(options_clock(), pc, n);
	} else {
		sample_slowly(pc, n);
	}
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

void sample_off(bool now)
{
	atomic_store(&off, now);
}

void sample_forget(void)
{
	atomic_store(&slow, false);
}
