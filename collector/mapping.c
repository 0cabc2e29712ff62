#include "mapping.h"
#include "space.h"
#include "sys.h"

#include <linux/futex.h>

enum { PAGE = 4096 };

void mapping_cut(struct object *o, size_t n)
{
	n = (n + PAGE - 1) / PAGE * PAGE;
	if (n >= o->mapped)
		return;
	sys2(SYS_munmap, (char *)o->header + n, o->mapped - n);
	o->mapped = n;
}

/*
 * The kernel adds 0 to a word of the page, which fails where a store of ours would end in SIGBUS.
 */
bool mapping_reserve(struct object *o, size_t offset)
{
	static uint32_t nobody_waits;
	size_t page = offset / PAGE;
	uint64_t bit = UINT64_C(1) << page % 64;
	_Atomic uint64_t *word = &o->touched[page / 64];

	if (atomic_load_explicit(word, memory_order_relaxed) & bit)
		return true;
	if (sys6(SYS_futex, (long)&nobody_waits, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0,
		 (long)((char *)o->header + page * PAGE), FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) < 0)
		return false;
	atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
	return true;
}

static size_t touched_size(size_t mapped)
{
	return (mapped / PAGE / 64 + 1) * sizeof(uint64_t);
}

bool mapping_make(struct object *o, int fd, size_t n)
{
	o->header = space_permitted(n) ? sys_mmap(n, PROT_NONE, MAP_SHARED, fd) : NULL;
	if (!o->header)
		return false;
	/*
	 * In a program that has all its memory locked (mlockall) the kernel would fill the file
	 * with zeros.
	 */
	sys2(SYS_munlock, o->header, n);
	sys3(SYS_mprotect, o->header, n, PROT_READ | PROT_WRITE);
	sys3(SYS_madvise, o->header, n, MADV_DONTFORK);
	/*
	 * One page at a time: around a page of a sparse file the kernel would bring in up to 2 MB
	 * of zeros.
	 */
	sys3(SYS_madvise, o->header, n, MADV_RANDOM);
	o->mapped = n;
	o->touched = sys_mmap(touched_size(n), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (o->touched && mapping_reserve(o, 0))
		return true;
	sys2(SYS_munmap, o->header, n);
	if (o->touched)
		sys2(SYS_munmap, o->touched, touched_size(n));
	return false;
}

void mapping_forget(struct object *o)
{
	sys2(SYS_munmap, o->touched, touched_size(o->mapped));
	o->header = NULL;
	o->touched = NULL;
}
