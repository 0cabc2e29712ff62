/*
 * alloc.c: the resource `alloc`, bytes asked of the C library's functions that allocate, or of
 * those that the program links in their place, and of mmap.
 *
 * It is a library of its own, so that programs which are not asked for it call their
 * malloc directly. Each call passes on to the function that would have been called
 * without us, and consumes what it was asked for.
 */
#include "capture.h"
#include "consumer.h"
#include "next.h"

#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

static __thread struct interval timer __attribute__((tls_model("initial-exec")));

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	_Atomic bool found;
} next;

/* False while it is under way, as when dlsym allocates: it can do without. */
static bool find(void)
{
	static _Atomic bool finding;

	if (atomic_exchange(&finding, true))
		return false;
	*(void **)&next.malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&next.calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&next.realloc = dlsym(RTLD_NEXT, "realloc");
	*(void **)&next.memalign = dlsym(RTLD_NEXT, "memalign");
	*(void **)&next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	*(void **)&next.valloc = dlsym(RTLD_NEXT, "valloc");
	*(void **)&next.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
	*(void **)&next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	*(void **)&next.mmap = dlsym(RTLD_NEXT, "mmap");
	atomic_store_explicit(&next.found, true, memory_order_release);
	return true;
}

/* The dynamic linker allocates before there is a second thread. */
static inline bool ready(void)
{
	return __builtin_expect(atomic_load_explicit(&next.found, memory_order_acquire), 1) || find();
}

static void sample(const ucontext_t *context)
{
	consumer_sample("alloc", &timer, context);
}

/* A macro, so that the innermost of the call path is the function that was called. */
#define CONSUME(bytes)                                 \
	do {                                           \
		if (interval_consume(&timer, (bytes))) \
			capture(sample);               \
	} while (0)

static void *none(void)
{
	errno = ENOMEM;
	return NULL;
}

EXPORT void *malloc(size_t n)
{
	void *p = ready() ? next.malloc(n) : none();

	if (p)
		CONSUME(n);
	return p;
}

EXPORT void *calloc(size_t count, size_t n)
{
	void *p = ready() ? next.calloc(count, n) : none();

	if (p)
		CONSUME(count * n);
	return p;
}

EXPORT void *realloc(void *old, size_t n)
{
	void *p = ready() ? next.realloc(old, n) : none();

	if (p)
		CONSUME(n);
	return p;
}

EXPORT void *memalign(size_t alignment, size_t n)
{
	void *p = ready() ? next.memalign(alignment, n) : none();

	if (p)
		CONSUME(n);
	return p;
}

EXPORT void *aligned_alloc(size_t alignment, size_t n)
{
	void *p = ready() ? next.aligned_alloc(alignment, n) : none();

	if (p)
		CONSUME(n);
	return p;
}

EXPORT void *valloc(size_t n)
{
	void *p = ready() ? next.valloc(n) : none();

	if (p)
		CONSUME(n);
	return p;
}

EXPORT void *pvalloc(size_t n)
{
	void *p = ready() ? next.pvalloc(n) : none();

	if (p)
		CONSUME(n);
	return p;
}

EXPORT int posix_memalign(void **p, size_t alignment, size_t n)
{
	int err = ready() ? next.posix_memalign(p, alignment, n) : ENOMEM;

	if (!err)
		CONSUME(n);
	return err;
}

EXPORT void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	void *p = ready() ? next.mmap(at, n, protection, flags, fd, offset) : MAP_FAILED;

	/* What can't be touched is reserved at most. */
	if (p != MAP_FAILED && flags & MAP_ANONYMOUS && protection != PROT_NONE)
		CONSUME(n);
	return p;
}

EXPORT void *mmap64(void *at, size_t n, int protection, int flags, int fd,
		    off_t offset) __attribute__((alias("mmap")));

/* Whether the program, or what it preloads, has a malloc that stands before ours. */
static bool preceded(void)
{
	Dl_info first, own;
	void *symbol;

	if (!dladdr1(dlsym(RTLD_DEFAULT, "malloc"), &first, &symbol, RTLD_DL_SYMENT) || !dladdr(&next, &own))
		return false;
	/*
	 * At a fixed address, a program may have but the place by which all know the function of
	 * another object.
	 */
	if (symbol && ((const ElfW(Sym) *)symbol)->st_shndx == SHN_UNDEF)
		return false;
	return first.dli_fbase != own.dli_fbase;
}

__attribute__((constructor)) static void begin(void)
{
	if (pct_own_malloc && preceded())
		pct_own_malloc();
}
