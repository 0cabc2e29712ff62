#include "map.h"
#include "options.h"
#include "sys.h"
#include "text.h"

static const char *hexadecimal(const char *s, uint64_t *v)
{
	for (*v = 0;; s++) {
		unsigned d = (unsigned)*s - '0';
		if (d > 9)
			d = (unsigned)*s - 'a' < 6 ? (unsigned)*s - 'a' + 10 : 16;
		if (d > 15)
			return s;
		*v = *v << 4 | d;
	}
}

/* Cuts " (deleted)" off: the object was there, and its build-id tells it. */
static void undelete(char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = text_len(path), m = sizeof deleted - 1;

	if (n > m && text_equal(path + n - m, deleted))
		path[n - m] = '\0';
}

/* START-END PERM OFFSET MAJOR:MINOR INODE PATH */
static void parse(char *s, struct map_line *l)
{
	const char *p;
	uint64_t start, end, minor;

	p = hexadecimal(s, &start);
	p = hexadecimal(p + (*p == '-'), &end);
	l->start = start;
	l->end = end;
	l->executable = false;
	for (p += *p == ' '; *p && *p != ' '; p++)
		l->executable |= *p == 'x';
	p = hexadecimal(p + (*p == ' '), &l->offset);
	p = hexadecimal(p + (*p == ' '), &l->device);
	p = hexadecimal(p + (*p == ':'), &minor);
	l->device = l->device << 32 | minor;
	for (l->inode = 0, p += *p == ' '; *p >= '0' && *p <= '9'; p++)
		l->inode = l->inode * 10 + (uint64_t)(*p - '0');
	while (*p == ' ')
		p++;
	l->path = s + (p - s);
	if (l->executable && l->inode)
		undelete(l->path);
}

/*
 * Opens the map. The process itself has none any more when its first thread has ended; by the
 * thread's name emulators (qemu-aarch64) show their own, not the program's.
 */
static int open_map(void)
{
	int fd = sys_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY, 0);
	char first;

	if (fd >= 0 && sys4(SYS_pread64, fd, &first, 1, 0) == 1)
		return fd;
	if (fd >= 0)
		sys_close(fd);
	return sys_openat(AT_FDCWD, "/proc/thread-self/maps", O_RDONLY, 0);
}

bool map_each(void (*f)(struct map_line *))
{
	static char buffer[PATH_MOST + 256];
	size_t have = 0;
	long got;
	bool skipping = false;
	int fd = open_map();

	if (fd < 0)
		return false;
	while ((got = sys3(SYS_read, fd, buffer + have, sizeof buffer - 1 - have)) > 0 || got == -EINTR) {
		size_t at = 0;

		if (got < 0)
			continue;
		have += (size_t)got;
		for (size_t i = have - (size_t)got; i < have; i++) {
			struct map_line l;

			if (buffer[i] != '\n')
				continue;
			buffer[i] = '\0';
			if (!skipping) {
				parse(buffer + at, &l);
				f(&l);
			}
			skipping = false;
			at = i + 1;
		}
		if (at == 0 && have == sizeof buffer - 1) {
			/* A line longer than any path: pass it over. */
			skipping = true;
			at = have;
		}
		for (size_t i = at; i < have; i++)
			buffer[i - at] = buffer[i];
		have -= at;
	}
	sys_close(fd);
	return got == 0;
}
