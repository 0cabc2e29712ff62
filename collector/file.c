#include "file.h"
#include "mapping.h"
#include "meta.h"
#include "note.h"
#include "options.h"
#include "run.h"
#include "rundir.h"
#include "space.h"
#include "sys.h"
#include "text.h"

#include <sys/stat.h>

enum { NAMES_MOST = 100, NAME_MOST = 200 };

size_t file_size(const struct count_header *h)
{
	return sizeof *h + (size_t)(h->capacity * h->width);
}

/* Whether counts for a header like want can be added to a file with the header have. */
static bool fits(const struct count_header *have, const struct count_header *want)
{
	bool same = have->header == want->header && have->kind == want->kind && have->width == want->width &&
		have->address == want->address && have->low == want->low && have->size == want->size &&
		have->bin == want->bin && have->capacity == want->capacity && have->period == want->period &&
		have->object_kind == want->object_kind && have->id_length == want->id_length &&
		text_equal(have->clock, want->clock);

	for (int i = 0; same && i < want->id_length; i++)
		same = have->id[i] == want->id[i];
	return same && (want->id_length || text_equal(have->object, want->object));
}

/* Publishes a file under its name, or replaces what is there. */
static long publish(int dir, const char *from, const char *to, bool replace)
{
	long err = sys5(SYS_renameat2, dir, from, dir, to, replace ? 0 : 1 /* RENAME_NOREPLACE */);

	if (err != -EINVAL || replace)
		return err;
	err = sys5(SYS_linkat, dir, from, dir, to, 0);
	sys3(SYS_unlinkat, dir, from, 0);
	return err;
}

/*
 * Makes a new file of n bytes that begins with a header of so many: 0, or -errno; -EEXIST if
 * somebody else made it.
 */
static long make(struct object *o, int dir, const char *name, const void *h, size_t header, size_t n, bool replace)
{
	static char new[PATH_MOST + 32];
	struct text t = text_in(new, sizeof new);
	long err;
	int fd;

	if (!space_for_file(n))
		return -EFBIG;
	if (dir != AT_FDCWD)
		text_char(&t, '.'); /* readers of a run directory take no notice of it */
	text_str(&t, name);
	text_str(&t, ".new");
	text_num(&t, (uint64_t)run.pid);
	fd = sys_openat(dir, new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd < 0)
		return fd == -EEXIST ? -EIO : fd;
	err = sys_pwrite(fd, h, header, 0);
	if (err >= 0)
		err = sys2(SYS_ftruncate, fd, n);
	if (err >= 0)
		err = publish(dir, new, name, replace);
	if (err < 0)
		sys3(SYS_unlinkat, dir, new, 0);
	if (err >= 0 && !mapping_make(o, fd, n)) {
		sys3(SYS_unlinkat, dir, name, 0);
		err = -ENOMEM;
	}
	sys_close(fd);
	return err;
}

/* Opens a count file that is there, to add to it: 0, or -errno; -EEXIST if it is no good. */
static long add_to(struct object *o, const char *name, const struct count_header *want, bool *old)
{
	static struct count_header have;
	struct stat st;
	long err = -EEXIST;
	int fd = sys_openat(AT_FDCWD, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

	*old = false;
	if (fd < 0)
		return fd == -ENOENT ? fd : -EEXIST;
	if (sys2(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    sys4(SYS_pread64, fd, &have, sizeof have, 0) == sizeof have &&
	    text_equal(have.magic, COUNT_MAGIC)) {
		*old = options.truncate && have.start < run.begun;
		if (!*old && fits(&have, want) && (uint64_t)st.st_size >= file_size(want) &&
		    mapping_make(o, fd, file_size(want)))
			err = 0;
	}
	sys_close(fd);
	return err;
}

/* A name in a run directory that is taken for something else. */
static bool reserved(const char *name)
{
	return text_equal(name, "meta") || text_equal(name, "paths") || text_equal(name, "tree") ||
	       text_equal(name, "kernel.syms") || text_equal(name, "names");
}

static void put_object(struct text *t, const struct object *o)
{
	text_name(t, text_base(o->path), NAME_MOST);
}

static void put_try(struct text *t, int try)
{
	if (try > 1) {
		text_char(t, '.');
		text_num(t, (uint64_t)try);
	}
}

/* The try-th name of an object's file in the run directory. */
static const char *name_in_run_directory(const struct object *o, int try)
{
	static char name[NAME_MOST + 16];
	struct text t = text_in(name, sizeof name);

	put_object(&t, o);
	put_try(&t, try);
	return name;
}

static long open_in_run_directory(struct object *o, const struct count_header *h)
{
	int dir = rundir_open();
	long err = -EEXIST;

	if (dir < 0)
		return -ENOTDIR; /* which has been noted */
	for (o->try = 1; o->try < NAMES_MOST; o->try++) {
		const char *name = name_in_run_directory(o, o->try);

		if (reserved(name))
			continue;
		err = make(o, dir, name, h, sizeof *h, file_size(h), false);
		if (err != -EEXIST)
			break;
	}
	sys_close(dir);
	return err;
}

/* The program's name as it was called, of p and o. */
static void put_called(struct text *t)
{
	static char arguments[PATH_MOST];
	int fd = sys_openat(AT_FDCWD, "/proc/thread-self/cmdline", O_RDONLY, 0);
	long n = fd < 0 ? -1 : sys3(SYS_read, fd, arguments, sizeof arguments - 1);

	if (fd >= 0)
		sys_close(fd);
	arguments[n > 0 ? n : 0] = '\0';
	text_str(t, arguments[0] ? text_base(arguments) : meta_program());
}

static long open_named(struct object *o, const struct count_header *h)
{
	static char name[PATH_MOST + NAME_MOST];
	long err = -EEXIST;
	struct stat st;
	bool old;

	for (int try = 1; err == -EEXIST && try < NAMES_MOST; try++) {
		struct text t = text_in(name, sizeof name);

		text_str(&t, options.path);
		if (sys4(SYS_newfstatat, AT_FDCWD, options.path, &st, 0) == 0 && S_ISDIR(st.st_mode)) {
			text_char(&t, '/');
			put_called(&t);
			text_str(&t, ".pct");
		}
		if (!o->main) {
			text_char(&t, '.');
			put_object(&t, o);
		}
		put_try(&t, try);
		if (t.full)
			return -ENAMETOOLONG;
		err = add_to(o, name, h, &old);
		if (err == -ENOENT || old)
			err = make(o, AT_FDCWD, name, h, sizeof *h, file_size(h), old);
		/* Somebody else may have made it just now. */
		if (err == -EEXIST && !old)
			err = add_to(o, name, h, &old);
		if (err == -EEXIST && try == 1)
			note_post(NOTE_OTHER_COUNTS);
	}
	return err;
}

long file_open(struct object *o, const struct count_header *h)
{
	return options.to_file ? open_named(o, h) : open_in_run_directory(o, h);
}

long file_open_calls(struct object *o, const void *header, size_t bytes, size_t n)
{
	int dir = rundir_open();
	long err;

	if (dir < 0)
		return -ENOTDIR; /* which has been noted */
	err = make(o, dir, o->path, header, bytes, n, false);
	sys_close(dir);
	return err;
}

bool file_cut_calls(const struct object *o, size_t n)
{
	int dir = rundir_reopen(), fd;
	bool cut;

	if (dir < 0)
		return false;
	fd = sys_openat(dir, o->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
	sys_close(dir);
	if (fd < 0)
		return false;
	cut = sys2(SYS_ftruncate, fd, n) == 0;
	sys_close(fd);
	return cut;
}

int file_reopen(const struct object *o)
{
	int dir = rundir_reopen(), fd;

	if (dir < 0)
		return -1;
	fd = sys_openat(dir, name_in_run_directory(o, o->try), O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
	sys_close(dir);
	return fd;
}
