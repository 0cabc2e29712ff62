/*
 * iterate.c: the function of the C library by which unwinders other than libgcc's look for call
 * frame information. It stands for itself, since parts of the collector call it that throw.c
 * needs.
 */
#include "next.h"
#include "unwind/unwind.h"

#include <link.h>

#ifdef __x86_64__

typedef int iterate_function(int (*)(struct dl_phdr_info *, size_t, void *), void *);

static iterate_function *find(void)
{
	return NEXT(dl_iterate_phdr);
}

EXPORT int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	unwind_return_addresses(0, false);
	return find()(callback, data);
}

/* Beforehand, for it may be called by signal handlers. */
__attribute__((constructor)) static void find_before(void)
{
	find();
}

#endif
