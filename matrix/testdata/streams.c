/* Ways of using descriptors, streams and terminals. */
#include "way.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>

static void count(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	MUST(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d);
	closedir(d);
	SAY("%d open", n);
}

static void counted(void)
{
	count();
	burn(0.05);
	count();
	SAY("next is %d", open("/dev/null", O_RDONLY));
	burn(0.05);
}

static void closes_all(void)
{
	burn(0.03);
	closefrom(3);
	burn(0.03);
	SAY("next is %d", open("/dev/null", O_RDONLY));
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	burn(0.03);
	SAY("next is %d", open("/dev/null", O_RDONLY));
}

static void takes_all(void)
{
	for (int fd = 3; fd < 200; fd++)
		MUST(dup2(0, fd) == fd);
	burn(0.08);
	count();
	for (int fd = 3; fd < 200; fd++)
		MUST(fcntl(fd, F_GETFD) == 0);
	again(".counted-anew");
}

static void counted_anew(void)
{
	count();
	burn(0.04);
}

static void reads_input(void)
{
	char line[256];
	unsigned long sum = 0, lines = 0;

	while (fgets(line, sizeof line, stdin)) {
		for (char *p = line; *p; p++)
			sum = sum * 31 + (unsigned char)*p;
		if (++lines % 50 == 0)
			burn(0.005);
	}
	SAY("%lu lines, %lu", lines, sum);
	burn(0.03);
}

/* What another process reads of the same file comes after what we read. */
static void shares_input(void)
{
	char b[100];

	MUST(read(0, b, sizeof b) == sizeof b);
	burn(0.05);
	SAY("%.10s", b);
	MUST(system("head -c 20; echo") == 0);
	burn(0.03);
}

static void closed(void)
{
	close(0);
	close(2);
	burn(0.06);
	SAY("%d", open("/dev/null", O_RDWR));
	SAY("%d", open("/dev/null", O_RDWR));
	burn(0.03);
}

static void without_streams(void)
{
	int keep = dup(1);

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	burn(0.06);
	for (int fd = 0; fd < 3; fd++)
		MUST(open("/dev/null", O_RDWR) == fd);
	dprintf(keep, "all were free\n");
	_exit(0);
}

static void both(void)
{
	for (int i = 0; i < 20; i++) {
		fprintf(i % 2 ? stderr : stdout, "line %d\n", i);
		burn(0.004);
	}
	fflush(stdout);
	fputs("the last line\n", stderr);
}

static void broken_pipe(void)
{
	int fds[2];

	MUST(!pipe(fds));
	close(fds[0]);
	burn(0.05);
	SAY("before");
	SAY("%zd", write(fds[1], "x", 1));
}

static void surroundings(void)
{
	char cwd[4096];

	burn(0.05);
	MUST(getcwd(cwd, sizeof cwd));
	SAY("umask %o, in /tmp/: %d", umask(0), !strncmp(cwd, "/tmp/", 5));
	SAY("session %d", getsid(0) == getpid());
	SAY("nice %d", nice(0));
	SAY("terminals %d%d%d", isatty(0), isatty(1), isatty(2));
	burn(0.04);
}

static volatile sig_atomic_t signals;
static volatile int last;

static void counts(int s, siginfo_t *i, void *context)
{
	(void)s;
	(void)context;
	signals++;
	last = i->si_fd;
}

static void signaled(void)
{
	struct sigaction a = { .sa_sigaction = counts, .sa_flags = SA_SIGINFO | SA_RESTART };
	int fds[2];

	MUST(!pipe(fds) && !sigaction(SIGRTMIN + 1, &a, NULL) && !sigaction(SIGIO, &a, NULL));
	MUST(!fcntl(fds[0], F_SETOWN, getpid()) && !fcntl(fds[0], F_SETSIG, SIGRTMIN + 1));
	MUST(!fcntl(fds[0], F_SETFL, O_ASYNC));
	for (int i = 0; i < 10; i++) {
		char c;

		burn(0.008);
		MUST(write(fds[1], "x", 1) == 1 && read(fds[0], &c, 1) == 1);
	}
	SAY("%d signals, of ours: %d", signals, last == fds[0]);
}

static void maps(void)
{
	char name[] = "mapped.XXXXXX";
	int fd = mkstemp(name);
	char *p;
	unsigned long sum = 0;

	MUST(fd >= 0 && !ftruncate(fd, 1 << 22));
	p = mmap(NULL, 1 << 22, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	MUST(p != MAP_FAILED);
	for (int i = 0; i < 1 << 22; i += 512)
		p[i] = (char)(i >> 9);
	burn(0.05);
	MUST(!msync(p, 1 << 22, MS_SYNC) && !munmap(p, 1 << 22));
	for (char b[4096]; read(fd, b, sizeof b) > 0;)
		for (size_t i = 0; i < sizeof b; i++)
			sum += (unsigned char)b[i];
	unlink(name);
	SAY("sum %lu", sum);
	burn(0.02);
}

static void copies(void)
{
	char b[8192];
	ssize_t n;
	size_t all = 0;
	FILE *f = tmpfile();

	MUST(f);
	while ((n = read(0, b, sizeof b)) > 0)
		MUST(fwrite(b, 1, (size_t)n, f) == (size_t)n);
	for (int i = 0; i < 2000; i++)
		all += (size_t)fprintf(f, "%d %s\n", i, "of a formatted line");
	MUST(!fflush(f));
	burn(0.04);
	rewind(f);
	while (fgets(b, sizeof b, f))
		all += strlen(b);
	SAY("%zu", all);
	free(malloc(1 << 20));
	burn(0.03);
}

static void stops(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		burn(0.03);
		raise(SIGSTOP);
		burn(0.03);
		raise(SIGTSTP);
		burn(0.02);
		_exit(2);
	}
	for (;;) {
		MUST(waitpid(child, &status, WUNTRACED | WCONTINUED) == child);
		if (WIFSTOPPED(status)) {
			SAY("stopped by %d", WSTOPSIG(status));
			kill(child, SIGCONT);
		} else if (WIFCONTINUED(status)) {
			SAY("continued");
		} else {
			break;
		}
	}
	SAY("exit status %d", WEXITSTATUS(status));
	burn(0.02);
}

/* The end that the program inside the terminal has. */
static void inside(int fd)
{
	setsid();
	signal(SIGINT, SIG_DFL); /* the caller may be in the background */
	MUST(!ioctl(fd, TIOCSCTTY, 0));
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	burn(0.03);
	printf("ready %d %d\n", tcgetpgrp(0) == getpgrp(), isatty(1));
	fflush(stdout);
	burn(10);
	_exit(1);
}

static void terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char line[100];
	size_t n = 0;
	pid_t child;

	MUST(master >= 0 && !grantpt(master) && !unlockpt(master));
	if (!(child = fork())) {
		int slave = open(ptsname(master), O_RDWR | O_NOCTTY);

		close(master);
		inside(slave);
	}
	do
		MUST(read(master, &line[n], 1) == 1);
	while (line[n++] != '\n' && n < sizeof line - 1);
	line[n] = 0;
	printf("%s", line);
	MUST(write(master, "\003", 1) == 1);
	say_end(child);
	burn(0.03);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "counted", counted },
		{ "closes-all", closes_all },
		{ "takes-all", takes_all },
		{ "reads-input", reads_input },
		{ "shares-input", shares_input },
		{ "closed", closed },
		{ "without-streams", without_streams },
		{ "both", both },
		{ "broken-pipe", broken_pipe },
		{ "surroundings", surroundings },
		{ "signaled", signaled },
		{ "maps", maps },
		{ "copies", copies },
		{ "stops", stops },
		{ "terminal", terminal },
		{ ".counted-anew", counted_anew },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
