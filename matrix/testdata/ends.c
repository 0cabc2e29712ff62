/* Ways of ending. */
#include "way.h"
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static void says_at_exit(void) { SAY("at exit"); }
static void says_at_quick_exit(void) { SAY("at quick exit"); }

__attribute__((destructor)) static void destroyed(void) { fprintf(stderr, "destroyed\n"); }

static void without_core(void)
{
	struct rlimit none = { 0, 0 };

	MUST(!setrlimit(RLIMIT_CORE, &none));
	atexit(says_at_exit);
	at_quick_exit(says_at_quick_exit);
	burn(0.08);
	printf("not flushed by all\n");
}

static void returns(void) { without_core(); }
static void exits(void) { without_core(); exit(300); }
static void exits_at_once(void) { without_core(); _exit(3); }
static void exits_quickly(void) { without_core(); quick_exit(4); }
static void exits_by_call(void) { without_core(); syscall(SYS_exit_group, 5); }
static void aborts(void) { without_core(); abort(); }
static void by_fault(void) { without_core(); *(volatile int *)16 = 1; }
static void by_trap(void) { without_core(); __builtin_trap(); }
static void by_breakpoint(void) { without_core(); __asm__ volatile("int3"); }
static void by_kill(void) { without_core(); raise(SIGKILL); }
static void by_term(void) { without_core(); raise(SIGTERM); }
static void by_interrupt(void) { without_core(); signal(SIGINT, SIG_DFL); raise(SIGINT); }
static void by_prof(void) { without_core(); raise(SIGPROF); }
static void by_sigtrap(void) { without_core(); kill(getpid(), SIGTRAP); }
static void by_realtime(void) { without_core(); raise(SIGRTMIN + 5); }

static void *ends(void *p)
{
	burn(0.03);
	((void (*)(void))p)();
	return NULL;
}

static void in_thread(void (*how)(void))
{
	pthread_t t;

	without_core();
	MUST(!pthread_create(&t, NULL, ends, (void *)how));
	burn(30);
}

static void exit_two(void) { exit(2); }
static void fault(void) { *(volatile int *)16 = 1; }
static void thread_exits(void) { in_thread(exit_two); }
static void thread_faults(void) { in_thread(fault); }
static void thread_aborts(void) { in_thread(abort); }

static void last_thread(void)
{
	without_core();
	pthread_exit(NULL);
}

static void in_handler(int s)
{
	burn(0.02);
	exit(s);
}

static void handler_exits(void)
{
	without_core();
	signal(SIGUSR1, in_handler);
	raise(SIGUSR1);
}

static void asserts(void)
{
	without_core();
	fprintf(stderr, "will not be\n");
	raise(SIGABRT);
}

static void child_ends(void)
{
	pid_t child;

	burn(0.02);
	if (!(child = fork()))
		aborts();
	say_end(child);
	if (!(child = fork()))
		thread_faults();
	say_end(child);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "returns", returns },
		{ "exits", exits },
		{ "exits-at-once", exits_at_once },
		{ "exits-quickly", exits_quickly },
		{ "exits-by-call", exits_by_call },
		{ "aborts", aborts },
		{ "by-fault", by_fault },
		{ "by-trap", by_trap },
		{ "by-breakpoint", by_breakpoint },
		{ "by-kill", by_kill },
		{ "by-term", by_term },
		{ "by-interrupt", by_interrupt },
		{ "by-prof", by_prof },
		{ "by-sigtrap", by_sigtrap },
		{ "by-realtime", by_realtime },
		{ "thread-exits", thread_exits },
		{ "thread-faults", thread_faults },
		{ "thread-aborts", thread_aborts },
		{ "last-thread", last_thread },
		{ "handler-exits", handler_exits },
		{ "asserts", asserts },
		{ "child-ends", child_ends },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
