/*
 * A library that is preloaded, and does what the collector does: each thread is interrupted
 * every $SAMPLER_PERIOD ns (default 500,000) and its path is compared with what libgcc's
 * unwinder finds in the same handler. Standard error gets the first differences, standard
 * output at the end
 *
 *   samples N wrong N partial N guessed N frames N fresh N nodes N deepest N unknown N
 *
 * libgcc ends where it finds no call frame information: in crtstuff's functions, _init, and objects that
 * are being loaded. Of such a path the frames up to there are compared; unknown counts these.
 * A path with an object that has just been loaded is not compared, since libgcc may not know it.
 * A path with generated code, which libgcc cannot leave, is not compared; the program tells
 * of the functions that each such path must have by sampler_generated, else it is wrong.
 */
#include "../../machine.h"
#include "../../tree.h"
#include "loaded.h"
#include "nodes.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

enum { FRAMES = 16384, NODES = 1 << 20, SHOWN = 3 };

struct trace {
	uint64_t from;
	uint32_t count, most; /* frames, and how many are asked for */
	bool begun;
	uint64_t pcs[FRAMES];
};

static __thread struct unwind_thread *thread __attribute__((tls_model("initial-exec")));
static __thread struct trace *trace __attribute__((tls_model("initial-exec")));
static __thread timer_t timer __attribute__((tls_model("initial-exec")));
static __thread uint32_t root __attribute__((tls_model("initial-exec")));
static struct tree tree;
static _Atomic long wrong, unknown, deepest;
static long period = 500000;
static uintptr_t generated_start, generated_end;

/* Where the program's generated code is. */
__attribute__((visibility("default"))) void sampler_generated(uintptr_t start, uintptr_t end)
{
	generated_start = start;
	generated_end = end;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *to)
{
	struct trace *t = to;
	int interrupted = 0;
	uint64_t pc = _Unwind_GetIPInfo(c, &interrupted);

	/* What returns from our handler may be what was interrupted, too, at the end of another one. */
	if (!t->begun && pc == t->from && interrupted)
		t->begun = true;
	if (t->begun && pc && t->count < t->most)
		t->pcs[t->count++] = pc;
	return t->count < t->most ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/* How many of the innermost frames lead to libgcc's function that goes to a handler of an exception; 0: there is none. */
static uint32_t installing(const struct unwind_path *p)
{
	Dl_info d;

	for (uint32_t n = 1; n < 4 && n < p->count; n++) {
		const struct unwind_frame *f = &p->frames[p->count - n];

		if (f[-1].flags & UNWIND_EXACT && dladdr((void *)f->pc, &d) && d.dli_sname && !strncmp(d.dli_sname, "_Unwind_", 8))
			return n;
	}
	return 0;
}

/* libgcc's, which it looks in for a frame itself. */
struct dwarf_eh_bases {
	void *text, *data, *function;
};
const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *);

/* Whether libgcc has no call frame information for the frame of ours at which it ended, before us. */
static bool ended_early(const struct unwind_path *p)
{
	struct dwarf_eh_bases bases;

	return trace->count && trace->count < p->count &&
		!_Unwind_Find_FDE((void *)unwind_address(&p->frames[p->count - trace->count]), &bases);
}

static bool equal(const struct unwind_path *p)
{
	/* A path of ours that is partial is no shorter: _init has no call frame information. */
	bool whole = trace->count == (trace->most < FRAMES ? trace->most : p->count);

	if (p->end == UNWIND_COMPLETE && !whole) {
		if (!ended_early(p))
			return false;
		unknown++;
	}
	for (uint32_t i = 0; i < trace->count; i++)
		if (i >= p->count || p->frames[p->count - 1 - i].pc != trace->pcs[i])
			return false;
	return true;
}

static bool generated(const struct unwind_path *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->frames[i].pc - generated_start <= generated_end - generated_start)
			return generated_end;
	return false;
}

static void show(const struct unwind_path *p)
{
	fprintf(stderr, "end %d, %u frames, %u common, unknown %#lx, generated code at %#lx; libgcc %u\n", p->end, p->count, p->common, (long)p->unknown,
		(long)generated_start, trace->count);
	for (uint32_t i = 0; i < 12 && (i < p->count || i < trace->count); i++) {
		uint64_t ours = i < p->count ? p->frames[p->count - 1 - i].pc : 0, theirs = i < trace->count ? trace->pcs[i] : 0;
		Dl_info a, b;

		fprintf(stderr, "\t%#lx %s\t%#lx %s\n", (long)ours, dladdr((void *)ours, &a) && a.dli_sname ? a.dli_sname : "?", (long)theirs,
			dladdr((void *)theirs, &b) && b.dli_sname ? b.dli_sname : "?");
	}
}

static void sample(void *context)
{
	struct itimerspec next = { .it_value.tv_nsec = period };
	struct unwind_path p;
	bool found = false;

	unwind_path(thread, context, &p);
	if (p.unknown && !generated(&p)) {
		found = true; /* an object that libgcc may not know yet */
		unwind_done(thread);
		load_objects(); /* what the collector does from the memory map */
		unwind_path(thread, context, &p);
	}
	if (!generated(&p) && !found) {
		const ucontext_t *u = context;

		trace->from = machine_context(u, MACHINE_REGISTERS);
		trace->count = 0;
		trace->begun = false;
		/* From there on libgcc follows frames that are left for good, and may read at any address. */
		trace->most = installing(&p) ? installing(&p) : FRAMES;
		_Unwind_Backtrace(step, trace);
		if (!equal(&p) && wrong++ < SHOWN)
			show(&p);
	} else if (!found && p.end != UNWIND_COMPLETE && !p.guessed && wrong++ < SHOWN) {
		trace->count = 0;
		show(&p);
	}
	if (p.count > deepest)
		deepest = p.count;
	if (!tree_add(&tree, root, thread, &p, 1, 1))
		wrong++;
	unwind_done(thread);
	timer_settime(timer, 0, &next, NULL);
}

/* How many threads take a sample, and whether no more are to be taken: other threads run on when the program ends. */
static _Atomic int sampling;
static _Atomic bool over;

static void tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	sampling++;
	if (thread && !over)
		sample(context);
	sampling--;
}

static void fail(void)
{
	abort();
}

static bool wanted(void)
{
	return true;
}

#include "threads.h"

static void begin(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	struct itimerspec each = { .it_value.tv_nsec = period };
	struct unwind_thread *t = unwind_thread_make(reserve(unwind_thread_size(FRAMES, false)), FRAMES, false);
	uintptr_t low, high;

	trace = reserve(sizeof *trace);
	if (unwind_find_stack((uintptr_t)&low, &low, &high))
		unwind_thread_stack(t, low, high);
	root = tree_root(&tree, (uint64_t)syscall(SYS_gettid));
	thread = t;
	event._sigev_un._tid = (int)syscall(SYS_gettid);
	if (!root || timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &each, NULL))
		abort();
}

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* One change at a time, with the table up to date before and after. */
__attribute__((visibility("default"))) int dlclose(void *handle)
{
	static int (*real)(void *);
	int r;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "dlclose");
	pthread_mutex_lock(&loading);
	r = real(handle);
	while (!load_objects()) {}
	pthread_mutex_unlock(&loading);
	return r;
}

__attribute__((constructor)) static void start(void)
{
	struct sigaction action = { .sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct trace first = { .most = 1 };

	if (getenv("SAMPLER_PERIOD"))
		period = atol(getenv("SAMPLER_PERIOD"));
	_Unwind_Backtrace(step, &first); /* it allocates the first time */
	if (!unwind_start() || !load_objects() ||
	    !tree_make(&tree, reserve(tree_size(NODES)), reserve(tree_links_size(NODES, false)), NODES, false, NULL))
		abort();
	sigfillset(&action.sa_mask);
	sigaction(SIGPROF, &action, NULL);
	begin();
}

__attribute__((destructor)) static void finish(void)
{
	struct tree_header *h = tree.header;
	uint64_t selves = 0;

	timer_delete(timer);
	over = true;
	while (sampling)
		sched_yield();
	for (uint32_t i = 1; i < h->count; i++)
		selves += node_self(&tree, i);
	if (selves != h->samples)
		wrong++;
	printf("samples %lu wrong %ld partial %lu guessed %lu frames %lu fresh %lu nodes %u deepest %ld unknown %ld\n", h->samples, wrong, h->partial, h->guessed,
	       h->frames, h->fresh, h->count, deepest, unknown);
}
