/* forktree SEED N LEVELS FILE: becomes the root of a random tree of N processes,
 * LEVELS deep below it, made in all ways there are. Each process appends one
 * line to FILE, "PID WAY". Each parent checks the exit statuses of its children.
 * Prints a checksum and how many processes there were of each way; exits with a
 * status that follows from SEED, or with 255 if any process went wrong. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum way {
	FORK, FORK_EXEC, VFORK_EXEC, VFORK_EXIT, SPAWN, EXEC_IN_PARENT, EXEC_IN_THREAD, CLONE, CLONE_OTHER_SIGNAL,
	CLONE_VFORKED, CLONE3, _FORK, RAW_FORK, THREAD_FORK, DAEMON, SYSTEM, POPEN, WAYS, ROOT = WAYS, HELPER
};
static const char *const names[] = {
	"fork", "fork-exec", "vfork-exec", "vfork-exit", "spawn", "exec-in-parent", "exec-in-thread", "clone",
	"clone-other-signal", "clone-vforked", "clone3", "_Fork", "raw-fork", "thread-fork", "daemon", "system",
	"popen", "root", "helper"
};
enum { MOST = 512, AT_ONCE = 3, WRONG = 255, STATUSES = 200 };

/* A subtree of count processes, levels deep below its root. */
struct node { uint32_t seed; int count, levels, way; };

static const char *file;
static char self[4096];
extern char **environ;

static uint32_t next(uint32_t *s)
{
	*s = *s * 1664525 + 1013904223;
	return *s >> 8;
}

static int status_of(uint32_t seed)
{
	return (int)(next(&seed) % STATUSES);
}

/* plan says what children a node has. Some ways need a process more, which counts:
 * the one between a daemon and its parent, and the shell. */
static int plan(struct node n, struct node *child)
{
	int left = n.count - 1, k = 1, i;

	for (int power = 1; n.levels > 1 && power < left; k++) {
		power = k + 1;
		for (int l = 1; l < n.levels; l++)
			power *= k + 1;
	}
	for (i = 0; left > 0 && i < MOST; i++) {
		struct node *c = &child[i];

		*c = (struct node){next(&n.seed), 1, n.levels - 1, (int)(next(&n.seed) % WAYS)};
		if (n.levels > 1 && i + 1 < k) {
			int mean = left / (k - i);
			c->count = mean > 2 ? mean - mean / 2 + (int)(next(&n.seed) % (uint32_t)mean) : 1;
		} else if (n.levels > 1) {
			c->count = left;
		} else if (c->way >= DAEMON && left > 1) {
			c->count = 2;
		}
		left -= c->count;
		if (c->way == VFORK_EXIT && c->count > 1)
			c->way = VFORK_EXEC;
		if (c->way >= DAEMON && (c->count < 2 || n.way == EXEC_IN_PARENT))
			c->way = (int)(c->seed % VFORK_EXIT);
	}
	return i;
}

static void die(const char *what)
{
	fprintf(stderr, "forktree: %d: %s: %s\n", (int)getpid(), what, strerror(errno));
	_exit(WRONG);
}

/* tell says that there is a process. It is safe in a child of vfork. */
static void tell(int way)
{
	char line[64];
	int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
	int n = snprintf(line, sizeof line, "%d %s\n", (int)syscall(SYS_getpid), names[way]);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		_exit(WRONG);
	close(fd);
}

#include "ways.h"

/* ended waits for a child and says whether it ended as it should. */
static int ended(pid_t pid, int status)
{
	int ws;
	if (waitpid(pid, &ws, __WALL) != pid)
		die("waitpid");
	return WIFEXITED(ws) && WEXITSTATUS(ws) == status;
}

/* A child that was begun, with what else tells how it ends. */
struct live { struct node n; pid_t pid; int pipe; FILE *stream; int right; };

static struct live launch(struct node n)
{
	struct live l = {.n = n, .pipe = -1};
	int out;

	switch (n.way) {
	case DAEMON:
		l.pipe = grandchild(n, &l.pid);
		break;
	case SYSTEM:
		out = dup(1);
		if (out < 0 || !freopen("/dev/null", "w", stdout))
			die("dup");
		int ws = system(command(n));
		l.right = WIFEXITED(ws) && WEXITSTATUS(ws) == status_of(n.seed);
		dup2(out, 1);
		close(out);
		break;
	case POPEN:
		l.stream = popen(command(n), "re");
		if (!l.stream)
			die("popen");
		break;
	default:
		l.pid = start(&l.n);
	}
	if (l.pid < 0)
		die("fork");
	return l;
}

static int finish(struct live l)
{
	int status = status_of(l.n.seed), printed = -1, ws;
	unsigned char byte;

	switch (l.n.way) {
	case DAEMON:
		ws = read(l.pipe, &byte, 1) == 1 && byte == status;
		close(l.pipe);
		return ended(l.pid, 0) && ws;
	case SYSTEM:
		return l.right;
	case POPEN:
		if (fscanf(l.stream, "%d", &printed) != 1)
			printed = -1;
		ws = pclose(l.stream);
		return printed == status && WIFEXITED(ws) && WEXITSTATUS(ws) == status;
	default:
		return ended(l.pid, status);
	}
}

/* run makes the children of a node, some at the same time, and returns its
 * status. */
static int run(struct node n)
{
	struct node child[MOST];
	struct live l[MOST];
	int k = plan(n, child), wrong = 0, done = 0;

	for (int i = 0; i < k; i++) {
		l[i] = launch(child[i]);
		if (i - done >= AT_ONCE - 1)
			wrong |= !finish(l[done++]);
	}
	while (done < k)
		wrong |= !finish(l[done++]);
	if (wrong)
		fprintf(stderr, "forktree: %d: a child of %s went wrong\n", (int)getpid(), names[n.way]);
	return wrong ? WRONG : status_of(n.seed);
}

/* reap is the second half of exec_in_parent. */
static int reap(struct node n)
{
	struct node child[MOST];
	int k = plan(n, child), sum = 0, ws;

	for (int i = 0; i < k; i++) {
		if (waitpid(-1, &ws, __WALL) < 0 || !WIFEXITED(ws))
			return WRONG;
		sum += WEXITSTATUS(ws) - status_of(child[i].seed);
	}
	return sum ? WRONG : status_of(n.seed);
}

static void tally(struct node n, int *of)
{
	struct node child[MOST];

	of[n.way]++;
	if (n.way == DAEMON || n.way == SYSTEM || n.way == POPEN) {
		of[HELPER]++;
		n.count--;
	}
	for (int i = plan(n, child); i-- > 0;)
		tally(child[i], of);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	struct node n = {(uint32_t)strtoul(argv[1], NULL, 10), atoi(argv[2]), atoi(argv[3]), ROOT};
	int of[HELPER + 1] = {0}, total = 0;

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 2;
	file = argv[4];
	if (argc > 5 && strcmp(argv[5], "reap") == 0) {
		n.way = EXEC_IN_PARENT;
		return reap(n);
	}
	for (int w = 0; argc > 5 && w < WAYS; w++)
		if (strcmp(argv[5], names[w]) == 0)
			n.way = w;
	tell(n.way);
	int status = run(n);
	if (n.way != ROOT)
		return status;
	tally(n, of);
	for (int w = 0; w <= HELPER; w++) {
		printf("%s %d\n", names[w], of[w]);
		total += of[w];
	}
	printf("%d processes, status %d\n", total, status);
	return status;
}
