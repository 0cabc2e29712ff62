/* waits: processes, one after another and each of two threads, that block the signals of a set (all, or
 * those that clocks use), use CPU time, in every other one send themselves signals while they block
 * them, and take what is there: by sigtimedwait, sigwaitinfo, sigwait and signalfd. Another looks at
 * what is pending, and the program that one executes. Prints what each of them got. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burn.h"

static const char *way;
static sigset_t set;
static int raises;

static int is(const char *name) { return strcmp(way, name) == 0; }

/* take is the next signal that is there, 0 if there is none. */
static int take(int fd)
{
	struct timespec none = { 0, 0 };
	struct signalfd_siginfo info;
	sigset_t pending;
	int sig, any = 0;

	if (is("signalfd"))
		return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
	if (is("sigtimedwait"))
		return (sig = sigtimedwait(&set, NULL, &none)) > 0 ? sig : 0;
	/* The others would wait for ever. */
	sigpending(&pending);
	for (sig = 1; sig < 65; sig++)
		any |= sigismember(&set, sig) == 1 && sigismember(&pending, sig) == 1;
	if (!any)
		return 0;
	if (is("sigwait"))
		return sigwait(&set, &sig) == 0 ? sig : -1;
	return sigwaitinfo(&set, NULL);
}

static void *thread(void *text)
{
	char *out = text;
	int fd = signalfd(-1, &set, SFD_NONBLOCK), sig;

	for (int round = 0; round < 2; round++) {
		burn(6);
		if (raises) {
			syscall(SYS_tgkill, getpid(), gettid(), SIGTERM);
			syscall(SYS_tgkill, getpid(), gettid(), SIGWINCH);
			syscall(SYS_tgkill, getpid(), gettid(), SIGURG);
		}
		burn(6);
		for (out += sprintf(out, " |"); (sig = take(fd)) != 0;)
			out += sprintf(out, " %d", sig);
	}
	close(fd);
	return NULL;
}

static void *pending(void *text)
{
	char line[200], *out = text;

	for (int round = 0; round < 2; round++) {
		burn(12);
		FILE *f = fopen("/proc/thread-self/status", "r");
		while (fgets(line, sizeof line, f))
			if (strncmp(line, "SigPnd", 6) == 0 || strncmp(line, "ShdPnd", 6) == 0)
				out += sprintf(out, " %s", strtok(line, "\n"));
		fclose(f);
	}
	return NULL;
}

static int one(const char *name, const char *which)
{
	char text[2][1000] = { "", "" };
	pthread_t other;
	void *(*run)(void *);

	way = name;
	if (strcmp(which, "all") == 0)
		sigfillset(&set);
	else {
		sigemptyset(&set);
		sigaddset(&set, SIGURG);
		sigaddset(&set, SIGWINCH);
		sigaddset(&set, SIGINT);
		sigaddset(&set, SIGTERM);
	}
	burn(2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (is("exec")) {
		burn(20);
		execlp("grep", "grep", "-E", "^(SigPnd|ShdPnd|SigBlk)", "/proc/self/status", NULL);
		return 1;
	}
	run = is("pending") ? pending : thread;
	pthread_create(&other, NULL, run, text[1]);
	run(text[0]);
	pthread_join(other, NULL);
	printf("%s %s:%s\n%s\n", name, which, text[0], text[1]);
	return 0;
}

int main(void)
{
	static const char *ways[] = { "sigtimedwait", "sigwaitinfo", "sigwait", "signalfd", "pending", "exec" };
	int bad = 0;

	for (unsigned i = 0; i < 4 * sizeof ways / sizeof *ways; i++) {
		int status;
		pid_t child;

		raises = i % 2;
		fflush(stdout);
		if ((child = fork()) == 0)
			exit(one(ways[i / 4], i % 4 < 2 ? "all" : "clock"));
		waitpid(child, &status, 0);
		bad += status != 0;
	}
	return bad;
}
