#include "rundir.h"
#include "launch/root.h"
#include "meta.h"
#include "note.h"
#include "options.h"
#include "run.h"
#include "space.h"
#include "sys.h"
#include "text.h"

#include <sys/stat.h>

enum { NAMES_MOST = 10000, DIRECTORIES_MOST = 4 };

static char path[PATH_MOST]; /* of the run directory; "" if there is none */
static uint64_t device, inode;
static int made;

/* Appends a line to $PCT_RUN. */
static void tell(const char *line, size_t n)
{
	int fd;

	if (!options.run[0] || !space_for_file(UINT32_MAX))
		return;
	fd = sys_openat(AT_FDCWD, options.run, O_WRONLY | O_APPEND | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return;
	sys3(SYS_write, fd, line, n);
	sys_close(fd);
}

/* Appends the line of a note: its process, its name and its sentence. */
static void tell_note(char *line, size_t size, long pid, const char *name, const char *sentence)
{
	struct text t = text_in(line, size);

	text_str(&t, "note\t");
	text_num(&t, (uint64_t)pid);
	text_char(&t, '\t');
	text_str(&t, name);
	text_char(&t, '\t');
	text_str(&t, sentence);
	text_char(&t, '\n');
	tell(line, t.n);
}

void rundir_tell(const char *name, const char *sentence)
{
	char line[1024];

	tell_note(line, sizeof line, sys0(SYS_getpid), name, sentence);
}

void rundir_tell_notes(void)
{
	static char line[512];
	uint64_t notes = note_take();

	for (int n = 0; notes; n++, notes >>= 1)
		if (notes & 1)
			tell_note(line, sizeof line, run.pid, note_name((enum note)n), note_sentence((enum note)n));
}

static bool shared_directory(const char *dir)
{
	struct stat st;

	return sys4(SYS_newfstatat, AT_FDCWD, dir, &st, 0) == 0 && (st.st_mode & S_ISVTX) && (st.st_mode & S_IWOTH);
}

/*
 * Opens the directory of run directories, made if absent; a link is refused in a directory like
 * /tmp.
 */
static int open_root(void)
{
	static char parent[PATH_MOST];
	struct text t = text_in(parent, sizeof parent);
	size_t n = text_len(options.dir);
	bool shared, mine;
	struct stat st;
	int fd;

	while (n > 1 && options.dir[n - 1] == '/')
		n--;
	while (n > 1 && options.dir[n - 1] != '/')
		n--;
	for (size_t i = 0; i < n; i++)
		text_char(&t, options.dir[i]);
	shared = shared_directory(parent);
	mine = sys3(SYS_mkdirat, AT_FDCWD, options.dir, 0777) == 0;
	fd = sys_openat(AT_FDCWD, options.dir, O_RDONLY | O_DIRECTORY | (shared ? O_NOFOLLOW : 0), 0);
	if (fd >= 0 && sys2(SYS_fstat, fd, &st) == 0) {
		uid_t us = (uid_t)sys0(SYS_geteuid);

		if (mine && shared && st.st_uid == us)
			sys2(SYS_fchmod, fd, 01777);
		else if (root_exposed(&st, us))
			note_post(NOTE_EXPOSED_DIRECTORY);
	}
	return fd;
}

/* Makes PROG.PID, or PROG.PID.2 and so on, and opens it. */
static int make(int root)
{
	static char name[256];
	const char *prog = meta_program();
	struct stat st;
	int fd;

	for (int n = 1; n < NAMES_MOST; n++) {
		struct text t = text_in(name, sizeof name);
		long err;

		text_str(&t, prog);
		text_char(&t, '.');
		text_num(&t, (uint64_t)run.pid);
		if (n > 1) {
			text_char(&t, '.');
			text_num(&t, (uint64_t)n);
		}
		err = sys3(SYS_mkdirat, root, name, 0700);
		if (err == -EEXIST)
			continue;
		if (err < 0)
			return -1;
		fd = sys_openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
		if (fd < 0)
			return -1;
		if (sys2(SYS_fstat, fd, &st) < 0 || st.st_uid != (uid_t)sys0(SYS_geteuid)) {
			sys_close(fd);
			return -1;
		}
		device = st.st_dev;
		inode = st.st_ino;
		t = text_in(path, sizeof path);
		text_str(&t, options.dir);
		text_char(&t, '/');
		text_str(&t, name);
		return fd;
	}
	return -1;
}

/* Tells $PCT_RUN of a new run directory. */
static void tell_directory(void)
{
	static char line[PATH_MOST + 8];
	struct text t = text_in(line, sizeof line);

	text_str(&t, "dir\t");
	text_str(&t, path);
	text_char(&t, '\n');
	tell(line, t.n);
}

int rundir_reopen(void)
{
	struct stat st;
	int fd = path[0] ? sys_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) : -1;

	if (fd < 0 || (sys2(SYS_fstat, fd, &st) == 0 && st.st_dev == device && st.st_ino == inode))
		return fd;
	sys_close(fd);
	return -1;
}

int rundir_open(void)
{
	int fd, root;

	if ((fd = rundir_reopen()) >= 0)
		return fd;
	if (made == DIRECTORIES_MOST)
		return -1;
	if (made++ && path[0])
		note_post(NOTE_NEW_DIRECTORY);
	path[0] = '\0';
	root = open_root();
	fd = root < 0 ? -1 : make(root);
	if (root >= 0)
		sys_close(root);
	if (fd < 0) {
		if (made == 1)
			note_post(NOTE_NO_DIRECTORY);
		return -1;
	}
	tell_directory();
	meta_write(fd, false);
	return fd;
}

void rundir_forget(void)
{
	path[0] = '\0';
	made = 0;
	meta_forget();
}

void rundir_write(bool complete)
{
	int fd;

	rundir_tell_notes();
	if ((fd = rundir_reopen()) < 0)
		return;
	if (!complete || !meta_append_end(fd))
		meta_write(fd, complete);
	sys_close(fd);
}
