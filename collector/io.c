/*
 * io.c: the resources `io`, µs in calls that read and write, and `read` and `write`, the bytes
 * that they move.
 *
 * It is a library of its own, so that programs which are not asked for it call these functions
 * directly. The standard I/O library's own system calls pass nobody, so that its functions count
 * as a whole, with the bytes that they give to the program or take from it; where one of ours is
 * called in another, such as by a stream of the program's own, time and bytes count once.
 */
#include "borrowed.h"
#include "capture.h"
#include "consumer.h"
#include "next.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static __thread struct interval timer __attribute__((tls_model("initial-exec")));
static __thread uint64_t counted __attribute__((tls_model("initial-exec"))); /* ns, of all calls that have ended */
static __thread uint64_t rest __attribute__((tls_model("initial-exec")));    /* ns that are no whole µs yet */
static __thread struct interval readings __attribute__((tls_model("initial-exec")));
static __thread struct interval writings __attribute__((tls_model("initial-exec")));
static __thread char *outer __attribute__((tls_model("initial-exec"))); /* the frame of the call that others may be in; NULL: none */

static _Atomic bool ended; /* nothing more is measured */

void pct_io_ends(void)
{
	ended = true;
}

/* A program that has confined itself may be ended for reading a clock. */
static uint64_t now(void)
{
	struct timespec t;

	if (ended)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The µs that passed since a call began, but for what calls inside it have counted. */
static uint64_t passed(uint64_t since, uint64_t counted_before)
{
	int error = errno;
	uint64_t all = ended ? 0 : now() - since, inside = counted - counted_before;
	uint64_t ns = all > inside ? all - inside : 0;

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

static void sample_reading(const ucontext_t *context)
{
	consumer_sample("read", &readings, context);
}

static void sample_writing(const ucontext_t *context)
{
	consumer_sample("write", &writings, context);
}

/* Bytes that a call read and wrote. Leaves errno alone. */
#define MOVED(read_bytes, written_bytes)                                           \
	do {                                                                       \
		if (interval_consume(&readings, (uint64_t)(read_bytes)))           \
			capture(sample_reading);                                   \
		if (interval_consume(&writings, (uint64_t)(written_bytes)))        \
			capture(sample_writing);                                   \
	} while (0)

/*
 * A function of a stream begins, whose bytes count but for those of calls inside it; false if it
 * is inside itself. One that was left by a jump is recognized by its frame: what is called now is
 * not further in.
 */
static inline bool begin(char *frame)
{
	if (outer && frame < outer)
		return false;
	outer = frame;
	return true;
}

/* Whether a system call is none that such a function makes. */
static inline bool outside(char *frame)
{
	return !outer || frame > outer;
}

void pct_landed(uintptr_t sp)
{
	if (outer && (uintptr_t)outer < sp)
		outer = NULL;
}

#define FRAME ((char *)__builtin_frame_address(0))

/*
 * Calls what would have been called without us, and consumes the time that it took and the bytes
 * that it moved, in which r_ is its result. counts: whether its bytes do; stream: whether it was
 * begun.
 */
#define TIMED(result, call, counts, stream, read_bytes, written_bytes)         \
	do {                                                                   \
		uint64_t since_ = now(), before_ = counted;                    \
		bool counts_ = (counts), due_;                                 \
		result r_ = (call);                                            \
		due_ = interval_consume(&timer, passed(since_, before_));      \
		if ((stream) && counts_)                                       \
			outer = NULL;                                          \
		if (counts_)                                                   \
			MOVED(read_bytes, written_bytes);                      \
		if (due_)                                                      \
			capture(sample);                                       \
		return r_;                                                     \
	} while (0)

/* What a call moved that returns the number, or a negative one if it failed. */
#define ALL (r_ > 0 ? r_ : 0)

/* The functions are found before they are called: handlers may call them, but not dlsym. */
#define FOUND(name)                                                  \
	static __typeof__(&name) next_##name(void)                   \
	{                                                            \
		return NEXT(name);                                   \
	}                                                            \
	__attribute__((constructor)) static void find_##name(void)   \
	{                                                            \
		next_##name();                                       \
	}

#define SYSTEM(result, name, parameters, arguments, read_bytes, written_bytes)                               \
	FOUND(name)                                                                                          \
	EXPORT result name parameters                                                                        \
	{                                                                                                    \
		TIMED(result, next_##name() arguments, outside(FRAME), false, read_bytes, written_bytes);    \
	}

#define STREAM(result, name, parameters, arguments, read_bytes, written_bytes)                               \
	FOUND(name)                                                                                          \
	EXPORT result name parameters                                                                        \
	{                                                                                                    \
		TIMED(result, next_##name() arguments, begin(FRAME), true, read_bytes, written_bytes);       \
	}

/* One character, which takes no time worth asking for. */
#define CHARACTER(name, parameters, arguments, read_bytes, written_bytes)                                    \
	FOUND(name)                                                                                          \
	EXPORT int name parameters                                                                           \
	{                                                                                                    \
		bool counts_ = begin(FRAME);                                                                 \
		int r_ = next_##name() arguments;                                                            \
		if (counts_)                                                                                 \
			outer = NULL;                                                                        \
		if (counts_ && r_ != EOF)                                                                    \
			MOVED(read_bytes, written_bytes);                                                    \
		return r_;                                                                                   \
	}

/* As macros these would not be functions. */
#undef fread_unlocked
#undef fwrite_unlocked

SYSTEM(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), ALL, 0)
SYSTEM(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), 0, ALL)
SYSTEM(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), ALL, 0)
SYSTEM(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), 0, ALL)
SYSTEM(ssize_t, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at), ALL, 0)
SYSTEM(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at), 0, ALL)
SYSTEM(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n), ALL, 0)
SYSTEM(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), 0, ALL)
SYSTEM(ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), ALL, 0)
SYSTEM(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), 0, ALL)
SYSTEM(ssize_t, preadv64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at), ALL, 0)
SYSTEM(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at), 0, ALL)
SYSTEM(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags), ALL, 0)
SYSTEM(ssize_t, recvfrom, (int fd, void *restrict p, size_t n, int flags, struct sockaddr *restrict from,
			   socklen_t *restrict length), (fd, p, n, flags, from, length), ALL, 0)
SYSTEM(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags), ALL, 0)
SYSTEM(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags), 0, ALL)
SYSTEM(ssize_t, sendto, (int fd, const void *p, size_t n, int flags, const struct sockaddr *to, socklen_t length),
       (fd, p, n, flags, to, length), 0, ALL)
SYSTEM(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), 0, ALL)
SYSTEM(ssize_t, sendfile, (int to, int from, off_t *at, size_t n), (to, from, at, n), ALL, ALL)
SYSTEM(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t n), (to, from, at, n), ALL, ALL)
SYSTEM(ssize_t, splice, (int from, off64_t *at, int to, off64_t *to_at, size_t n, unsigned flags),
       (from, at, to, to_at, n, flags), ALL, ALL)
SYSTEM(ssize_t, copy_file_range, (int from, off64_t *at, int to, off64_t *to_at, size_t n, unsigned flags),
       (from, at, to, to_at, n, flags), ALL, ALL)
SYSTEM(int, fsync, (int fd), (fd), 0, 0)
SYSTEM(int, fdatasync, (int fd), (fd), 0, 0)
SYSTEM(int, msync, (void *p, size_t n, int flags), (p, n, flags), 0, 0)

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
int __vdprintf_chk(int, int, const char *restrict, va_list);
int __dprintf_chk(int, int, const char *restrict, ...);

SYSTEM(ssize_t, __read_chk, (int fd, void *p, size_t n, size_t room), (fd, p, n, room), ALL, 0)
SYSTEM(ssize_t, __pread_chk, (int fd, void *p, size_t n, off_t at, size_t room), (fd, p, n, at, room), ALL, 0)
SYSTEM(ssize_t, __pread64_chk, (int fd, void *p, size_t n, off64_t at, size_t room), (fd, p, n, at, room), ALL, 0)
SYSTEM(ssize_t, __recv_chk, (int fd, void *p, size_t n, size_t room, int flags), (fd, p, n, room, flags), ALL, 0)

STREAM(size_t, fread, (void *restrict p, size_t size, size_t n, FILE *restrict f), (p, size, n, f), r_ * size, 0)
STREAM(size_t, fwrite, (const void *restrict p, size_t size, size_t n, FILE *restrict f), (p, size, n, f), 0,
       r_ * size)
STREAM(size_t, fread_unlocked, (void *restrict p, size_t size, size_t n, FILE *restrict f), (p, size, n, f),
       r_ * size, 0)
STREAM(size_t, fwrite_unlocked, (const void *restrict p, size_t size, size_t n, FILE *restrict f), (p, size, n, f), 0,
       r_ * size)
STREAM(size_t, __fread_chk, (void *restrict p, size_t room, size_t size, size_t n, FILE *restrict f),
       (p, room, size, n, f), r_ * size, 0)
STREAM(size_t, __fread_unlocked_chk, (void *restrict p, size_t room, size_t size, size_t n, FILE *restrict f),
       (p, room, size, n, f), r_ * size, 0)
STREAM(char *, fgets, (char *restrict p, int n, FILE *restrict f), (p, n, f), r_ ? strlen(r_) : 0, 0)
STREAM(char *, fgets_unlocked, (char *restrict p, int n, FILE *restrict f), (p, n, f), r_ ? strlen(r_) : 0, 0)
STREAM(char *, __fgets_chk, (char *restrict p, size_t room, int n, FILE *restrict f), (p, room, n, f),
       r_ ? strlen(r_) : 0, 0)
STREAM(char *, __fgets_unlocked_chk, (char *restrict p, size_t room, int n, FILE *restrict f), (p, room, n, f),
       r_ ? strlen(r_) : 0, 0)
STREAM(int, fputs, (const char *restrict s, FILE *restrict f), (s, f), 0, r_ >= 0 ? strlen(s) : 0)
STREAM(int, fputs_unlocked, (const char *restrict s, FILE *restrict f), (s, f), 0, r_ >= 0 ? strlen(s) : 0)
STREAM(int, puts, (const char *s), (s), 0, r_ >= 0 ? strlen(s) + 1 : 0)
STREAM(ssize_t, getline, (char **restrict p, size_t *restrict n, FILE *restrict f), (p, n, f), ALL, 0)
STREAM(ssize_t, getdelim, (char **restrict p, size_t *restrict n, int end, FILE *restrict f), (p, n, end, f), ALL, 0)
STREAM(ssize_t, __getdelim, (char **restrict p, size_t *restrict n, int end, FILE *restrict f), (p, n, end, f), ALL, 0)
STREAM(int, fflush, (FILE *f), (f), 0, 0)
STREAM(int, fflush_unlocked, (FILE *f), (f), 0, 0)
STREAM(int, fclose, (FILE *f), (f), 0, 0)
STREAM(int, vfprintf, (FILE *restrict f, const char *restrict format, va_list list), (f, format, list), 0, ALL)
STREAM(int, vprintf, (const char *restrict format, va_list list), (format, list), 0, ALL)
STREAM(int, __vfprintf_chk, (FILE *restrict f, int flag, const char *restrict format, va_list list),
       (f, flag, format, list), 0, ALL)
STREAM(int, __vprintf_chk, (int flag, const char *restrict format, va_list list), (flag, format, list), 0, ALL)

STREAM(int, vdprintf, (int fd, const char *restrict format, va_list list), (fd, format, list), 0, ALL)
STREAM(int, __vdprintf_chk, (int fd, int flag, const char *restrict format, va_list list), (fd, flag, format, list), 0,
       ALL)

CHARACTER(fgetc, (FILE *f), (f), 1, 0)
CHARACTER(getc, (FILE *f), (f), 1, 0)
CHARACTER(getchar, (void), (), 1, 0)
CHARACTER(fgetc_unlocked, (FILE *f), (f), 1, 0)
CHARACTER(getc_unlocked, (FILE *f), (f), 1, 0)
CHARACTER(getchar_unlocked, (void), (), 1, 0)
CHARACTER(fputc, (int c, FILE *f), (c, f), 0, 1)
CHARACTER(putc, (int c, FILE *f), (c, f), 0, 1)
CHARACTER(putchar, (int c), (c), 0, 1)
CHARACTER(fputc_unlocked, (int c, FILE *f), (c, f), 0, 1)
CHARACTER(putc_unlocked, (int c, FILE *f), (c, f), 0, 1)
CHARACTER(putchar_unlocked, (int c), (c), 0, 1)

/* With the arguments after `last` as `list`. */
#define TIMED_LIST(last, call)                                                                          \
	do {                                                                                            \
		va_list list;                                                                           \
		va_start(list, last);                                                                   \
		TIMED(int, ({ int n_ = (call); va_end(list); n_; }), begin(FRAME), true, 0, ALL);       \
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

EXPORT int dprintf(int fd, const char *restrict format, ...)
{
	TIMED_LIST(format, next_vdprintf()(fd, format, list));
}

EXPORT int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
{
	TIMED_LIST(format, next___vdprintf_chk()(fd, flag, format, list));
}
