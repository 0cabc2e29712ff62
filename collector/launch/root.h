/*
 * root.h: the directory of run directories, for the library and for pct-launch. pct/data/root.go has the same in Go.
 */
#ifndef PCT_ROOT_H
#define PCT_ROOT_H

#include <stdbool.h>
#include <sys/stat.h>

/* Where run directories are without $PCT_DIR; with "-UID" appended if others can replace what is in it. */
#define ROOT_DEFAULT "/tmp/pct"

/* root_exposed: whether a user beside this one and root can replace what is in a directory. Of a link only its owner counts. */
static inline bool root_exposed(const struct stat *st, uid_t user)
{
	if (st->st_uid != user && st->st_uid != 0)
		return true;
	return S_ISDIR(st->st_mode) && (st->st_mode & S_IWOTH) && !(st->st_mode & S_ISVTX);
}

#endif
