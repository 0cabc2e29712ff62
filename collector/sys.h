/*
 * sys.h: system calls that leave errno alone.
 *
 * The collector runs in signal handlers of programs that it knows nothing about, so
 * all that it asks of the kernel goes through these: no cancellation points, no
 * errno, no interposed functions, no lazy binding. A failed call returns -errno.
 */
#ifndef PCT_SYS_H
#define PCT_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#if defined __x86_64__

static inline long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx",
			 "r11", "memory");
	return ret;
}

static inline uintptr_t context_pc(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
}

#elif defined __aarch64__

static inline long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

static inline uintptr_t context_pc(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.pc;
}

#else
#error "a system call and the program counter of a context are needed for this machine"
#endif

#define sys0(n) sys6(n, 0, 0, 0, 0, 0, 0)
#define sys1(n, a) sys6(n, (long)(a), 0, 0, 0, 0, 0)
#define sys2(n, a, b) sys6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define sys3(n, a, b, c) sys6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys4(n, a, b, c, d) sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define sys5(n, a, b, c, d, e) sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

static inline int sys_openat(int dir, const char *path, int flags, int mode)
{
	return (int)sys4(SYS_openat, dir, path, flags | O_CLOEXEC, mode);
}

static inline void sys_close(int fd)
{
	sys1(SYS_close, fd);
}

/*
 * The time of a clock, ns. The C library's function might be replaced by the program's, or by
 * one that another library preloads, which may take a lock that the interrupted code holds.
 */
static inline uint64_t sys_time(clockid_t clock)
{
	struct timespec t = { 0, 0 };

	sys2(SYS_clock_gettime, clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * Has the pages of anonymous memory that is about to be written, all at once. Before Linux 5.14
 * they come one by one.
 */
static inline void sys_populate(void *p, size_t n)
{
	enum { POPULATE_WRITE = 23 }; /* old headers have no name for it */

	sys3(SYS_madvise, p, n, POPULATE_WRITE);
}

/* The whole of a small file's write, or how it failed; short is a failure. */
static inline long sys_pwrite(int fd, const void *p, size_t n, long at)
{
	long r = sys4(SYS_pwrite64, fd, p, n, at);
	return r >= 0 && (size_t)r < n ? -ENOSPC : r;
}

/* NULL if it failed. */
static inline void *sys_mmap(size_t n, int prot, int flags, int fd)
{
	long r = sys6(SYS_mmap, 0, (long)n, prot, flags, fd, 0);
	return r < 0 && r > -4096 ? NULL : (void *)r;
}

#endif
