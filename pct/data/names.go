package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const namesFile = "names"

// LacksNames reports whether a run directory is ours, so that names can be kept in it, and
// keeps none yet.
func LacksNames(dir string) bool {
	var st unix.Stat_t
	if unix.Lstat(dir, &st) != nil || int(st.Uid) != os.Geteuid() || unix.Access(dir, unix.W_OK) != nil {
		return false
	}
	return errors.Is(unix.Lstat(filepath.Join(dir, namesFile), &st), fs.ErrNotExist)
}

// ReadNames returns the content of the file names of a run directory, which package
// translators reads. It is an fs.ErrNotExist error if there is none.
func ReadNames(dir string) ([]byte, error) { return readRegular(filepath.Join(dir, namesFile)) }

// WriteNames puts the file names into a run directory of ours, in one step: nobody sees a part
// of it.
func WriteNames(dir string, content []byte) (err error) {
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	d := &Dir{path: dir, file: os.NewFile(uintptr(fd), dir)}
	defer d.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	if int(st.Uid) != os.Geteuid() {
		return &fs.PathError{Op: "write names into", Path: dir, Err: errors.New("it belongs to somebody else")}
	}
	const temporary = "." + namesFile
	// What a writer left that was killed is removed: it could be a link to what else we may write.
	if err := unix.Unlinkat(fd, temporary, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "remove", Path: filepath.Join(dir, temporary), Err: err}
	}
	f, err := d.open(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = unix.Renameat(fd, temporary, fd, namesFile)
	}
	if err != nil {
		unix.Unlinkat(fd, temporary, 0)
		return &fs.PathError{Op: "write", Path: filepath.Join(dir, namesFile), Err: err}
	}
	return nil
}
