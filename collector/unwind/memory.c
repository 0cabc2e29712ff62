#include "memory.h"
#include "machine.h"
#include "unwind.h"
#include "../sys.h"

#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/uio.h>

/*
 * Where a sandbox or an emulator has no such system call: whether the kernel can read a set of
 * signals at an address, which it does before it finds that there is nothing to do with
 * it. What is unmapped between this and the load would fault.
 */
static bool readable(uintptr_t word)
{
	return sys4(SYS_rt_sigprocmask, -1, word, 0, 8) == -EINVAL;
}

bool memory_peek(uintptr_t at, void *to, size_t n)
{
	const uintptr_t in_word = sizeof(uint64_t) - 1;
	struct iovec local = { to, n }, remote = { (void *)at, n };
	/*
	 * By the thread: the process has no memory by its own number when its first thread has
	 * ended.
	 */
	long got = sys6(SYS_process_vm_readv, sys0(SYS_gettid), (long)&local, 1, (long)&remote, 1, 0);

	if (got != -ENOSYS && got != -EPERM)
		return got == (long)n;
	/* No more than two pages are read at once. */
	if (at + n - 1 < at || !readable(at & ~in_word) || !readable((at + n - 1) & ~in_word))
		return false;
	for (size_t i = 0; i < n; i++)
		((uint8_t *)to)[i] = ((const volatile uint8_t *)at)[i];
	return true;
}

static void direct(struct memory *m, uintptr_t low, uintptr_t high)
{
	m->low = low;
	m->span = high - low - sizeof(uint64_t);
}

void memory_begin(struct memory *m, uintptr_t sp, uintptr_t alt, size_t size)
{
	m->window_at = 0;
	/*
	 * Nothing is read below what the interrupted code may use: a stack need not be there yet.
	 */
	if (sp >= m->own_low && sp < m->own_high && m->own_high - sp >= sizeof(uint64_t)) {
		uintptr_t low = sp - m->own_low > MACHINE_RED_ZONE ? sp - MACHINE_RED_ZONE : m->own_low;
		direct(m, low, m->own_high);
	} else if (sp - alt < size && alt + size - sp >= sizeof(uint64_t)) {
		direct(m, sp, alt + size);
	} else {
		/* One word must be in the range: any that can be read. */
		m->low = (uintptr_t)m->window;
		m->span = 0;
	}
}

/*
 * Moves the window to a chunk. Nothing is in the first one, whose address says that the window
 * shows nothing.
 */
static bool look_at(struct memory *m, uintptr_t chunk)
{
	if (m->window_at == chunk)
		return chunk;
	m->window_at = 0;
	if (!chunk || !memory_peek(chunk, m->window, WINDOW))
		return false;
	m->window_at = chunk;
	return true;
}

bool memory_load_elsewhere(struct memory *m, uintptr_t at, uint64_t *word)
{
	uintptr_t chunk = at & ~(uintptr_t)(WINDOW - 1);
	uint8_t *bytes = (uint8_t *)word;

	/* A chunk lies in one page, a word at an odd address in two chunks. */
	for (unsigned i = 0; i < sizeof *word; i++) {
		if (((at + i) & ~(uintptr_t)(WINDOW - 1)) != chunk)
			chunk += WINDOW;
		if (!look_at(m, chunk))
			return false;
		bytes[i] = m->window[at + i - chunk];
	}
	return true;
}

bool memory_read(struct memory *m, uintptr_t at, void *to, size_t n)
{
	const uintptr_t stack = m->span ? m->span + sizeof(uint64_t) : 0;
	uint8_t *bytes = to;

	if (at - m->low < stack && n <= stack - (at - m->low)) {
		for (size_t i = 0; i < n; i++)
			bytes[i] = ((const volatile uint8_t *)at)[i];
		return true;
	}
	while (n) {
		uintptr_t chunk = at & ~(uintptr_t)(WINDOW - 1), offset = at - chunk;
		size_t part = n < WINDOW - offset ? n : WINDOW - offset;

		if (!look_at(m, chunk))
			return false;
		for (size_t i = 0; i < part; i++)
			bytes[i] = m->window[offset + i];
		bytes += part;
		at += part;
		n -= part;
	}
	return true;
}

static const char *hexadecimal(const char *s, uintptr_t *v)
{
	for (*v = 0;; s++) {
		unsigned digit = (unsigned)*s - '0' < 10 ? (unsigned)*s - '0' :
				 (unsigned)*s - 'a' < 6  ? (unsigned)*s - 'a' + 10 : 16;

		if (digit > 15)
			return s;
		*v = *v << 4 | digit;
	}
}

/* Reads a line's START-END PERM; whether sp lies in it and it can be read. */
static bool holds(const char *head, uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
	const char *p = hexadecimal(head, low);

	p = hexadecimal(p + (*p == '-'), high);
	return sp >= *low && sp < *high && p[0] == ' ' && p[1] == 'r';
}

/*
 * The main thread's stack grows down, to its limit or to the mapping below it; what is
 * above the stack pointer is always there.
 */
static void extend(uintptr_t *low, uintptr_t high, uintptr_t below)
{
	const uintptr_t most = 128 << 20; /* the kernel keeps so much free */
	struct { uint64_t soft, hard; } limit = { 0, 0 };
	uintptr_t size;

	sys4(SYS_prlimit64, 0, RLIMIT_STACK, 0, &limit);
	size = limit.soft < most ? (uintptr_t)limit.soft : most;
	if (high - *low < size)
		*low = high - size > below ? high - size : below;
}

bool unwind_find_stack(uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
	char text[512], head[48];
	unsigned n = 0;
	bool found = false;
	uintptr_t below = 0, start = 0, end = 0, tp = machine_thread_pointer(), first = getauxval(AT_RANDOM);
	long got;
	int fd = sys_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY, 0);

	if (fd < 0)
		return false;
	while (!found && (got = sys3(SYS_read, fd, text, sizeof text)) > 0) {
		for (long i = 0; i < got && !found; i++) {
			if (text[i] != '\n') {
				if (n < sizeof head - 1)
					head[n++] = text[i];
				continue;
			}
			head[n] = '\0';
			n = 0;
			below = end;
			found = holds(head, sp, &start, &end);
		}
	}
	sys_close(fd);
	if (!found)
		return false;
	if (first >= start && first < end)
		extend(&start, end, below);
	/* What lies above a thread's own data may be another mapping that has joined its stack. */
	if (tp >= start && tp < end && tp > sp)
		end = tp & ~(uintptr_t)15;
	*low = start;
	*high = end;
	return true;
}
