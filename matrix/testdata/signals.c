/* Ways of meeting signals. */
#include "way.h"
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>

extern char **environ;

static const struct timespec at_once;

static void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	MUST(!sigprocmask(SIG_BLOCK, &all, NULL));
}

/* Takes all that is pending. */
static void take_all(void)
{
	sigset_t all;
	int s;

	sigfillset(&all);
	printf("got");
	while ((s = sigtimedwait(&all, NULL, &at_once)) > 0)
		printf(" %d", s);
	SAY(", then %s", strerror(errno));
}

static void send_some(void)
{
	static const int some[] = { SIGTRAP, SIGURG, SIGTERM, SIGWINCH, SIGPROF, SIGVTALRM, SIGSTKFLT, SIGIO, SIGINT };

	for (size_t i = 0; i < LENGTH(some); i++)
		MUST(!kill(getpid(), some[i]));
}

/* All signals are blocked, and what the program sends itself stays pending. */
static void blocks_all(void)
{
	block_all();
	burn(0.1);
	take_all();
	send_some();
	burn(0.05);
	take_all();
}

/* The same for those that a profiler might take, and no others. */
static void blocks_few(void)
{
	sigset_t few, pending;

	sigemptyset(&few);
	sigaddset(&few, SIGURG);
	sigaddset(&few, SIGWINCH);
	sigaddset(&few, SIGINT);
	sigaddset(&few, SIGTRAP);
	MUST(!sigprocmask(SIG_BLOCK, &few, NULL));
	burn(0.1);
	sigpending(&pending);
	say_set("pending", &pending);
	take_all();
}

/* What a program reads of its mask is what it set. */
static void reads_mask(void)
{
	sigset_t set, some;

	sigprocmask(SIG_SETMASK, NULL, &set);
	say_set("at first", &set);
	block_all();
	burn(0.05);
	sigprocmask(SIG_SETMASK, NULL, &set);
	say_set("blocked", &set);
	sigemptyset(&some);
	sigaddset(&some, SIGURG);
	sigaddset(&some, SIGTRAP);
	pthread_sigmask(SIG_UNBLOCK, &some, &set);
	say_set("before", &set);
	burn(0.05);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	say_set("after", &set);
}

/* What the program is told of handlers: the kernel itself knows those of a clock. */
static void say_handled(void)
{
	struct sigaction a;

	printf("handled:");
	for (int s = 1; s < _NSIG; s++)
		if (!sigaction(s, NULL, &a) && a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN)
			printf(" %d", s);
	SAY("%s", "");
}

static void shows(void)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	say_set("mask", &set);
	sigpending(&set);
	say_set("pending", &set);
	say_status("SigIgn:");
	say_handled();
	burn(0.05);
	take_all();
}

/* Masks that children and programs inherit. */
static void inherits(void)
{
	char path[4096] = "";
	char *argv[] = { path, ".shows", NULL };
	sigset_t all, set;
	pid_t child;

	MUST(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
	block_all();
	burn(0.05);
	if (!(child = fork())) {
		sigprocmask(SIG_BLOCK, NULL, &set);
		say_set("in a child", &set);
		burn(0.05);
		take_all();
		again(".shows");
	}
	say_end(child);
	MUST(!posix_spawn(&child, path, NULL, NULL, argv, environ));
	say_end(child);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	if (!(child = fork()))
		again(".shows");
	say_end(child);
}

/* What is pending, ignored or blocked stays so in a program that is executed. */
static void pending_over_exec(void)
{
	signal(SIGUSR2, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_DFL);
	block_all();
	burn(0.05);
	raise(SIGUSR1);
	raise(SIGURG);
	again(".shows");
}

static void *burns(void *p)
{
	(void)p;
	burn(0.1);
	kill(getpid(), SIGUSR1);
	burn(0.02);
	return NULL;
}

static void waits_with(int (*how)(const sigset_t *))
{
	pthread_t t;
	sigset_t all;

	block_all();
	sigfillset(&all);
	MUST(!pthread_create(&t, NULL, burns, NULL));
	SAY("got %d", how(&all));
	pthread_join(t, NULL);
	burn(0.02);
	take_all();
}

static int by_sigwait(const sigset_t *set)
{
	int s = 0;

	return sigwait(set, &s) ? -1 : s;
}

static int by_sigwaitinfo(const sigset_t *set)
{
	siginfo_t i;

	return sigwaitinfo(set, &i) > 0 && i.si_code == SI_USER && i.si_pid == getpid() ? i.si_signo : -1;
}

static int by_sigtimedwait(const sigset_t *set)
{
	struct timespec second = { 5, 0 };

	return sigtimedwait(set, NULL, &second);
}

static int by_signalfd(const sigset_t *set)
{
	struct signalfd_siginfo i;
	int fd = signalfd(-1, set, SFD_CLOEXEC), s = read(fd, &i, sizeof i) == sizeof i ? (int)i.ssi_signo : -1;

	close(fd);
	return s;
}

static int by_polled_signalfd(const sigset_t *set)
{
	struct signalfd_siginfo i[8];
	struct pollfd p = { signalfd(-1, set, SFD_NONBLOCK), POLLIN, 0 };
	int n = 0;

	burn(0.05);
	while (poll(&p, 1, 5000) == 1 && read(p.fd, &i[n], sizeof *i) == sizeof *i && i[n].ssi_signo != SIGUSR1)
		n++;
	close(p.fd);
	return n ? -(int)i[0].ssi_signo : SIGUSR1;
}

static void waits_by_sigwait(void) { waits_with(by_sigwait); }
static void waits_by_sigwaitinfo(void) { waits_with(by_sigwaitinfo); }
static void waits_by_sigtimedwait(void) { waits_with(by_sigtimedwait); }
static void waits_by_signalfd(void) { waits_with(by_signalfd); }
static void waits_by_polled_signalfd(void) { waits_with(by_polled_signalfd); }

static volatile sig_atomic_t handled[_NSIG];

static void counts(int s) { handled[s]++; }

static void waits_by_sigsuspend(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 60000 } };
	sigset_t all_but;

	signal(SIGALRM, counts);
	signal(SIGURG, counts);
	block_all();
	setitimer(ITIMER_REAL, &soon, NULL);
	burn(0.03);
	sigfillset(&all_but);
	sigdelset(&all_but, SIGALRM);
	SAY_CALL(sigsuspend(&all_but));
	SAY("%d alarm, %d urgent", handled[SIGALRM], handled[SIGURG]);
	burn(0.05);
	take_all();
}

/* Dispositions are read as they were set, and each signal is handled once when it is sent. */
static void handles_all(void)
{
	struct sigaction was;
	int others = 0;

	for (int s = 1; s < _NSIG; s++)
		if (s != SIGKILL && s != SIGSTOP && (s < 32 || s >= SIGRTMIN)) {
			MUST(!sigaction(s, NULL, &was));
			others += was.sa_handler != SIG_DFL;
			signal(s, counts);
			burn(0.001);
		}
	SAY("%d were not the default's", others);
	burn(0.05);
	for (int s = 1; s < _NSIG; s++)
		if (handled[s])
			SAY("%d: %d, though nobody sent it", s, handled[s]);
	for (int s = 1; s < _NSIG; s++)
		if (s != SIGKILL && s != SIGSTOP && (s < 32 || s >= SIGRTMIN)) {
			raise(s);
			burn(0.001);
		}
	for (int s = 1; s < _NSIG; s++)
		if (handled[s] != (s != SIGKILL && s != SIGSTOP && (s < 32 || s >= SIGRTMIN)))
			SAY("%d: %d", s, handled[s]);
	SAY("done");
}

static void by_raw_calls(void)
{
	struct { void *handler; unsigned long flags, restorer, mask; } plain = { NULL, 0, 0, 0 };
	unsigned long all = ~0ul, was = 0;
	int s;

	burn(0.02);
	for (s = 1; s <= 64; s++)
		syscall(SYS_rt_sigaction, s, &plain, NULL, 8);
	burn(0.05);
	MUST(!syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &was, 8));
	SAY("before: %#lx", was);
	burn(0.05);
	send_some();
	printf("got");
	while ((s = (int)syscall(SYS_rt_sigtimedwait, &all, NULL, &at_once, 8)) > 0)
		printf(" %d", s);
	SAY(", then %s", strerror(errno));
	MUST(!syscall(SYS_rt_sigprocmask, SIG_SETMASK, &was, &all, 8));
	burn(0.05);
}

static void once(void)
{
	struct sigaction a = { .sa_handler = counts, .sa_flags = (int)SA_RESETHAND }, was;
	static const int some[] = { SIGURG, SIGPROF, SIGTRAP, SIGUSR1, SIGWINCH };

	for (size_t i = 0; i < LENGTH(some); i++) {
		MUST(!sigaction(some[i], &a, NULL));
		burn(0.01);
		raise(some[i]);
		burn(0.01);
		MUST(!sigaction(some[i], NULL, &was));
		SAY("%d: %d, then %s", some[i], handled[some[i]], was.sa_handler == SIG_DFL ? "default" : "another");
	}
}

static char alternate[65536];

static void where(int s)
{
	char here;
	stack_t st;

	burn(0.03);
	sigaltstack(NULL, &st);
	SAY("%d on the %s stack, flags %d", s, &here >= alternate && &here < alternate + sizeof alternate ? "alternate" : "usual", st.ss_flags);
}

static void on_stack(void)
{
	struct sigaction a = { .sa_handler = where, .sa_flags = SA_ONSTACK };
	stack_t mine = { .ss_sp = alternate, .ss_size = sizeof alternate }, none = { .ss_flags = SS_DISABLE };

	MUST(!sigaltstack(&mine, NULL));
	MUST(!sigaction(SIGUSR1, &a, NULL));
	burn(0.02);
	raise(SIGUSR1);
	a.sa_flags = 0;
	MUST(!sigaction(SIGUSR1, &a, NULL));
	raise(SIGUSR1);
	MUST(!sigaltstack(&none, NULL));
	burn(0.02);
}

static volatile int depth;

static void recurs(int s)
{
	burn(0.01);
	if (++depth < 6)
		raise(s);
	burn(0.005);
	SAY("depth %d", depth);
	depth--;
}

static void no_defer(void)
{
	struct sigaction a = { .sa_handler = recurs, .sa_flags = SA_NODEFER };

	MUST(!sigaction(SIGUSR2, &a, NULL));
	raise(SIGUSR2);
	burn(0.02);
}

static void queued(int s, siginfo_t *i, void *context)
{
	(void)context;
	SAY("%d: code %d, value %d, %s", s < SIGRTMIN ? s : s - SIGRTMIN + 100, i->si_code, i->si_value.sival_int, i->si_pid == getpid() ? "ours" : "another's");
}

static void queues(void)
{
	struct sigaction a = { .sa_sigaction = queued, .sa_flags = SA_SIGINFO };
	const int some[] = { SIGURG, SIGTRAP, SIGPROF, SIGRTMIN, SIGRTMIN + 3, SIGRTMAX };
	sigset_t all, none;

	for (size_t i = 0; i < LENGTH(some); i++)
		MUST(!sigaction(some[i], &a, NULL));
	burn(0.03);
	block_all();
	for (int n = 0; n < 3; n++)
		for (size_t i = 0; i < LENGTH(some); i++)
			MUST(!sigqueue(getpid(), some[i], (union sigval){ .sival_int = n }));
	burn(0.05);
	sigfillset(&all);
	sigemptyset(&none);
	MUST(!sigprocmask(SIG_SETMASK, &none, NULL));
	burn(0.02);
}

static sigjmp_buf back;

static void jumps(int s) { siglongjmp(back, s); }

/* Faults of its own, that the program recovers from. */
static void faults(void)
{
	static const int kinds[] = { SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGBUS };
	struct sigaction a = { .sa_handler = jumps };
	static volatile int n, seen[_NSIG];

	for (size_t i = 0; i < LENGTH(kinds); i++)
		MUST(!sigaction(kinds[i], &a, NULL));
	while (n < 400) {
		int s = sigsetjmp(back, 1);

		seen[s]++;
		burn(0.0002);
		if (n == 400)
			break;
		switch (n++ % 4) {
		case 0:
			*(volatile int *)8 = 1;
			break;
		case 1:
			__asm__ volatile("ud2");
			break;
		case 2:
			__asm__ volatile("xorl %%edx, %%edx; xorl %%ecx, %%ecx; idivl %%ecx" : : : "eax", "ecx", "edx");
			break;
		default:
			__asm__ volatile("int3");
		}
	}
	SAY("%d %d %d %d", seen[SIGSEGV], seen[SIGILL], seen[SIGFPE], seen[SIGTRAP]);
}

/* Calls that wait are not interrupted by what nobody sent. */
static void waits_undisturbed(void)
{
	struct timespec t = { 0, 40000000 };
	pthread_t burner;
	sigset_t none;
	int fds[2];

	signal(SIGUSR1, SIG_IGN);
	MUST(!pipe(fds));
	MUST(!pthread_create(&burner, NULL, burns, NULL));
	for (int i = 0; i < 3; i++) {
		struct pollfd p = { fds[0], POLLIN, 0 };

		SAY("nanosleep %d", nanosleep(&t, NULL));
		burn(0.01);
		SAY("poll %d", poll(&p, 1, 20));
		burn(0.01);
	}
	sigemptyset(&none);
	SAY("ppoll %d", ppoll(NULL, 0, &t, &none));
	pthread_join(burner, NULL);
}

static void *own_mask(void *p)
{
	sigset_t set;

	(void)p;
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	say_set("of a thread", &set);
	burn(0.04);
	sigpending(&set);
	say_set("pending", &set);
	return NULL;
}

/* Threads inherit masks, and have their own. */
static void masks_of_threads(void)
{
	pthread_t t;
	sigset_t some;

	sigemptyset(&some);
	sigaddset(&some, SIGURG);
	sigaddset(&some, SIGPROF);
	MUST(!pthread_sigmask(SIG_BLOCK, &some, NULL));
	MUST(!pthread_create(&t, NULL, own_mask, NULL));
	pthread_join(t, NULL);
	block_all();
	MUST(!pthread_create(&t, NULL, own_mask, NULL));
	pthread_join(t, NULL);
	MUST(!pthread_create(&t, NULL, own_mask, NULL));
	pthread_kill(t, SIGTERM);
	pthread_join(t, NULL);
	take_all();
}

/* A thread that comes to block all and waits has no signal of others when it wakes. */
static void blocks_and_sleeps(void)
{
	struct timespec rest = { 0, 60000000 };
	sigset_t some;

	sigemptyset(&some);
	sigaddset(&some, SIGURG);
	sigaddset(&some, SIGPROF);
	for (int i = 0; i < 5; i++) {
		MUST(!sigprocmask(SIG_SETMASK, &some, NULL));
		burn(0.02);
		block_all();
		burn(0.003);
		MUST(!nanosleep(&rest, NULL));
		take_all();
	}
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "blocks-all", blocks_all },
		{ "blocks-few", blocks_few },
		{ "reads-mask", reads_mask },
		{ "inherits", inherits },
		{ "pending-over-exec", pending_over_exec },
		{ "sigwait", waits_by_sigwait },
		{ "sigwaitinfo", waits_by_sigwaitinfo },
		{ "sigtimedwait", waits_by_sigtimedwait },
		{ "signalfd", waits_by_signalfd },
		{ "signalfd-polled", waits_by_polled_signalfd },
		{ "sigsuspend", waits_by_sigsuspend },
		{ "handles-all", handles_all },
		{ "by-raw-calls", by_raw_calls },
		{ "once", once },
		{ "on-stack", on_stack },
		{ "no-defer", no_defer },
		{ "queues", queues },
		{ "faults", faults },
		{ "waits-undisturbed", waits_undisturbed },
		{ "masks-of-threads", masks_of_threads },
		{ "blocks-and-sleeps", blocks_and_sleeps },
		{ ".shows", shows },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
