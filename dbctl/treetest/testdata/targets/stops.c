/* stops: a parent whose children stop, are continued and end, in all ways that its
 * waiting can see. Prints what each wait and each SIGCHLD told. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t chld;
static int go[2]; /* a byte for each step of the child's */

static const char *name(int code)
{
	static const char *const names[] = {"?", "exited", "killed", "dumped", "trapped", "stopped", "continued"};
	return code >= CLD_EXITED && code <= CLD_CONTINUED ? names[code] : names[0];
}

/* told waits for a SIGCHLD and prints it. */
static void told(pid_t child)
{
	siginfo_t i;
	while (sigwaitinfo(&chld, &i) < 0)
		printf("sigwaitinfo: %s\n", strerror(errno));
	printf("SIGCHLD: %s %s %d\n", i.si_pid == child ? "child" : "another", name(i.si_code), i.si_status);
}

/* silent prints the SIGCHLDs that have come beyond those told. */
static void silent(void)
{
	struct timespec none = {0, 0};
	siginfo_t i;
	while (sigtimedwait(&chld, &i, &none) > 0)
		printf("one SIGCHLD too many: %s %d\n", name(i.si_code), i.si_status);
}

static void waited(pid_t child)
{
	int ws;
	pid_t got = waitpid(child, &ws, WUNTRACED | WCONTINUED);
	if (got != child)
		printf("waitpid: %s\n", got < 0 ? strerror(errno) : "another");
	else if (WIFSTOPPED(ws))
		printf("wait: stopped by %d\n", WSTOPSIG(ws));
	else if (WIFCONTINUED(ws))
		printf("wait: continued\n");
	else if (WIFSIGNALED(ws))
		printf("wait: killed by %d\n", WTERMSIG(ws));
	else
		printf("wait: exited with %d\n", WEXITSTATUS(ws));
}

static void spin(int rounds)
{
	for (volatile int i = 0; i < rounds; i++)
		;
}

static void handle(int signal) { (void)signal; }

/* stopping is a child that stops in several ways, spins, and ends. */
static void stopping(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int i = 0; i < 4; i++) {
		static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
		char c;
		if (i == 3)
			signal(SIGCONT, handle);
		raise(stops[i]);
		spin(1000000);
		if (read(go[0], &c, 1) != 1)
			_exit(4);
	}
	_exit(3);
}

static void one(int no_stops)
{
	struct sigaction a = {.sa_handler = handle, .sa_flags = no_stops ? SA_NOCLDSTOP : 0};
	pid_t pid;

	printf(no_stops ? "without SIGCHLD for stops\n" : "with SIGCHLD for stops\n");
	sigaction(SIGCHLD, &a, NULL);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		stopping();
	for (int i = 0; i < 4; i++) {
		if (!no_stops)
			told(pid);
		waited(pid);
		silent();
		kill(pid, SIGCONT);
		if (!no_stops)
			told(pid);
		waited(pid);
		silent();
		if (write(go[1], "x", 1) != 1)
			exit(4);
	}
	told(pid);
	waited(pid);
	silent();
}

/* killed stops a child from outside, kills it while it is stopped. */
static void killed(void)
{
	struct sigaction a = {.sa_handler = handle};
	sigaction(SIGCHLD, &a, NULL);
	printf("stopped from outside\n");
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			spin(1000000);
	for (int i = 0; i < 3; i++) {
		kill(pid, SIGSTOP);
		told(pid);
		waited(pid);
		silent();
		if (i < 2) {
			kill(pid, SIGCONT);
			told(pid);
			waited(pid);
		}
	}
	kill(pid, SIGKILL);
	told(pid);
	waited(pid);
	silent();
}

/* fifty has as many children, one after another, and counts SIGCHLDs. */
static void fifty(void)
{
	int ended = 0, right = 0;

	fflush(stdout);
	for (int i = 0; i < 50; i++) {
		pid_t pid = i % 2 ? fork() : vfork();
		if (pid == 0) {
			if (i % 5 == 1)
				spin(3000000);
			_exit(i);
		}
		siginfo_t s;
		if (sigwaitinfo(&chld, &s) == SIGCHLD)
			ended += s.si_pid == pid && s.si_code == CLD_EXITED && s.si_status == i;
		int ws;
		right += waitpid(pid, &ws, 0) == pid && WIFEXITED(ws) && WEXITSTATUS(ws) == i;
		silent();
	}
	printf("50 children: %d SIGCHLDs, %d right\n", ended, right);
}

int main(void)
{
	if (pipe(go))
		return 4;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	one(0);
	one(1);
	killed();
	fifty();
	fflush(stdout);
	return 0;
}
