// Ways to ask the kernel itself for what libraries ask seldom: processes that share memory, timers of one thread, rings,
// descriptors of processes, namespaces, code that is made.
#include "way.h"

#include <linux/io_uring.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

extern char **environ;

static sigset_t set_of(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	if (signal)
		sigaddset(&set, signal);
	else
		sigfillset(&set);
	return set;
}

/* A timer that sends its signal to one thread, which waits for it or burns. */
static void timer_of_thread(void)
{
	sigset_t set = set_of(SIGUSR1);
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1, .sigev_value = { .sival_int = 3 } };
	struct itimerspec when = { .it_value = { 0, 5000000 }, .it_interval = { 0, 5000000 } };
	timer_t t;
	siginfo_t info;

	e._sigev_un._tid = (int)syscall(SYS_gettid);
	MUST(!sigprocmask(SIG_BLOCK, &set, NULL));
	MUST(!timer_create(CLOCK_MONOTONIC, &e, &t));
	MUST(!timer_settime(t, 0, &when, NULL));
	for (int i = 0; i < 10; i++) {
		burn(0.004);
		while (sigwaitinfo(&set, &info) != SIGUSR1)
			MUST(errno == EINTR);
		SAY("%d %d", info.si_code == SI_TIMER, info.si_value.sival_int);
	}
	MUST(!timer_delete(t));
}

static volatile int told[4];

static int shares(void *unused)
{
	sigset_t all = set_of(0), before, pending;

	(void)unused;
	burn(0.05);
	sigprocmask(SIG_SETMASK, &all, &before);
	told[0] = sigismember(&before, SIGURG);
	kill(getpid(), SIGURG);
	burn(0.05);
	sigpending(&pending);
	for (int s = 1; s < 32; s++)
		told[1] += sigismember(&pending, s) == 1;
	told[2] = sigismember(&pending, SIGURG);
	sigprocmask(SIG_SETMASK, &before, NULL);
	told[3] = 1;
	return 6;
}

/* A process that shares all memory, while its parent waits. */
static void shares_memory(void)
{
	static char stack[1 << 18];
	pid_t p;

	burn(0.02);
	p = clone(shares, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	MUST(p > 0);
	say_end(p);
	SAY("%d %d %d %d", told[0], told[1], told[2], told[3]);
	burn(0.03);
}

/* The newest call for a new process. */
static void by_clone3(void)
{
	for (int i = 0; i < 3; i++) {
		struct clone_args a = { .exit_signal = SIGCHLD };
		pid_t p = (pid_t)syscall(SYS_clone3, &a, sizeof a);

		MUST(p >= 0);
		if (p == 0) {
			spin(20000000);
			_exit(5 + i);
		}
		burn(0.02);
		say_end(p);
	}
}

/* A signal when the parent ends. */
static void parent_ends(void)
{
	sigset_t set = set_of(SIGUSR1);
	int fds[2];
	char c;
	pid_t p;

	MUST(!pipe(fds) && !sigprocmask(SIG_BLOCK, &set, NULL));
	p = fork();
	if (p == 0) {
		int ready[2];

		MUST(!pipe(ready));
		if (fork() == 0) {
			siginfo_t info;

			MUST(!prctl(PR_SET_PDEATHSIG, SIGUSR1));
			MUST(write(ready[1], "r", 1) == 1);
			burn(0.02);
			while (sigwaitinfo(&set, &info) != SIGUSR1)
				MUST(errno == EINTR);
			SAY("the parent has ended");
			_exit(0);
		}
		MUST(read(ready[0], &c, 1) == 1);
		burn(0.02);
		_exit(3);
	}
	close(fds[1]);
	MUST(read(fds[0], &c, 1) == 0);
	say_end(p);
}

static void tells_mask(void)
{
	sigset_t mask, pending;
	struct sigaction a;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	say_set("mask", &mask);
	say_set("pending", &pending);
	for (int s = 1; s < 32; s++)
		if (!sigaction(s, NULL, &a) && a.sa_handler == SIG_IGN)
			SAY("ignores %d", s);
	burn(0.02);
}

/* Processes with masks and dispositions that posix_spawn gives them. */
static void spawned_with_masks(void)
{
	char *path = (char *)getauxval(AT_EXECFN), *argv[] = { path, ".tells-mask", NULL };
	sigset_t sets[] = { set_of(0), set_of(SIGURG), set_of(SIGTRAP), set_of(SIGPROF) }, none;

	sigemptyset(&none);
	signal(SIGURG, SIG_IGN);
	signal(SIGTRAP, SIG_IGN);
	for (int i = 0; i < 8; i++) {
		posix_spawnattr_t a;
		pid_t p;

		MUST(!sigprocmask(SIG_SETMASK, &sets[i % 3], NULL));
		burn(0.01);
		MUST(!posix_spawnattr_init(&a));
		MUST(!posix_spawnattr_setflags(&a, POSIX_SPAWN_SETSIGMASK | (i > 3 ? POSIX_SPAWN_SETSIGDEF : 0)));
		MUST(!posix_spawnattr_setsigmask(&a, i % 2 ? &sets[i / 2] : &none));
		MUST(!posix_spawnattr_setsigdefault(&a, &sets[1 + i % 2]));
		MUST(!posix_spawn(&p, path, NULL, &a, argv, environ));
		say_end(p);
	}
}

/* A ring of requests. */
static void ring(void)
{
	struct io_uring_params params = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 4, &params);
	unsigned *head, *tail, *mask, *array, *done;
	struct io_uring_sqe *entries;
	struct io_uring_cqe *results;
	char *sq, *cq;

	if (fd < 0) {
		SAY("no rings: %s", strerror(errno));
		burn(0.05);
		return;
	}
	sq = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_CQ_RING);
	entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
	MUST(sq != MAP_FAILED && cq != MAP_FAILED && (void *)entries != MAP_FAILED);
	tail = (unsigned *)(sq + params.sq_off.tail);
	mask = (unsigned *)(sq + params.sq_off.ring_mask);
	array = (unsigned *)(sq + params.sq_off.array);
	head = (unsigned *)(cq + params.cq_off.head);
	done = (unsigned *)(cq + params.cq_off.tail);
	results = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
	for (int i = 0; i < 20; i++) {
		struct __kernel_timespec soon = { 0, 2000000 };
		unsigned at = *tail & *mask;

		entries[at] = (struct io_uring_sqe){ .opcode = i % 2 ? IORING_OP_TIMEOUT : IORING_OP_NOP, .addr = (uintptr_t)&soon, .len = 1, .user_data = (unsigned)i };
		if (i % 2 == 0)
			entries[at].addr = entries[at].len = 0;
		array[at] = at;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		MUST(syscall(SYS_io_uring_enter, fd, 1, 0, 0, NULL, 0) == 1);
		burn(0.003);
		while (__atomic_load_n(done, __ATOMIC_ACQUIRE) == *head)
			MUST(syscall(SYS_io_uring_enter, fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) >= 0 || errno == EINTR);
		SAY("%d: %d", (int)results[*head & (params.cq_entries - 1)].user_data, results[*head & (params.cq_entries - 1)].res);
		__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	}
}

/* Descriptors of processes. */
static void of_processes(void)
{
	sigset_t set = set_of(0);
	struct timespec now = { 0, 0 };
	siginfo_t info;
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0), fd;
	pid_t p;

	MUST(self >= 0 && !sigprocmask(SIG_BLOCK, &set, NULL));
	burn(0.02);
	for (int s = 1; s < 32; s++)
		if (s != SIGKILL && s != SIGSTOP)
			MUST(!syscall(SYS_pidfd_send_signal, self, s, NULL, 0));
	burn(0.02);
	for (int s; (s = sigtimedwait(&set, &info, &now)) > 0;)
		SAY("%d %d %d", s, info.si_code, info.si_pid == getpid());
	p = fork();
	if (p == 0) {
		burn(0.03);
		_exit(9);
	}
	fd = (int)syscall(SYS_pidfd_open, p, 0);
	MUST(fd >= 0 && poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 20000) == 1);
	MUST(!waitid((idtype_t)3 /* P_PIDFD */, (id_t)fd, &info, WEXITED));
	SAY("%d %d", info.si_code, info.si_status);
}

/* The first process of a namespace. */
static void first(void)
{
	pid_t p;

	if (unshare(CLONE_NEWUSER | CLONE_NEWPID)) {
		SAY("no namespaces: %s", strerror(errno));
		return;
	}
	p = fork();
	if (p == 0) {
		burn(0.05);
		p = fork();
		if (p == 0) {
			burn(0.02);
			_exit(4);
		}
		say_end(p);
		SAY("%d", (int)getpid());
		_exit(2);
	}
	say_end(p);
}

/* Executes itself anew at fixed addresses, as emulators and sanitizers do. */
static void fixed_addresses(void)
{
	int persona = personality(0xffffffff);

	if (!(persona & ADDR_NO_RANDOMIZE) && personality((unsigned long)persona | ADDR_NO_RANDOMIZE) >= 0) {
		burn(0.02);
		again("fixed-addresses");
	}
	burn(0.03);
	SAY("%d %d", !!(personality(0xffffffff) & ADDR_NO_RANDOMIZE), (void *)&persona > (void *)0x7ffffff00000);
}

/* Code that is made while the program runs, and goes. */
static void made_code(void)
{
	/* mov eax, edi; again: imul eax, eax, 5; inc eax; dec esi; jnz again; ret */
	static const unsigned char loop[] = { 0x89, 0xf8, 0x6b, 0xc0, 0x05, 0xff, 0xc0, 0xff, 0xce, 0x75, 0xf7, 0xc3 };

	for (int i = 0; i < 40; i++) {
		char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		MUST(code != MAP_FAILED);
		memcpy(code, loop, sizeof loop);
		MUST(!mprotect(code, 4096, PROT_READ | PROT_EXEC));
		SAY("%u", ((unsigned (*)(unsigned, unsigned))(void *)code)((unsigned)i, 1000000));
		MUST(!munmap(code, 4096));
	}
}

static volatile int came, forked;

static void on_alarm(int s)
{
	int status;
	pid_t p;

	(void)s;
	came++;
	if (forked >= 20)
		return;
	p = fork();
	if (p == 0)
		_exit(7);
	if (p > 0 && waitpid(p, &status, 0) == p && WIFEXITED(status) && WEXITSTATUS(status) == 7)
		forked++;
}

/* Alarms of every kind, whose handler makes processes, while others are executed. */
static void alarmed(void)
{
	struct sigaction a = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval each = { { 0, 3000 }, { 0, 3000 } }, off = { 0 };
	static const int kinds[] = { ITIMER_REAL, ITIMER_PROF, ITIMER_VIRTUAL }, signals[] = { SIGALRM, SIGPROF, SIGVTALRM };
	static char *const argv[] = { "true", NULL };

	for (int i = 0; i < 3; i++)
		MUST(!sigaction(signals[i], &a, NULL) && !setitimer(kinds[i], &each, NULL));
	for (int i = 0; i < 20; i++) {
		pid_t p = vfork();

		if (p == 0) {
			execv("/bin/true", argv);
			_exit(1);
		}
		MUST(p > 0);
		burn(0.002);
		say_end(p);
	}
	while (forked < 20)
		burn(0.01);
	for (int i = 0; i < 3; i++)
		MUST(!setitimer(kinds[i], &off, NULL));
	SAY("%d %d", forked >= 20, came >= 20);
}

static void *sends(void *to)
{
	for (int i = 0; i < 50; i++) {
		syscall(SYS_tgkill, getpid(), *(pid_t *)to, i % 2 ? SIGURG : SIGPROF);
		burn(0.001);
	}
	return NULL;
}

static volatile int urged, profiled;

static void on_sent(int s)
{
	*(s == SIGURG ? &urged : &profiled) = 1;
}

/* Signals to one thread, by number, as runtimes stop their threads. */
static void by_number(void)
{
	struct sigaction a = { .sa_handler = on_sent, .sa_flags = SA_RESTART | SA_ONSTACK };
	pid_t self = (pid_t)syscall(SYS_gettid);
	pthread_t t;

	MUST(!sigaction(SIGURG, &a, NULL) && !sigaction(SIGPROF, &a, NULL));
	MUST(!pthread_create(&t, NULL, sends, &self));
	burn(0.1);
	MUST(!pthread_join(t, NULL));
	SAY("%d %d", urged, profiled);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "timer-of-thread", timer_of_thread },
		{ "shares-memory", shares_memory },
		{ "clone3", by_clone3 },
		{ "parent-ends", parent_ends },
		{ "spawned-with-masks", spawned_with_masks },
		{ "ring", ring },
		{ "of-processes", of_processes },
		{ "first-process", first },
		{ "fixed-addresses", fixed_addresses },
		{ "made-code", made_code },
		{ "alarmed", alarmed },
		{ "by-number", by_number },
		{ ".tells-mask", tells_mask },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
