#include "fpe.h"
#include "note.h"
#include "options.h"

#if defined __x86_64__

#include "interval.h"
#include "run.h"
#include "sample.h"
#include "sys.h"

#include <stdatomic.h>

/* Of MXCSR: the flags, and by how much the masks are further up. */
enum { FLAGS = 0x3f, MASKS_SHIFT = 7, UNDERFLOW = 16 };
enum { TRAP_FLAG = 0x100, SIMD_EXCEPTION = 19, NO_REASON = 1 /* TRAP_BRKPT */, SINGLE_STEP = 2 /* TRAP_TRACE */ };

static uint32_t wanted; /* the flags of what is measured */
static _Atomic bool on;

static __thread struct {
	bool theirs;      /* the program unmasks what it wants itself */
	bool stepping;    /* between the two traps */
	bool underflowed; /* the flag was raised by an instruction, not by a trap alone */
	uint32_t before;  /* while it steps: the flags raised before, and the masks */
	uintptr_t pc;
	struct interval timers[RESOURCES_MOST];
} mine __attribute__((tls_model("initial-exec")));

static uint32_t get(void)
{
	uint32_t v;

	__asm__ volatile("stmxcsr %0" : "=m"(v));
	return v;
}

static void set(uint32_t v)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(v));
}

static uint64_t start(signals_handler *handler)
{
	for (uint32_t i = 0; i < options.resource_count; i++)
		if (options.resources[i].kind->source == RESOURCE_FPE)
			wanted |= options.resources[i].kind->which;
	if (!wanted)
		return 0;
	if (signals_traced() || !signals_free(SIGFPE) || (!signals_free(SIGTRAP) && !signals_ours(SIGTRAP))) {
		note_post(NOTE_FPE_SIGNALS);
		return 0;
	}
	if (!signals_take(SIGFPE, handler) || !signals_take(SIGTRAP, handler)) {
		note_post(NOTE_FPE_SIGNALS);
		return 0;
	}
	atomic_store(&on, true);
	return 0;
}

static bool active(void)
{
	return atomic_load_explicit(&on, memory_order_relaxed);
}

void fpe_before_thread(void)
{
	/* A thread begins with the masks of the one that made it. */
	if (wanted && !active() && !mine.theirs)
		set(get() | wanted << MASKS_SHIFT);
}

void fpe_thread(void)
{
	if (!active()) {
		mine.theirs = true;
		return;
	}
	set(get() & ~(wanted << MASKS_SHIFT));
}

bool fpe_needs(int signal)
{
	return active() && (signal == SIGFPE || signal == SIGTRAP);
}

static void stop(enum note why)
{
	if (!atomic_exchange(&on, false))
		return;
	note_post(why);
	set(get() | wanted << MASKS_SHIFT);
}

void fpe_held(ucontext_t *context)
{
	uint32_t *mxcsr = &context->uc_mcontext.fpregs->mxcsr;

	stop(NOTE_FPE_SIGNALS);
	/* Between the two traps all are masked. */
	if (mine.stepping) {
		*mxcsr = (*mxcsr & ~(uint32_t)(FLAGS << MASKS_SHIFT)) | mine.before;
		context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		mine.stepping = false;
	}
	*mxcsr |= wanted << MASKS_SHIFT;
}

void fpe_stop(void)
{
	stop(NOTE_FPE_SIGNALS);
}

void fpe_yield(void)
{
	stop(NOTE_FPE_MASKS);
	if (wanted && !mine.theirs)
		set(get() | wanted << MASKS_SHIFT);
	mine.theirs = true;
}

void fpe_environment(void)
{
	uint32_t v = get();

	mine.underflowed = v & UNDERFLOW;
	if (active() && !mine.theirs)
		set(v & ~(wanted << MASKS_SHIFT));
}

int fpe_hidden(void)
{
	return active() && !mine.theirs ? (int)wanted : 0;
}

/* An exception that was unmasked. */
static bool raised(ucontext_t *context)
{
	uint32_t *mxcsr = &context->uc_mcontext.fpregs->mxcsr, v = *mxcsr, unmasked = v & ~(v >> MASKS_SHIFT) & FLAGS;

	if (context->uc_mcontext.gregs[REG_TRAPNO] != SIMD_EXCEPTION || mine.theirs || !unmasked || unmasked & ~wanted)
		return false;
	/* A thread that could not be told yet, or a child that is not sampled. */
	if (!active() || !run_mine()) {
		*mxcsr = v | wanted << MASKS_SHIFT;
		return true;
	}
	mine.stepping = true;
	mine.pc = context_pc(context);
	mine.before = v & (FLAGS | FLAGS << MASKS_SHIFT);
	/* A tiny result is trapped even if it is exact, which raises nothing when it's masked. */
	if (unmasked & UNDERFLOW && !mine.underflowed)
		mine.before &= ~(uint32_t)UNDERFLOW;
	*mxcsr = (v | FLAGS << MASKS_SHIFT) & ~(uint32_t)FLAGS;
	context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	return true;
}

/* The instruction was executed. The context is at the next one. */
static void count(ucontext_t *context, uint32_t flags)
{
	greg_t pc = context->uc_mcontext.gregs[REG_RIP];

	context->uc_mcontext.gregs[REG_RIP] = (greg_t)mine.pc;
	for (uint32_t i = 0; i < options.resource_count; i++) {
		const struct resource *r = &options.resources[i];
		struct interval *t = &mine.timers[i];
		int n = r->kind->source == RESOURCE_FPE ? __builtin_popcount(flags & r->kind->which) : 0;
		uint64_t hits = n && interval_consume(t, (uint64_t)n) ?
					interval_hits(t, r->interval, sys_time(CLOCK_MONOTONIC)) : 0;

		if (hits)
			sample_consumed(i, context, hits);
	}
	context->uc_mcontext.gregs[REG_RIP] = pc;
}

static void stepped(ucontext_t *context)
{
	uint32_t *mxcsr = &context->uc_mcontext.fpregs->mxcsr, flags = *mxcsr & FLAGS;

	mine.stepping = false;
	mine.underflowed |= (flags & UNDERFLOW) != 0;
	*mxcsr = (*mxcsr & ~(uint32_t)(FLAGS << MASKS_SHIFT)) | mine.before;
	context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	if (active())
		count(context, flags);
	else
		*mxcsr |= wanted << MASKS_SHIFT;
}

static bool take(int signal, siginfo_t *info, ucontext_t *context)
{
	if (signal == SIGFPE && info->si_code > 0)
		return raised(context);
	/* On some virtual machines the processor does not say that it trapped for a step. */
	if (signal != SIGTRAP || (info->si_code != SINGLE_STEP && info->si_code != NO_REASON) || !mine.stepping)
		return false;
	stepped(context);
	return true;
}

#else

static uint64_t start(signals_handler *handler)
{
	(void)handler;
	for (uint32_t i = 0; i < options.resource_count; i++)
		if (options.resources[i].kind->source == RESOURCE_FPE)
			note_post(NOTE_FPE_NONE);
	return 0;
}

void fpe_before_thread(void)
{
}

void fpe_thread(void)
{
}

static bool take(int signal, siginfo_t *info, ucontext_t *context)
{
	(void)signal;
	(void)info;
	(void)context;
	return false;
}

bool fpe_needs(int signal)
{
	(void)signal;
	return false;
}

void fpe_held(ucontext_t *context)
{
	(void)context;
}

void fpe_stop(void)
{
}

void fpe_yield(void)
{
}

void fpe_environment(void)
{
}

int fpe_hidden(void)
{
	return 0;
}

#endif

/* What keeps it from measuring is noted when it happens. */
static void check(void)
{
}

const struct source fpe_source = { .start = start, .signal = take, .check = check, .end = fpe_stop };
