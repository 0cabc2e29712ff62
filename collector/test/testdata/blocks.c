// Programs that block signals, wait for them and hand their masks on: blocks NAME. Each tells what it sees, which is
// the same without a collector.
#include "abuse.h"

#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

extern char **environ;

static const int all_of_them[] = { SIGTRAP, SIGURG, SIGWINCH, SIGSTKFLT, SIGPROF, SIGVTALRM, SIGTERM, SIGUSR1, SIGINT };

enum { SIGNALS = sizeof all_of_them / sizeof *all_of_them };

static void work(void)
{
	burn(0.012);
}

static void tell_set(const char *what, const sigset_t *set)
{
	printf("%s:", what);
	for (int s = 1; s < 32; s++)
		if (sigismember(set, s) == 1)
			printf(" %d", s);
	printf("\n");
}

static sigset_t set_of(int n, const int *signals)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < n; i++)
		sigaddset(&set, signals[i]);
	return set;
}

static sigset_t full(void)
{
	sigset_t set;

	sigfillset(&set);
	return set;
}

static void tell_mask(const char *what)
{
	sigset_t set;

	CHECK(!sigprocmask(SIG_BLOCK, NULL, &set));
	tell_set(what, &set);
}

static void tell_pending(const char *what)
{
	sigset_t set;

	CHECK(!sigpending(&set));
	tell_set(what, &set);
}

static void block(const sigset_t *set)
{
	CHECK(!sigprocmask(SIG_SETMASK, set, NULL));
}

static int by_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* What is pending is taken, in whatever order. */
static void take(const sigset_t *set)
{
	const struct timespec now = { 0, 0 };
	char got[16][80];
	siginfo_t info;
	int n = 0, s;

	while (n < 16 && (s = sigtimedwait(set, &info, &now)) > 0)
		snprintf(got[n++], sizeof *got, "got %2d code %d value %d from %s", s, info.si_code, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0,
			 info.si_pid == getpid() ? "itself" : "another");
	CHECK(n == 16 || errno == EAGAIN);
	qsort(got, (size_t)n, sizeof *got, by_order);
	for (int i = 0; i < n; i++)
		puts(got[i]);
}

static void send_all(void)
{
	for (int i = 0; i < SIGNALS; i++)
		switch (i % 4) {
		case 0:
			CHECK(!kill(getpid(), all_of_them[i]));
			break;
		case 1:
			CHECK(!raise(all_of_them[i]));
			break;
		case 2:
			CHECK(!syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), all_of_them[i]));
			break;
		default:
			CHECK(!sigqueue(getpid(), all_of_them[i], (union sigval){ .sival_int = 7 }));
		}
}

/* The example of the issue. */
static void fills(int n, char **more)
{
	sigset_t set = full();

	(void)n, (void)more;
	block(&set);
	tell_mask("mask");
	burn(0.1);
	CHECK(!kill(getpid(), SIGTRAP) && !kill(getpid(), SIGURG) && !kill(getpid(), SIGTERM));
	tell_pending("pending");
	take(&set);
	tell_pending("left");
	work();
	take(&set);
	tell_mask("mask");
}

static void each(int n, char **more)
{
	(void)n, (void)more;
	for (int few = 0; few < 2; few++)
		for (int i = 0; i < SIGNALS; i++) {
			sigset_t set = few ? set_of(1, &all_of_them[i]) : full(), none;

			sigemptyset(&none);
			block(&set);
			work();
			tell_pending("before");
			CHECK(!raise(all_of_them[i]) && !kill(getpid(), all_of_them[i]));
			work();
			tell_pending("pending");
			take(&set);
			work();
			tell_pending("after");
			take(&set);
			block(&none);
			tell_mask("mask");
		}
}

static void several(int n, char **more)
{
	sigset_t set = set_of(SIGNALS, all_of_them), other;

	(void)n, (void)more;
	work();
	for (int round = 0; round < 3; round++) {
		block(&set);
		work();
		send_all();
		tell_pending("pending");
		work();
		take(&set);
		tell_pending("left");
		sigset_t before;
		sigemptyset(&other);
		CHECK(!sigprocmask(SIG_SETMASK, &other, &before));
		tell_set("mask", &before);
	}
}

static sem_t taken;

static void *sends_later(void *signals)
{
	sigset_t set = full();

	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int *s = signals; *s; s++) {
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
		CHECK(!kill(getpid(), *s));
		/* Of two that are pending the lower one comes first. */
		while (sem_wait(&taken))
			CHECK(errno == EINTR);
	}
	return NULL;
}

static int later[] = { SIGTRAP, SIGURG, SIGUSR1, SIGWINCH, SIGSTKFLT, SIGPROF, 0 };

/* Threads burn with all blocked, one waits for what another sends. */
static void waiters(int n, char **more)
{
	sigset_t set = full(), mine;
	pthread_t t, b[2];
	siginfo_t info;
	int s;

	(void)n, (void)more;
	CHECK(!sem_init(&taken, 0, 0));
	block(&set);
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&b[i], NULL, (void *(*)(void *))(void *)work, NULL));
	mine = set_of(6, later);
	for (int way = 0; way < 3; way++) {
		CHECK(!pthread_create(&t, NULL, sends_later, later));
		for (int i = 0; i < 6; i++) {
			if (way == 0)
				CHECK(!sigwait(&mine, &s));
			else if (way == 1)
				CHECK((s = sigwaitinfo(&mine, &info)) > 0);
			else
				CHECK((s = sigtimedwait(&mine, &info, &(struct timespec){ 20, 0 })) > 0);
			printf("%d\n", s);
			CHECK(!sem_post(&taken));
		}
		CHECK(!pthread_join(t, NULL));
	}
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(b[i], NULL));
	tell_pending("left");
	CHECK(sigtimedwait(&mine, NULL, &(struct timespec){ 0, 60000000 }) == -1 && errno == EAGAIN);
}

static _Atomic bool ended;

static void *interrupts(void *thread)
{
	while (!ended) {
		CHECK(!pthread_kill(*(pthread_t *)thread, SIGRTMIN));
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	}
	return NULL;
}

static void nothing(int s)
{
	(void)s;
}

/* A handler of the program's ends waits. */
static void interrupted(int n, char **more)
{
	struct sigaction a = { .sa_handler = nothing };
	sigset_t mine = set_of(6, later);
	pthread_t t, self = pthread_self();

	(void)n, (void)more;
	block(&mine);
	CHECK(!sigaction(SIGRTMIN, &a, NULL));
	CHECK(!pthread_create(&t, NULL, interrupts, &self));
	CHECK(sigwaitinfo(&mine, NULL) == -1 && errno == EINTR);
	CHECK(sigtimedwait(&mine, NULL, &(struct timespec){ 20, 0 }) == -1 && errno == EINTR);
	ended = true;
	CHECK(!pthread_join(t, NULL));
}

static void read_all(int fd, int n)
{
	char got[16][40];
	struct signalfd_siginfo i;
	int count = 0;

	while (count < n && read(fd, &i, sizeof i) == sizeof i)
		snprintf(got[count++], sizeof *got, "read %2d code %d", (int)i.ssi_signo, i.ssi_code);
	qsort(got, (size_t)count, sizeof *got, by_order);
	for (int c = 0; c < count; c++)
		puts(got[c]);
}

static void descriptors(int n, char **more)
{
	sigset_t sets[] = { set_of(SIGNALS, all_of_them), full(), set_of(1, &all_of_them[1]) };

	(void)n, (void)more;
	for (int i = 0; i < 3; i++) {
		int fd = signalfd(-1, &sets[i], SFD_NONBLOCK | SFD_CLOEXEC);

		CHECK(fd >= 0);
		block(&sets[i]);
		work();
		read_all(fd, 16);
		for (int s = 0; s < SIGNALS; s++)
			if (sigismember(&sets[i], all_of_them[s]))
				CHECK(!kill(getpid(), all_of_them[s]));
		struct pollfd p = { fd, POLLIN, 0 };
		CHECK(poll(&p, 1, 5000) == 1);
		read_all(fd, 16);
		work();
		read_all(fd, 16);
		tell_pending("left");
		sigemptyset(&sets[i]);
		block(&sets[i]);
		close(fd);
	}
}

/* What is executed: its mask, its pending signals, what it ignores. */
static void tells(int n, char **more)
{
	struct sigaction a;
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	(void)n, (void)more;
	tell_mask("mask");
	tell_pending("pending");
	CHECK(f);
	while (fgets(line, sizeof line, f))
		if (!getenv("LD_PRELOAD") && (!strncmp(line, "SigPnd", 6) || !strncmp(line, "ShdPnd", 6) || !strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6)))
			fputs(line, stdout);
	fclose(f);
	for (int i = 0; i < SIGNALS; i++)
		if (!sigaction(all_of_them[i], NULL, &a) && a.sa_handler != SIG_DFL)
			printf("%d %s\n", all_of_them[i], a.sa_handler == SIG_IGN ? "ignored" : "handled");
	fflush(stdout);
}

static char self[4096];
static char *const arguments[] = { self, "tells", NULL };

static void child_executes(pid_t p)
{
	int status;

	CHECK(p >= 0 && waitpid(p, &status, 0) == p);
	printf("status %x\n", (unsigned)status);
}

static void in_children(void)
{
	pid_t p;

	fflush(stdout);
	p = fork();
	if (p == 0) {
		work();
		tell_mask("child"), tell_pending("child"), fflush(stdout);
		execv(self, arguments);
		_exit(1);
	}
	child_executes(p);
	p = vfork();
	if (p == 0) {
		execv(self, arguments);
		_exit(1);
	}
	child_executes(p);
	p = vfork();
	if (p == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigaddset(&none, SIGUSR2);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execv(self, arguments);
		_exit(1);
	}
	child_executes(p);
	CHECK(!posix_spawn(&p, self, NULL, NULL, arguments, environ));
	child_executes(p);
	CHECK(!posix_spawnp(&p, self, NULL, NULL, arguments, environ));
	child_executes(p);

	char command[4200], line[256];
	snprintf(command, sizeof command, "exec '%s' tells", self);
	printf("status %x\n", (unsigned)system(command));
	FILE *f = popen(command, "r");
	CHECK(f);
	while (fgets(line, sizeof line, f))
		fputs(line, stdout);
	printf("status %x\n", (unsigned)pclose(f));
	fflush(stdout);
}

static void children(int n, char **more)
{
	sigset_t sets[] = { full(), set_of(SIGNALS, all_of_them), set_of(1, &all_of_them[0]), set_of(2, &all_of_them[1]) };

	(void)n, (void)more;
	if (n > 1) /* what they execute is not sampled, and tells what the kernel has */
		unsetenv("LD_PRELOAD");
	in_children();
	for (int i = 0; i < 4; i++) {
		block(&sets[i]);
		work();
		in_children();
		tell_mask("own mask");
		tell_pending("own pending");
	}
	CHECK(signal(SIGTRAP, SIG_IGN) == SIG_DFL && signal(SIGURG, SIG_IGN) == SIG_DFL && signal(SIGUSR1, SIG_IGN) == SIG_DFL);
	in_children();
}

static void executes(int n, char **more)
{
	sigset_t sets[] = { full(), set_of(SIGNALS, all_of_them), set_of(2, &all_of_them[1]) };

	(void)more;
	unsetenv("LD_PRELOAD");
	block(&sets[n % 3]);
	work();
	if (n > 2) {
		CHECK(execv("/nowhere/none", arguments) == -1);
		work();
		send_all();
	}
	fflush(stdout);
	execv(self, arguments);
}

static void inherits(int n, char **more)
{
	static char *const again[] = { self, "inherited", NULL };
	sigset_t set = full();

	(void)n, (void)more;
	block(&set);
	work();
	CHECK(!raise(SIGTRAP) && !kill(getpid(), SIGURG));
	fflush(stdout);
	execv(self, again);
}

static void inherited(int n, char **more)
{
	sigset_t set = full();

	(void)n, (void)more;
	tell_mask("mask");
	work();
	tell_pending("pending");
	take(&set);
	work();
	send_all();
	tell_pending("pending");
	take(&set);
}

static void *of_thread(void *name)
{
	sigset_t set;

	tell_mask(name);
	sigfillset(&set);
	sigdelset(&set, SIGTRAP);
	CHECK(!pthread_sigmask(SIG_SETMASK, &set, NULL));
	work();
	tell_mask(name);
	CHECK(!pthread_kill(pthread_self(), SIGURG) && !pthread_kill(pthread_self(), SIGPROF));
	tell_pending(name);
	take(&set);
	return NULL;
}

static int of_c11(void *name)
{
	of_thread(name);
	return 0;
}

static void threads_masks(int n, char **more)
{
	sigset_t sets[] = { full(), set_of(SIGNALS, all_of_them), set_of(1, &all_of_them[0]) };
	pthread_attr_t a;
	pthread_t t;
	thrd_t c;

	(void)n, (void)more;
	for (int i = 0; i < 3; i++) {
		block(&sets[i]);
		CHECK(!pthread_create(&t, NULL, of_thread, "thread") && !pthread_join(t, NULL));
		CHECK(thrd_create(&c, of_c11, "c11") == thrd_success && thrd_join(c, NULL) == thrd_success);
		tell_mask("main");
	}
	sigdelset(&sets[0], SIGUSR1);
	CHECK(!pthread_attr_init(&a) && !pthread_attr_setsigmask_np(&a, &sets[0]));
	CHECK(!pthread_create(&t, &a, of_thread, "attribute") && !pthread_join(t, NULL));
	tell_mask("main");
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The older functions. */
static void older(int n, char **more)
{
	(void)n, (void)more;
	for (int i = 0; i < SIGNALS; i++) {
		int s = all_of_them[i];

		CHECK(!sighold(s));
		work();
		tell_mask("held");
		CHECK(!raise(s));
		tell_pending("pending");
		sigset_t set = set_of(1, &s);
		take(&set);
		CHECK(!sigrelse(s));
		tell_mask("released");
		printf("%x\n", (unsigned)sigblock((int)(1u << (s - 1) | 1)));
		printf("%x\n", (unsigned)siggetmask());
		work();
		printf("%x\n", (unsigned)sigsetmask(0));
		printf("%x\n", (unsigned)siggetmask());
		printf("%d\n", sigset(s, SIG_HOLD) == SIG_DFL);
		tell_mask("held");
		printf("%d\n", sigset(s, SIG_HOLD) == SIG_HOLD);
		printf("%d\n", sigset(s, SIG_IGN) == SIG_HOLD);
		tell_mask("released");
		printf("%d\n", sigset(s, SIG_DFL) == SIG_IGN);
	}
}

static volatile sig_atomic_t handled;

static void on_signal(int s)
{
	sigset_t set, old;

	handled++;
	printf("handled %d\n", s);
	tell_mask("in handler");
	sigfillset(&set);
	CHECK(!sigprocmask(SIG_BLOCK, &set, &old));
	tell_set("old", &old);
	burn(0.02);
	CHECK(!sigprocmask(SIG_SETMASK, &old, NULL));
	tell_pending("in handler");
}

static void handles(int n, char **more)
{
	struct sigaction a = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	sigset_t none, set;

	(void)n, (void)more;
	sigemptyset(&none);
	for (int fill = 0; fill < 2; fill++) {
		if (fill)
			sigfillset(&a.sa_mask);
		CHECK(!sigaction(SIGUSR2, &a, NULL));
		for (int i = 0; i < 2; i++) {
			set = i ? set_of(SIGNALS, all_of_them) : none;
			block(&set);
			work();
			CHECK(!raise(SIGUSR2));
			tell_mask("after");
		}
	}
	/* Of the signals themselves, which other threads block. */
	set = full();
	block(&set);
	work();
	for (int i = 0; i < SIGNALS; i++) {
		a.sa_flags = i % 2 ? SA_RESTART : (int)SA_RESETHAND;
		CHECK(!sigaction(all_of_them[i], &a, NULL));
		CHECK(!raise(all_of_them[i]) && !kill(getpid(), all_of_them[i]));
		tell_pending("blocked");
		take(&set);
		CHECK(!raise(all_of_them[i]));
		sigset_t but = full();
		sigdelset(&but, all_of_them[i]);
		block(&but);
		work();
		block(&set);
		struct sigaction was;
		CHECK(!sigaction(all_of_them[i], NULL, &was));
		printf("%d: %d flags %x\n", all_of_them[i], was.sa_handler == on_signal, (unsigned)was.sa_flags & ~0x04000000u);
	}
	block(&none);
	work();
	printf("%d handled\n", handled);
}

static void on_quiet(int s)
{
	handled = s;
}

static void *sends_one(void *main)
{
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	pthread_kill(*(pthread_t *)main, SIGUSR2);
	return NULL;
}

/* Calls that wait with another mask. */
static void suspends(int n, char **more)
{
	struct sigaction a = { .sa_handler = on_quiet };
	pthread_t self_ = pthread_self(), t;
	sigset_t all = full(), but[] = { all, set_of(0, NULL) };
	struct timespec soon = { 20, 0 };
	fd_set nothing;
	int e = epoll_create1(0);
	struct epoll_event event;

	(void)n, (void)more;
	FD_ZERO(&nothing);
	sigdelset(&but[0], SIGUSR2);
	CHECK(!sigaction(SIGUSR2, &a, NULL));
	block(&all);
	for (int i = 0; i < 8; i++) {
		sigset_t *set = &but[i % 2];

		work();
		if (i == 6)
			CHECK(!raise(SIGURG));
		handled = 0;
		CHECK(!pthread_create(&t, NULL, sends_one, &self_));
		switch (i / 2) {
		case 0:
			CHECK(sigsuspend(set) == -1);
			break;
		case 1:
			CHECK(ppoll(NULL, 0, &soon, set) == -1);
			break;
		case 2:
			CHECK(pselect(0, &nothing, NULL, NULL, &soon, set) == -1);
			break;
		default:
			CHECK(epoll_pwait(e, &event, 1, 20000, set) == -1);
		}
		CHECK(errno == EINTR);
		CHECK(!pthread_join(t, NULL));
		printf("%d: %d\n", i, handled);
		tell_mask("mask");
		tell_pending("pending");
	}
}

static sigjmp_buf back;

static void on_jump(int s)
{
	(void)s;
	siglongjmp(back, 1);
}

/* A handler jumps out of calls that wait. */
static void jumps(int n, char **more)
{
	struct sigaction a = { .sa_handler = on_jump };
	sigset_t all = full(), but = all;
	pthread_t self_ = pthread_self(), t;

	(void)n, (void)more;
	sigdelset(&but, SIGUSR2);
	sigdelset(&but, SIGTRAP);
	CHECK(!sigaction(SIGUSR2, &a, NULL));
	block(&all);
	for (volatile int i = 0; i < 3; i++) {
		CHECK(!pthread_create(&t, NULL, sends_one, &self_));
		if (!sigsetjmp(back, 1))
			sigsuspend(&but);
		CHECK(!pthread_join(t, NULL));
		tell_mask("mask");
		CHECK(!raise(SIGTRAP) && !raise(SIGURG));
		tell_pending("pending");
		take(&all);
	}
}

struct action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static int before_reset[32];

/* As runtimes do that make their system calls by `syscall`. */
static void raw(int n, char **more)
{
	struct action reset = { 0 }, old;
	unsigned long all = ~0ul, before = 0, none = 0;
	struct timespec now = { 0, 0 };
	siginfo_t info;
	int got;

	(void)n, (void)more;
	work();
	for (int s = 1; s < 32; s++)
		if (s != SIGKILL && s != SIGSTOP) {
			CHECK(!syscall(SYS_rt_sigaction, s, &reset, &old, 8));
			before_reset[s] = old.handler != NULL;
			printf("%d", before_reset[s]);
		}
	work();
	CHECK(!syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, 8));
	printf("\n%lx\n", before);
	work();
	CHECK(!syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &before, 8));
	printf("%lx\n", before & ~0x180000000ul);
	CHECK(syscall(SYS_rt_sigprocmask, 77, &all, &before, 8) == -1 && errno == EINVAL);
	CHECK(!syscall(SYS_kill, getpid(), SIGURG) && !raise(SIGTRAP));
	work();
	while ((got = (int)syscall(SYS_rt_sigtimedwait, &all, &info, &now, 8)) > 0)
		printf("got %d\n", got);
	int fd = (int)syscall(SYS_signalfd4, -1, &all, 8, SFD_NONBLOCK);
	CHECK(fd >= 0);
	work();
	read_all(fd, 4);
	CHECK(!raise(SIGPROF) && !raise(SIGURG));
	read_all(fd, 4);
	CHECK(!syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, &before, 8));
	work();
	fflush(stdout);
	pid_t p = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (p == 0)
		syscall(SYS_exit, 3);
	child_executes(p);
}

/* Ends as it would: by the signal that was pending. */
static void ends(int n, char **more)
{
	sigset_t set = full(), none;

	(void)more;
	sigemptyset(&none);
	block(&set);
	work();
	CHECK(!kill(getpid(), n));
	work();
	tell_pending("pending");
	fflush(stdout);
	block(&none);
}

/* Another process sends it, whenever. */
static void sent(int n, char **more)
{
	sigset_t set = full();
	siginfo_t info;
	pid_t p;

	(void)n, (void)more;
	block(&set);
	work();
	p = fork();
	if (p == 0) {
		for (int i = 0; i < SIGNALS; i++)
			kill(getppid(), all_of_them[i]);
		_exit(0);
	}
	child_executes(p);
	work();
	sigdelset(&set, SIGCHLD);
	take(&set);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	CHECK(sigwaitinfo(&set, &info) == SIGCHLD && info.si_pid == p);
	tell_pending("left");
}

static const struct mode modes[] = {
	{ "fills", fills }, { "each", each }, { "several", several }, { "waiters", waiters }, { "interrupted", interrupted }, { "descriptors", descriptors },
	{ "tells", tells }, { "children", children }, { "executes", executes }, { "inherits", inherits }, { "inherited", inherited },
	{ "threads", threads_masks }, { "older", older }, { "handles", handles }, { "suspends", suspends }, { "jumps", jumps },
	{ "raw", raw }, { "ends", ends }, { "sent", sent },
};

int main(int argc, char **argv)
{
	CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	return run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
}
