/* Ways of making processes and executing programs. */
#include "way.h"
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

extern char **environ;

static void says(void)
{
	burn(0.03);
	SAY("executed");
	exit(4);
}

static void *executes(void *p)
{
	(void)p;
	burn(0.03);
	again(".says");
	return NULL;
}

static void *burns(void *p)
{
	(void)p;
	burn(5);
	return NULL;
}

static void exec_by_thread(void)
{
	pthread_t t, other;

	MUST(!pthread_create(&other, NULL, burns, NULL));
	MUST(!pthread_create(&t, NULL, executes, NULL));
	pthread_join(t, NULL);
}

static void exec_after_leader(void)
{
	pthread_t t;

	MUST(!pthread_create(&t, NULL, executes, NULL));
	pthread_exit(NULL);
}

static void exec_by_name(void)
{
	static char *const argv[] = { "echo", "by", "name", NULL };
	pid_t child;

	burn(0.04);
	if (!(child = fork())) {
		burn(0.03);
		execvp("echo", argv);
		_exit(1);
	}
	say_end(child);
	execlp("sh", "sh", "-c", "echo by a shell; exit 9", (char *)NULL);
}

static void exec_that_fails(void)
{
	static char *const argv[] = { "no", NULL };
	char **volatile nowhere = (char **)8;

	burn(0.03);
	SAY_CALL(execvp("no-such-program", argv));
	burn(0.03);
	SAY_CALL(execv("/etc/passwd", argv));
	SAY_CALL(execv("/", argv));
	SAY_CALL(execve("/bin/true", nowhere, environ));
	burn(0.04);
}

static void exec_by_descriptor(void)
{
	static char *const argv[] = { "by-descriptor", ".says", NULL };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	MUST(fd >= 0);
	burn(0.04);
	fexecve(fd, argv, environ);
}

static void exec_of_memory(void)
{
	static char *const argv[] = { "of-memory", ".says", NULL };
	static char b[1 << 16];
	int from = open("/proc/self/exe", O_RDONLY), to = memfd_create("program", 0);
	ssize_t n;

	MUST(from >= 0 && to >= 0);
	while ((n = read(from, b, sizeof b)) > 0)
		MUST(write(to, b, (size_t)n) == n);
	close(from);
	burn(0.04);
	fexecve(to, argv, environ);
}

static void exec_without_environment(void)
{
	static char *const argv[] = { "env", NULL }, *const empty[] = { NULL };

	burn(0.04);
	execve("/usr/bin/env", argv, empty);
}

static void exec_in_steps(void)
{
	const char *steps = getenv("STEPS");
	char next[2] = { steps ? (char)(steps[0] + 1) : '1', 0 };

	burn(0.02);
	SAY("step %s", next);
	setenv("STEPS", next, 1);
	if (next[0] < '6')
		again("exec-in-steps");
}

static void family(void)
{
	pid_t children[5];

	for (int i = 0; i < 5; i++)
		if (!(children[i] = fork())) {
			pid_t grandchild = fork();

			burn(0.015);
			if (!grandchild)
				_exit(20 + i);
			say_end(grandchild);
			_exit(i);
		} else if (i % 2) {
			say_end(children[i]);
		} else {
			int status;

			MUST(waitpid(children[i], &status, 0) == children[i]);
		}
	burn(0.03);
	SAY_CALL(wait(NULL));
}

/* There are no children but the program's own. */
static void alone(void)
{
	SAY_CALL(wait(NULL));
	burn(0.06);
	SAY_CALL(waitid(P_ALL, 0, &(siginfo_t){ 0 }, WEXITED | WNOHANG));
	SAY_CALL(waitpid(-1, NULL, __WALL | WNOHANG));
	burn(0.03);
}

static void by_vfork(void)
{
	pid_t child;

	burn(0.03);
	if (!(child = vfork()))
		_exit(3);
	say_end(child);
	if (!(child = vfork())) {
		execl("/bin/false", "false", (char *)NULL);
		_exit(9);
	}
	say_end(child);
	if (!(child = vfork())) {
		execl("/no/such", "such", (char *)NULL);
		_exit(errno == ENOENT ? 8 : 9);
	}
	say_end(child);
	burn(0.05);
}

static void spawned(void)
{
	char path[4096] = "";
	char *argv[] = { path, ".says", NULL };
	posix_spawnattr_t a;
	posix_spawn_file_actions_t f;
	sigset_t set;
	pid_t child;

	MUST(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
	MUST(!posix_spawnattr_init(&a) && !posix_spawn_file_actions_init(&f));
	sigfillset(&set);
	posix_spawnattr_setsigmask(&a, &set);
	posix_spawnattr_setsigdefault(&a, &set);
	posix_spawnattr_setflags(&a, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	posix_spawn_file_actions_addclosefrom_np(&f, 3);
	burn(0.03);
	MUST(!posix_spawn(&child, path, &f, &a, argv, environ));
	say_end(child);
	SAY("posix_spawnp: %d", posix_spawnp(&child, "no-such-program", NULL, NULL, argv, environ));
	burn(0.03);
	SAY("system: %#x", system("exit 3"));
	FILE *p = popen("echo said by a child; exit 2", "r");
	char line[100];

	MUST(p && fgets(line, sizeof line, p));
	SAY("%s%#x", line, pclose(p));
}

static int prepared, went_on, began;

static void *forks(void *p)
{
	pid_t child = fork();

	(void)p;
	burn(0.02);
	if (!child)
		_exit(10 * prepared + began);
	say_end(child);
	return NULL;
}

static void prepares(void) { prepared++; }
static void goes_on(void) { went_on++; }
static void begins(void) { began++; }

static void forked_by_threads(void)
{
	pthread_t t;

	MUST(!pthread_atfork(prepares, goes_on, begins));
	for (int i = 0; i < 3; i++) {
		MUST(!pthread_create(&t, NULL, forks, NULL));
		burn(0.01);
		pthread_join(t, NULL);
	}
	SAY("%d prepared, %d went on, %d began", prepared, went_on, began);
}

static char stack[1 << 16] __attribute__((aligned(16)));

static int cloned(void *p)
{
	*(int *)p = 12;
	spin(3000000);
	return 11;
}

static void by_clone(void)
{
	int seen = 0;
	pid_t child;
	struct clone_args a = { .exit_signal = SIGCHLD };

	burn(0.03);
	child = clone(cloned, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &seen);
	MUST(child > 0);
	say_end(child);
	SAY("seen %d", seen);
	child = (pid_t)syscall(SYS_clone3, &a, sizeof a);
	if (!child) {
		spin(10000000);
		_exit(13);
	}
	say_end(child);
	child = (pid_t)syscall(SYS_fork);
	if (!child) {
		spin(10000000);
		_exit(14);
	}
	say_end(child);
	burn(0.03);
}

/* Its parent ends at once; it runs on, and we see the end of what it writes. */
static void daemonized(void)
{
	int fds[2];
	char b[100];
	ssize_t n;
	pid_t child;

	MUST(!pipe(fds));
	if (!(child = fork())) {
		setsid();
		if (fork())
			_exit(0);
		burn(0.08);
		MUST(write(fds[1], "from the daemon\n", 16) == 16);
		_exit(0);
	}
	close(fds[1]);
	say_end(child);
	while ((n = read(fds[0], b, sizeof b)) > 0)
		MUST(write(1, b, (size_t)n) == n);
}

static void adopts(void)
{
	pid_t child;

	MUST(!prctl(PR_SET_CHILD_SUBREAPER, 1));
	burn(0.03);
	if (!(child = fork())) {
		if (!fork()) {
			burn(0.04);
			_exit(17);
		}
		_exit(1);
	}
	say_end(child);
	int status;

	MUST(wait(&status) > 0);
	SAY("adopted: %d", WEXITSTATUS(status));
	SAY_CALL(wait(NULL));
}

static void ignores_children(void)
{
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < 4; i++)
		if (!fork()) {
			burn(0.02);
			_exit(i);
		}
	burn(0.02);
	SAY_CALL(wait(NULL));
}

static volatile sig_atomic_t died;

static void on_death(int s) { (void)s; died++; }

static void notices_children(void)
{
	sigset_t child, none;

	signal(SIGCHLD, on_death);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &none);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			burn(0.02);
			_exit(i);
		}
		while (died <= i)
			sigsuspend(&none);
		say_end(pid);
	}
	SAY("%d deaths", died);
	burn(0.03);
}

/* A tracer of its own children, as strace is. */
static void traces(void)
{
	int status, stops = 0;
	pid_t child = fork();

	if (!child) {
		MUST(!ptrace(PTRACE_TRACEME, 0, NULL, NULL));
		raise(SIGSTOP);
		burn(0.05);
		raise(SIGUSR1);
		_exit(0);
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		SAY("stop: %d", WSTOPSIG(status));
		if (++stops > 20)
			break;
		ptrace(PTRACE_CONT, child, NULL, WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status));
	}
	SAY("ended: %#x", status);
	burn(0.03);
}

static void killed_children(void)
{
	static const int by[] = { SIGKILL, SIGTERM, SIGSEGV, SIGURG, SIGPIPE, SIGPROF };

	for (size_t i = 0; i < LENGTH(by); i++) {
		pid_t child = fork();

		if (!child) {
			signal(SIGSEGV, SIG_DFL);
			burn(0.01);
			raise(by[i]);
			burn(0.01);
			_exit(33);
		}
		say_end(child);
	}
}

static void many(void)
{
	int sum = 0, status;

	for (int i = 0; i < 60; i++) {
		pid_t child = fork();

		if (!child)
			_exit(i);
		MUST(waitpid(child, &status, 0) == child);
		sum += WEXITSTATUS(status);
	}
	burn(0.03);
	SAY("sum %d", sum);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "exec-by-thread", exec_by_thread },
		{ "exec-after-leader", exec_after_leader },
		{ "exec-by-name", exec_by_name },
		{ "exec-that-fails", exec_that_fails },
		{ "exec-by-descriptor", exec_by_descriptor },
		{ "exec-of-memory", exec_of_memory },
		{ "exec-without-environment", exec_without_environment },
		{ "exec-in-steps", exec_in_steps },
		{ "family", family },
		{ "alone", alone },
		{ "by-vfork", by_vfork },
		{ "spawned", spawned },
		{ "forked-by-threads", forked_by_threads },
		{ "by-clone", by_clone },
		{ "daemonized", daemonized },
		{ "adopts", adopts },
		{ "ignores-children", ignores_children },
		{ "notices-children", notices_children },
		{ "traces", traces },
		{ "killed-children", killed_children },
		{ "many", many },
		{ ".says", says },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
