#include "space.h"
#include "sys.h"

#include <sys/resource.h>

static uint64_t coming = UINT64_MAX;

void space_expect(uint64_t limit)
{
	coming = limit;
}

bool space_permitted(uint64_t n)
{
	enum { PART = 64 };
	static const int limits[] = { RLIMIT_AS, RLIMIT_DATA };

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct rlimit limit = { 0, 0 };

		if (sys4(SYS_prlimit64, 0, limits[i], NULL, &limit) < 0 ||
		    (limit.rlim_cur != RLIM_INFINITY && n > limit.rlim_cur / PART))
			return false;
	}
	return coming == UINT64_MAX || n <= coming / PART;
}

bool space_for_file(uint64_t n)
{
	struct rlimit limit = { 0, 0 };

	return sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 && n <= limit.rlim_cur;
}

void *space_reserve(size_t n)
{
	void *p = sys_mmap(n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	if (!p)
		return NULL;
	/* In a program that has all its memory locked (mlockall) the kernel would fill it. */
	sys2(SYS_munlock, p, n);
	/*
	 * Only now the kernel holds it against RLIMIT_DATA, or what it commits itself to
	 * (vm.overcommit_memory).
	 */
	if (sys3(SYS_mprotect, p, n, PROT_READ | PROT_WRITE) == 0)
		return p;
	sys2(SYS_munmap, p, n);
	return NULL;
}
