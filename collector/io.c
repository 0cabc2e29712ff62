/*
 * io.c: the resource `io`, µs in calls that read and write.
 *
 * It is a library of its own, so that programs which are not asked for it call these
 * functions directly. The standard I/O library's own system calls pass nobody, so that its
 * functions count as a whole; where one of ours is called in another, such as by a stream of the
 * program's own, the time counts once.
 */
#include "capture.h"
#include "consumer.h"
#include "next.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static __thread struct interval timer __attribute__((tls_model("initial-exec")));
static __thread uint64_t counted __attribute__((tls_model("initial-exec"))); /* ns, of all calls that have ended */
static __thread uint64_t rest __attribute__((tls_model("initial-exec")));    /* ns that are no whole µs yet */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The µs that passed since a call began, but for what calls inside it have counted. */
static uint64_t passed(uint64_t since, uint64_t counted_before)
{
	int error = errno;
	uint64_t all = now() - since, inside = counted - counted_before, ns = all > inside ? all - inside : 0;

	errno = error;
	counted += ns;
	ns += rest;
	rest = ns % 1000;
	return ns / 1000;
}

static void sample(const ucontext_t *context)
{
	consumer_sample("io", &timer, context);
}

/* Calls what would have been called without us, and consumes the time that it took. */
#define TIMED(result, call)                                              \
	do {                                                             \
		uint64_t since_ = now(), before_ = counted;              \
		result r_ = (call);                                      \
		if (interval_consume(&timer, passed(since_, before_)))   \
			capture(sample);                                 \
		return r_;                                               \
	} while (0)

/* The functions are found before they are called: handlers may call them, but not dlsym. */
#define STANDS_BEFORE(result, name, parameters, arguments)           \
	static __typeof__(&name) next_##name(void)                   \
	{                                                            \
		return NEXT(name);                                   \
	}                                                            \
	__attribute__((constructor)) static void find_##name(void)   \
	{                                                            \
		next_##name();                                       \
	}                                                            \
	EXPORT result name parameters                                \
	{                                                            \
		TIMED(result, next_##name() arguments);              \
	}

/* As macros these would not be functions. */
#undef fread_unlocked
#undef fwrite_unlocked

STANDS_BEFORE(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n))
STANDS_BEFORE(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
STANDS_BEFORE(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
STANDS_BEFORE(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at))
STANDS_BEFORE(ssize_t, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at))
STANDS_BEFORE(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at))
STANDS_BEFORE(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n))
STANDS_BEFORE(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
STANDS_BEFORE(ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
STANDS_BEFORE(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
STANDS_BEFORE(ssize_t, preadv64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at))
STANDS_BEFORE(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at))
STANDS_BEFORE(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))
STANDS_BEFORE(ssize_t, recvfrom, (int fd, void *restrict p, size_t n, int flags, struct sockaddr *restrict from, socklen_t *restrict length), (fd, p, n, flags, from, length))
STANDS_BEFORE(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags))
STANDS_BEFORE(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags))
STANDS_BEFORE(ssize_t, sendto, (int fd, const void *p, size_t n, int flags, const struct sockaddr *to, socklen_t length), (fd, p, n, flags, to, length))
STANDS_BEFORE(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags))
STANDS_BEFORE(ssize_t, sendfile, (int to, int from, off_t *at, size_t n), (to, from, at, n))
STANDS_BEFORE(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t n), (to, from, at, n))
STANDS_BEFORE(ssize_t, splice, (int from, off64_t *at, int to, off64_t *to_at, size_t n, unsigned flags), (from, at, to, to_at, n, flags))
STANDS_BEFORE(ssize_t, copy_file_range, (int from, off64_t *at, int to, off64_t *to_at, size_t n, unsigned flags), (from, at, to, to_at, n, flags))
STANDS_BEFORE(int, fsync, (int fd), (fd))
STANDS_BEFORE(int, fdatasync, (int fd), (fd))
STANDS_BEFORE(int, msync, (void *p, size_t n, int flags), (p, n, flags))

/* What the headers make of calls where buffers' sizes are known. */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
size_t __fread_chk(void *restrict, size_t, size_t, size_t, FILE *restrict);
size_t __fread_unlocked_chk(void *restrict, size_t, size_t, size_t, FILE *restrict);
char *__fgets_chk(char *restrict, size_t, int, FILE *restrict);
char *__fgets_unlocked_chk(char *restrict, size_t, int, FILE *restrict);
int __vfprintf_chk(FILE *restrict, int, const char *restrict, va_list);
int __fprintf_chk(FILE *restrict, int, const char *restrict, ...);
int __printf_chk(int, const char *restrict, ...);
int __vprintf_chk(int, const char *restrict, va_list);

STANDS_BEFORE(ssize_t, __read_chk, (int fd, void *p, size_t n, size_t room), (fd, p, n, room))
STANDS_BEFORE(ssize_t, __pread_chk, (int fd, void *p, size_t n, off_t at, size_t room), (fd, p, n, at, room))
STANDS_BEFORE(ssize_t, __pread64_chk, (int fd, void *p, size_t n, off64_t at, size_t room), (fd, p, n, at, room))
STANDS_BEFORE(ssize_t, __recv_chk, (int fd, void *p, size_t n, size_t room, int flags), (fd, p, n, room, flags))

STANDS_BEFORE(size_t, fread, (void *restrict p, size_t size, size_t n, FILE *restrict f), (p, size, n, f))
STANDS_BEFORE(size_t, fwrite, (const void *restrict p, size_t size, size_t n, FILE *restrict f), (p, size, n, f))
STANDS_BEFORE(size_t, fread_unlocked, (void *restrict p, size_t size, size_t n, FILE *restrict f), (p, size, n, f))
STANDS_BEFORE(size_t, fwrite_unlocked, (const void *restrict p, size_t size, size_t n, FILE *restrict f), (p, size, n, f))
STANDS_BEFORE(size_t, __fread_chk, (void *restrict p, size_t room, size_t size, size_t n, FILE *restrict f), (p, room, size, n, f))
STANDS_BEFORE(size_t, __fread_unlocked_chk, (void *restrict p, size_t room, size_t size, size_t n, FILE *restrict f), (p, room, size, n, f))
STANDS_BEFORE(char *, fgets, (char *restrict p, int n, FILE *restrict f), (p, n, f))
STANDS_BEFORE(char *, fgets_unlocked, (char *restrict p, int n, FILE *restrict f), (p, n, f))
STANDS_BEFORE(char *, __fgets_chk, (char *restrict p, size_t room, int n, FILE *restrict f), (p, room, n, f))
STANDS_BEFORE(char *, __fgets_unlocked_chk, (char *restrict p, size_t room, int n, FILE *restrict f), (p, room, n, f))
STANDS_BEFORE(int, fputs, (const char *restrict s, FILE *restrict f), (s, f))
STANDS_BEFORE(int, fputs_unlocked, (const char *restrict s, FILE *restrict f), (s, f))
STANDS_BEFORE(int, puts, (const char *s), (s))
STANDS_BEFORE(ssize_t, getline, (char **restrict p, size_t *restrict n, FILE *restrict f), (p, n, f))
STANDS_BEFORE(ssize_t, getdelim, (char **restrict p, size_t *restrict n, int end, FILE *restrict f), (p, n, end, f))
STANDS_BEFORE(ssize_t, __getdelim, (char **restrict p, size_t *restrict n, int end, FILE *restrict f), (p, n, end, f))
STANDS_BEFORE(int, fflush, (FILE *f), (f))
STANDS_BEFORE(int, fflush_unlocked, (FILE *f), (f))
STANDS_BEFORE(int, fclose, (FILE *f), (f))
STANDS_BEFORE(int, vfprintf, (FILE *restrict f, const char *restrict format, va_list list), (f, format, list))
STANDS_BEFORE(int, vprintf, (const char *restrict format, va_list list), (format, list))
STANDS_BEFORE(int, __vfprintf_chk, (FILE *restrict f, int flag, const char *restrict format, va_list list), (f, flag, format, list))
STANDS_BEFORE(int, __vprintf_chk, (int flag, const char *restrict format, va_list list), (flag, format, list))

/* With the arguments after `last` as `list`. */
#define TIMED_LIST(last, call)                                           \
	do {                                                             \
		uint64_t since_ = now(), before_ = counted;              \
		va_list list;                                            \
		int r_;                                                  \
		va_start(list, last);                                    \
		r_ = (call);                                             \
		va_end(list);                                            \
		if (interval_consume(&timer, passed(since_, before_)))   \
			capture(sample);                                 \
		return r_;                                               \
	} while (0)

EXPORT int printf(const char *restrict format, ...)
{
	TIMED_LIST(format, next_vprintf()(format, list));
}

EXPORT int fprintf(FILE *restrict f, const char *restrict format, ...)
{
	TIMED_LIST(format, next_vfprintf()(f, format, list));
}

EXPORT int __printf_chk(int flag, const char *restrict format, ...)
{
	TIMED_LIST(format, next___vprintf_chk()(flag, format, list));
}

EXPORT int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...)
{
	TIMED_LIST(format, next___vfprintf_chk()(f, flag, format, list));
}
