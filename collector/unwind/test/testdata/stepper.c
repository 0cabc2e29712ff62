/*
 * A library that is preloaded: from the program's int3 to its next one it executes the
 * program an instruction at a time, and compares the unwinder's path at each with the calls
 * and returns that were executed. At the end it tells of it on standard output:
 *
 *   steps N wrong N installing N landed N guessed N partial N
 *
 * installing counts instructions at which libgcc is about to go to a handler of an exception, and
 * those of longjmp. Of the former the path must lead to the frame, and its registers be those, in
 * which the handler is then entered: landed counts these. $STEPPER has letters: w reads all stacks by
 * system calls, g all call frame information; f forgets each path, so that none is joined;
 * d counts paths that do not reach the outermost frame as partial, not as wrong; s makes steps in the vdso slow.
 */
#include "../../unwind.h"
#include "loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TF = 0x100, FRAMES = 4096, SHOWN = 5 };

struct call {
	uint64_t ra, slot; /* slot: where on the stack the return address stands */
	uint64_t sp;       /* exact: a signal interrupted ra, with this stack pointer */
	bool exact, handler;
};

static struct call calls[FRAMES]; /* the outermost first */
static int depth;
static bool active, fresh;
static uint64_t last_pc, last_sp;
static long steps, wrong, installing, landed, guessed, partial;
static struct unwind_thread *thread;
static const char *mode = "";
static struct unwind_frame landing; /* where the path before says that a handler will be entered; pc 0: nowhere */

static uint64_t word(uint64_t at)
{
	return *(const uint64_t *)at;
}

/* A signal handler of the program begins: its frame is not stepped into. */
__attribute__((visibility("default"))) void stepper_signal(ucontext_t *u)
{
	uint64_t slot = (uint64_t)u - 8;

	calls[depth++] = (struct call){ .ra = (uint64_t)u->uc_mcontext.gregs[REG_RIP], .exact = true, .sp = (uint64_t)u->uc_mcontext.gregs[REG_RSP] };
	calls[depth++] = (struct call){ .ra = word(slot), .slot = slot, .handler = true };
	fresh = true;
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

/* Brings the calls up to date after a step. */
static void stepped(uint64_t pc, uint64_t sp)
{
	struct call *top = depth ? &calls[depth - 1] : NULL;

	if (top && top->exact) {
		/* After sigreturn one instruction has been executed already. */
		if (pc - top->ra < 16 && sp + 64 - top->sp < 128)
			depth--;
		return;
	}
	if (sp == last_sp - 8) {
		uint64_t ra = word(sp);

		if (ra > last_pc && ra <= last_pc + 8 && pc != ra) {
			calls[depth++] = (struct call){ .ra = ra, .slot = sp };
			return;
		}
	}
	/* By return, longjmp or exception. */
	while (depth && !calls[depth - 1].exact && calls[depth - 1].slot < sp && calls[depth - 1].slot >= last_sp - 8)
		depth--;
}

static bool equal(const struct unwind_path *p, uint64_t pc)
{
	if (p->end != UNWIND_COMPLETE || (int)p->count != depth + 1)
		return false;
	for (int i = 0; i < depth; i++) {
		const struct unwind_frame *f = &p->frames[i];

		if (f->pc != calls[i].ra || !!(f->flags & UNWIND_EXACT) != (calls[i].exact || calls[i].handler))
			return false;
		if (!calls[i].exact && f->sp != calls[i].slot + 8)
			return false;
	}
	return p->frames[depth].pc == pc;
}

static void show(const struct unwind_path *p)
{
	Dl_info d;

	fprintf(stderr, "step %ld, end %d\n", steps, p->end);
	for (int i = (int)p->count - 1; i >= 0; i--) {
		const struct unwind_frame *f = &p->frames[i];
		bool known = dladdr((void *)f->pc, &d);

		fprintf(stderr, "\t%#lx sp %#lx flags %d %s %s+%#lx\n", (long)f->pc, (long)f->sp, f->flags, known ? d.dli_fname : "?",
			known && d.dli_sname ? d.dli_sname : "?", known ? (long)(f->pc - (uint64_t)(d.dli_saddr ? d.dli_saddr : d.dli_fbase)) : 0);
	}
	fprintf(stderr, "want\n");
	for (int i = depth - 1; i >= 0; i--)
		fprintf(stderr, "\t%#lx slot %#lx\n", (long)calls[i].ra, (long)calls[i].slot);
}

/* In longjmp the information is that of the function which it goes to. */
static bool jumps(const struct unwind_path *p)
{
	uint32_t outer = p->count - 2;

	if (p->end != UNWIND_COMPLETE || p->count < 3 || (int)outer > depth || p->frames[p->count - 1].flags & UNWIND_SIMPLE)
		return false;
	for (uint32_t i = 0; i < outer; i++)
		if (p->frames[i].pc != calls[i].ra)
			return false;
	return true;
}

/* Whether a path leads from the function that goes to a handler to the handler's frame, and all else of it is right. */
static bool installs(const struct unwind_path *p)
{
	uint32_t at = p->count - 1, inner;

	while (at > 1 && (p->frames[at].flags & UNWIND_SIGNAL || !(p->frames[at - 1].flags & UNWIND_EXACT)))
		at--;
	inner = p->count - 1 - at;
	if (p->end != UNWIND_COMPLETE || at < 2 || (int)inner > depth)
		return false;
	for (uint32_t i = 0; i + 1 < at; i++)
		if (p->frames[i].pc != calls[i].ra || p->frames[i].sp != calls[i].slot + 8)
			return false;
	for (uint32_t i = 0; i < inner; i++)
		if (p->frames[at + i].pc != calls[(uint32_t)depth - inner + i].ra)
			return false;
	landing = p->frames[at - 1];
	return true;
}

/* Whether a handler is entered as the paths before said. */
static bool lands(const ucontext_t *u, uint64_t pc)
{
	struct unwind_frame f = landing;

	if (!f.pc)
		return true;
	landing.pc = 0;
	landed++;
	return f.pc == pc && f.sp == (uint64_t)u->uc_mcontext.gregs[REG_RSP] && f.fp == (uint64_t)u->uc_mcontext.gregs[REG_RBP];
}

static void check(const ucontext_t *u, uint64_t pc)
{
	struct unwind_path p;

	steps++;
	if (strchr(mode, 'f'))
		thread = memset(thread, 0, 4096), thread = unwind_thread_make(thread, FRAMES, false);
	unwind_path(thread, u, &p);
	if (p.unknown) { /* what the collector does from the memory map */
		unwind_done(thread);
		load_objects();
		unwind_path(thread, u, &p);
	}
	guessed += p.guessed;
	if (equal(&p, pc)) {
		if (!lands(u, pc) && wrong++ < SHOWN)
			show(&p);
	} else if (installs(&p) || jumps(&p)) {
		installing++;
	} else if (p.end != UNWIND_COMPLETE && strchr(mode, 'd')) {
		partial++;
	} else if (wrong++ < SHOWN) {
		show(&p);
	}
	unwind_done(thread);
}

static bool in_vdso(uint64_t pc)
{
	const ElfW(Ehdr) *vdso = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);

	return vdso && pc - (uint64_t)vdso < ((const ElfW(Phdr) *)((const char *)vdso + vdso->e_phoff))->p_memsz;
}

/*
 * The vdso reads the clock anew if that has ticked meanwhile, which it always has if steps are slow: then its
 * clock_gettime is left as if it had called the kernel.
 */
static void leave_vdso(greg_t *now)
{
	enum { MOST = 300 };
	static gregset_t entered;
	static int n;

	if (!in_vdso((uint64_t)now[REG_RIP])) {
		n = 0;
	} else if (n++ == 0) {
		memcpy(entered, now, sizeof entered);
	} else if (n > MOST) {
		memcpy(now, entered, sizeof entered);
		now[REG_RAX] = syscall(SYS_clock_gettime, now[REG_RDI], now[REG_RSI]);
		now[REG_RIP] = (greg_t)word((uint64_t)now[REG_RSP]);
		now[REG_RSP] += 8;
		n = 0;
	}
}

static void delay(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 400000);
}

/* Where the stepping begins: what is known there of the calls before is the unwinder's word. */
static void begin(const ucontext_t *u)
{
	struct unwind_path p;

	unwind_path(thread, u, &p);
	for (depth = 0; depth < (int)p.count - 1; depth++)
		calls[depth] = (struct call){ .ra = p.frames[depth].pc, .slot = p.frames[depth].sp - 8 };
	if (p.end != UNWIND_COMPLETE || p.count < 4) {
		show(&p);
		wrong++;
	}
	unwind_done(thread);
	active = true;
}

static void report(void)
{
	printf("steps %ld wrong %ld installing %ld landed %ld guessed %ld partial %ld\n", steps, wrong, installing, landed, guessed, partial);
	fflush(stdout);
}

static void trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	greg_t *flags = &u->uc_mcontext.gregs[REG_EFL];
	uint64_t pc, sp;
	bool int3;

	(void)sig;
	/* A step is TRAP_TRACE, or TRAP_BRKPT on virtual machines that lose why the processor trapped. */
	int3 = info->si_code == SI_KERNEL;
	if (!int3)
		leave_vdso(u->uc_mcontext.gregs);
	pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
	sp = (uint64_t)u->uc_mcontext.gregs[REG_RSP];
	if (int3) {
		if (!active) {
			begin(u);
			*flags |= TF;
		} else {
			active = false;
			*flags &= ~(greg_t)TF;
			report();
		}
		last_pc = pc;
		last_sp = sp;
		return;
	}
	if (!fresh)
		stepped(pc, sp);
	fresh = false;
	last_pc = pc;
	last_sp = sp;
	check(u, pc);
	if (strchr(mode, 's') && in_vdso(pc))
		delay();
}

__attribute__((constructor)) static void start(void)
{
	size_t size = unwind_thread_size(FRAMES, false);
	struct sigaction action = { .sa_sigaction = trap, .sa_flags = SA_SIGINFO };
	uintptr_t low, high;

	if (getenv("STEPPER"))
		mode = getenv("STEPPER");
	all_fleeting = strchr(mode, 'g');
	thread = unwind_thread_make(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), FRAMES, false);
	if (!unwind_start() || !load_objects() || !unwind_find_stack((uintptr_t)&size, &low, &high))
		abort();
	if (!strchr(mode, 'w'))
		unwind_thread_stack(thread, low, high);
	sigfillset(&action.sa_mask);
	sigaction(SIGTRAP, &action, NULL);
}
