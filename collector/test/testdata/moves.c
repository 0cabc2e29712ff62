/*
 * moves FILE|jump: writes a file and reads it again, by functions and of sizes that are known; what a stream of its own
 * moves by `write` inside is not to count twice.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TIMES = 10 };

static const char *path;
static char line[128]; /* of 100 bytes and its end */

static void must(int ok)
{
	if (!ok)
		exit(1);
}

/* Each is a function of its own, and not left by a jump. */
#define MOVES(name, statement)                          \
	__attribute__((noipa)) void by_##name(FILE *f)  \
	{                                               \
		int fd = fileno(f);                     \
		char p[4096];                           \
		(void)fd;                               \
		(void)p;                                \
		statement;                              \
		__asm__ volatile("" : : : "memory");    \
	}

MOVES(write, must(write(fd, line, 100) == 100))
MOVES(pwrite, must(pwrite(fd, line, 50, 0) == 50))
MOVES(writev, must(writev(fd, &(struct iovec){ line, 70 }, 1) == 70))
MOVES(dprintf, must(dprintf(fd, "%sz", line) == 101))
MOVES(fwrite, must(fwrite(line, 10, 7, f) == 7))
MOVES(fputs, must(fputs(line, f) >= 0))
MOVES(fprintf, must(fprintf(f, "%sz", line) == 101))
MOVES(putc, for (int i = 0; i < 30; i++) must(putc('x', f) == 'x'))
MOVES(nothing, must(fflush(f) == 0))
MOVES(failing, must(write(-1, line, 100) < 0))

MOVES(read, must(read(fd, p, 100) == 100))
MOVES(pread, must(pread(fd, p, 60, 0) == 60))
MOVES(readv, must(readv(fd, &(struct iovec){ p, 70 }, 1) == 70))
MOVES(fread, must(fread(p, 10, 7, f) == 7))
MOVES(fgets, must(fgets(p, 51, f) && strlen(p) == 50))
MOVES(getc, for (int i = 0; i < 30; i++) must(getc(f) != EOF))

static ssize_t into(void *unused, const char *p, size_t n)
{
	static int fd;

	(void)unused;
	if (!fd)
		fd = open("/dev/null", O_WRONLY);
	return write(fd, p, n);
}

__attribute__((noipa)) void by_cookie(void)
{
	FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = into });

	setvbuf(f, NULL, _IONBF, 0);
	must(fputs(line, f) >= 0);
	fclose(f);
}

__attribute__((noipa)) void by_sendfile(int fd)
{
	off_t at = 0;
	int to = open("/dev/null", O_WRONLY);

	must(sendfile(to, fd, &at, 40) == 40);
	close(to);
}

static sigjmp_buf back;

static void on_alarm(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

__attribute__((noipa)) void further_in(int depth)
{
	char p[4096];
	int fd;

	if (depth > 0) {
		further_in(depth - 1);
		__asm__ volatile("" : : "r"(p) : "memory");
		return;
	}
	fd = open("/dev/zero", O_RDONLY);
	for (int i = 0; i < TIMES; i++)
		must(read(fd, p, 100) == 100);
	close(fd);
}

/* A handler jumps out of a function of a stream, which waits; what is called afterwards is further in. */
static void jump(void)
{
	struct itimerval soon = { .it_value = { 0, 50000 } };
	char p[100];
	int fds[2];

	must(!pipe(fds) && signal(SIGALRM, on_alarm) != SIG_ERR);
	if (!sigsetjmp(back, 1)) {
		setitimer(ITIMER_REAL, &soon, NULL);
		must(fgets(p, sizeof p, fdopen(fds[0], "r")) == NULL);
	}
	further_in(5);
}

int main(int argc, char **argv)
{
	FILE *f;

	must(argc > 1);
	if (!strcmp(argv[1], "jump")) {
		jump();
		return 0;
	}
	path = argv[1];
	memset(line, 'y', 100);
	f = fopen(path, "w+");
	must(f != NULL);
	for (int i = 0; i < TIMES; i++) {
		by_write(f);
		by_pwrite(f);
		by_writev(f);
		by_dprintf(f);
		by_fwrite(f);
		by_fputs(f);
		by_fprintf(f);
		by_putc(f);
		by_failing(f);
		by_nothing(f);
		by_cookie();
	}
	fclose(f);
	f = fopen(path, "r");
	for (int i = 0; i < TIMES; i++) {
		by_read(f);
		by_pread(f);
		by_readv(f);
		by_sendfile(fileno(f));
	}
	for (int i = 0; i < TIMES; i++) {
		by_fread(f);
		by_fgets(f);
		by_getc(f);
	}
	fclose(f);
	return 0;
}
