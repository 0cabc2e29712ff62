package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Root returns where run directories are put: $PCT_DIR, else /tmp/pct, or if others can replace what is in that,
// /tmp/pct-UID. collector/launch/root.h has the same in C.
func Root() string {
	if dir := os.Getenv("PCT_DIR"); dir != "" {
		return dir
	}
	return defaultRoot("/tmp/pct")
}

func defaultRoot(root string) string {
	var st unix.Stat_t
	if unix.Lstat(root, &st) == nil && exposed(&st) != "" {
		return fmt.Sprintf("%s-%d", root, os.Geteuid())
	}
	return root
}

// exposed tells, as a clause, that a user beside us and root can replace what is in a directory, or "". Of a link
// only its owner counts.
func exposed(st *unix.Stat_t) string {
	if int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return fmt.Sprintf("belongs to another user (uid %d), who can replace the data in it", st.Uid)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR && st.Mode&unix.S_IWOTH != 0 && st.Mode&unix.S_ISVTX == 0 {
		return "is writable for all and not sticky, so that every user can replace the data in it"
	}
	return ""
}

// openRoot opens the directory root, made if absent, and tells what users should know of it.
func openRoot(root string) (fd int, warning string, err error) {
	parent := filepath.Dir(filepath.Clean(root))
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return -1, "", err
	}
	st, err := os.Stat(parent)
	if err != nil {
		return -1, "", err
	}
	shared := st.Mode()&fs.ModeSticky != 0 && st.Mode().Perm()&0o002 != 0
	err = os.Mkdir(root, 0o777)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return -1, "", err
	}
	flags := unix.O_DIRECTORY | unix.O_CLOEXEC
	if shared {
		flags |= unix.O_NOFOLLOW
	}
	fd, err = unix.Open(root, flags, 0)
	if err != nil {
		if shared && errors.Is(err, unix.ENOTDIR) {
			return -1, "", fmt.Errorf("%s is not a directory (symbolic links are not followed); remove it or choose another with -o DIR or $PCT_DIR", root)
		}
		return -1, "", &fs.PathError{Op: "open", Path: root, Err: err}
	}
	var opened unix.Stat_t
	if err := unix.Fstat(fd, &opened); err != nil {
		return -1, "", errors.Join(&fs.PathError{Op: "stat", Path: root, Err: err}, unix.Close(fd))
	}
	if made && shared && int(opened.Uid) == os.Geteuid() {
		if err := unix.Fchmod(fd, 0o1777); err != nil {
			return -1, "", errors.Join(&fs.PathError{Op: "chmod", Path: root, Err: err}, unix.Close(fd))
		}
		return fd, "", nil
	}
	if why := exposed(&opened); why != "" {
		warning = fmt.Sprintf("the directory %s %s: choose another with -o DIR or $PCT_DIR", root, why)
	}
	return fd, warning, nil
}
