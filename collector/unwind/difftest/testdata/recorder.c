/*
 * A library that is preloaded: interrupts each thread at random instants by SIGPROF, about
 * every $RECORDER_MEAN µs, and appends the path that the unwinder finds of the interrupted registers to
 * the file $RECORDER_FILE, with the one that libgcc's unwinder finds in the same handler.
 * After $RECORDER_STOPS of them it ends the program.
 *
 * The interval to the next stop begins when the handler is done, so that it does not
 * matter how long a debugger holds the thread before it delivers the signal.
 */
#include "../../machine.h"
#include "../../unwind.h"
#include "../../test/testdata/loaded.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

enum { FRAMES = 16384, LEAST = 20 /* µs */, ENTRY = 64 /* bytes of the program's first function */ };

#define EXACT (1ull << 63)
#define SIGNAL (1ull << 62)

/* As records_test.go reads it; behind it the pcs of the two paths, the innermost first. */
struct record {
	uint32_t tid, end, guessed, common;
	uint32_t ours, libgcc; /* pcs; ours have EXACT set in those that are no return addresses, SIGNAL in signals' frames */
	uint32_t faulted;      /* libgcc's unwinder read what is not there */
	uint32_t rooted;       /* our path ends where the thread or a context of its began */
	uint64_t sp;
	uint64_t pcs[2 * FRAMES];
};

struct trace {
	uint64_t *pcs, from;
	uint32_t count, most;
	bool begun;
};

static __thread struct unwind_thread *thread __attribute__((tls_model("initial-exec")));
static __thread struct record *record __attribute__((tls_model("initial-exec")));
static __thread timer_t timer __attribute__((tls_model("initial-exec")));
static __thread uint64_t seed __attribute__((tls_model("initial-exec")));
static __thread sigjmp_buf *faulting __attribute__((tls_model("initial-exec")));
static _Atomic long left;
static long mean;
static uint64_t entry, context_root; /* what a program and a function of makecontext return to, or would */
static __thread uint64_t thread_root __attribute__((tls_model("initial-exec")));
static int file; /* 0: nothing is recorded */

static void fail(void)
{
	static const char text[] = "recorder: it can't work here\n";

	if (write(2, text, sizeof text - 1)) {}
	_exit(99);
}

static void arm(void)
{
	struct itimerspec next = { 0 };
	long us;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	us = LEAST + (long)(seed % (uint64_t)(2 * mean));
	next.it_value.tv_sec = us / 1000000;
	next.it_value.tv_nsec = us % 1000000 * 1000;
	if (timer_settime(timer, 0, &next, NULL))
		fail();
}

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *to)
{
	struct trace *t = to;
	uint64_t pc = _Unwind_GetIP(c);

	if (!t->begun && pc == t->from)
		t->begun = true;
	if (t->begun && pc && t->count < t->most)
		t->pcs[t->count++] = pc;
	return _URC_NO_REASON;
}

static void fault(int sig)
{
	if (faulting)
		siglongjmp(*faulting, 1);
	signal(sig, SIG_DFL);
}

/* The path by libgcc, which believes in call frame information even where it is wrong. */
static void ask_libgcc(struct record *r, const ucontext_t *context)
{
	static __thread struct trace t __attribute__((tls_model("initial-exec")));
	sigjmp_buf back;

	t = (struct trace){ .pcs = r->pcs + r->ours, .most = FRAMES, .from = machine_context(context, MACHINE_REGISTERS) };
	r->faulted = 0;
	faulting = &back;
	if (sigsetjmp(back, 1))
		r->faulted = 1;
	else
		_Unwind_Backtrace(step, &t);
	faulting = NULL;
	r->libgcc = t.count;
}

static bool root(uint64_t pc)
{
	return pc == thread_root || pc == context_root || (pc >= entry && pc < entry + ENTRY);
}

static void tick(int sig, siginfo_t *info, void *context)
{
	struct record *r = record;
	struct unwind_path p;
	size_t size;
	long n;

	(void)sig;
	(void)info;
	if (!thread)
		return;
	unwind_path(thread, context, &p);
	if (p.unknown) {
		unwind_done(thread);
		load_objects();
		unwind_path(thread, context, &p);
	}
	r->tid = (uint32_t)syscall(SYS_gettid);
	r->sp = machine_context(context, MACHINE_SP);
	r->end = p.end;
	r->guessed = p.guessed;
	r->common = p.common;
	r->ours = p.count;
	r->rooted = root(p.frames[0].pc);
	for (uint32_t i = 0; i < p.count; i++) {
		const struct unwind_frame *f = &p.frames[p.count - 1 - i];

		r->pcs[i] = f->pc | (f->flags & UNWIND_EXACT ? EXACT : 0) | (f->flags & UNWIND_SIGNAL ? SIGNAL : 0);
	}
	unwind_done(thread);

	ask_libgcc(r, context);
	n = atomic_fetch_sub(&left, 1);
	size = (size_t)((char *)&r->pcs[r->ours + r->libgcc] - (char *)r);
	if (n > 0 && write(file, r, size) != (ssize_t)size)
		fail();
	if (n <= 1)
		syscall(SYS_exit_group, 0);
	arm();
}

static void find_roots(void)
{
	static char stack[4096];
	ucontext_t c;

	entry = getauxval(AT_ENTRY);
	getcontext(&c);
	c.uc_stack.ss_sp = stack;
	c.uc_stack.ss_size = sizeof stack;
	makecontext(&c, fail, 0);
	context_root = *(const uint64_t *)machine_context(&c, MACHINE_SP);
}

static bool wanted(void)
{
	return file != 0;
}

#include "../../test/testdata/threads.h"

static void begin(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	struct unwind_thread *t = unwind_thread_make(reserve(unwind_thread_size(FRAMES, false)), FRAMES, false);
	struct trace whole = { .most = FRAMES, .begun = true };
	struct timespec now;
	uintptr_t low, high;

	record = reserve(sizeof *record);
	whole.pcs = record->pcs;
	_Unwind_Backtrace(step, &whole);
	thread_root = whole.pcs[whole.count - 1];
	if (unwind_find_stack((uintptr_t)&low, &low, &high))
		unwind_thread_stack(t, low, high);
	clock_gettime(CLOCK_REALTIME, &now);
	seed = ((uint64_t)now.tv_nsec << 20) + (uint64_t)now.tv_sec + (uint64_t)(uintptr_t)t;
	thread = t;
	event._sigev_un._tid = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		fail();
	arm();
}

/* dbctl becomes the program by executing it, with the program's environment from the start. */
static bool launcher(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);

	return n > 6 && memcmp(path + n - 6, "/dbctl", 6) == 0;
}

__attribute__((constructor)) static void start(void)
{
	struct sigaction action = { .sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct trace none = { .begun = false };
	const char *name = getenv("RECORDER_FILE"), *m = getenv("RECORDER_MEAN"), *n = getenv("RECORDER_STOPS");
	int low;

	if (launcher())
		return;
	if (!name || !m || !n)
		fail();
	mean = atol(m);
	left = atol(n);
	low = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	file = fcntl(low, F_DUPFD_CLOEXEC, 500); /* out of the program's way */
	close(low);
	find_roots();
	_Unwind_Backtrace(step, &none); /* it allocates the first time */
	if (file < 0 || !unwind_start() || !load_objects())
		fail();
	sigfillset(&action.sa_mask);
	sigdelset(&action.sa_mask, SIGSEGV);
	sigdelset(&action.sa_mask, SIGBUS);
	sigaction(SIGPROF, &action, NULL);
	signal(SIGSEGV, fault);
	signal(SIGBUS, fault);
	begin();
}

__attribute__((destructor)) static void finish(void)
{
	if (thread)
		timer_delete(timer);
}
