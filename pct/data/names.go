package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const namesFile = "names"

// The file names is made, empty, by BeginNames, and filled by WriteNames, maybe long after: who
// removes the directory meanwhile meets no entry that was not there before. Its first byte is
// written last; until then it counts as absent.

// LacksNames reports whether a run directory is ours, so that names can be kept in it, and
// keeps none yet.
func LacksNames(dir string) bool {
	var st unix.Stat_t
	if unix.Lstat(dir, &st) != nil || int(st.Uid) != os.Geteuid() || unix.Access(dir, unix.W_OK) != nil {
		return false
	}
	path := filepath.Join(dir, namesFile)
	if err := unix.Lstat(path, &st); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	f, _, err := openRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return !written(f)
}

// written reports whether a file of names is whole, as far as its writer knew.
func written(f *os.File) bool {
	var first [1]byte
	n, _ := f.ReadAt(first[:], 0)
	return n == 1 && first[0] != 0
}

// ReadNames returns the content of the file names of a run directory, which package
// translators reads. It is an fs.ErrNotExist error if there is none yet.
func ReadNames(dir string) ([]byte, error) {
	path := filepath.Join(dir, namesFile)
	b, err := readRegular(path)
	if err == nil && (len(b) == 0 || b[0] == 0) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return b, err
}

// BeginNames makes the file names in a run directory of ours, if it is not there yet.
func BeginNames(dir string) error {
	d, err := openOurs(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := d.open(namesFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// WriteNames fills the file names that BeginNames has made. One that is filled, or that somebody
// else is about to fill, is left as it is.
func WriteNames(dir string, content []byte) error {
	d, err := openOurs(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := d.open(namesFile, os.O_RDWR|unix.O_NONBLOCK)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: f.Name(), Err: errors.New("it is not a regular file")}
	}
	lock := wholeFile()
	if errors.Is(unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock), unix.EAGAIN) || written(f) || len(content) == 0 {
		return nil
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.WriteAt(content[1:], 1); err != nil {
		return err
	}
	_, err = f.WriteAt(content[:1], 0)
	return err
}

// openOurs opens a run directory that belongs to us.
func openOurs(dir string) (*Dir, error) {
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	d := &Dir{path: dir, file: os.NewFile(uintptr(fd), dir)}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, errors.Join(&fs.PathError{Op: "stat", Path: dir, Err: err}, d.Close())
	}
	if int(st.Uid) != os.Geteuid() {
		return nil, errors.Join(&fs.PathError{Op: "write names into", Path: dir, Err: errors.New("it belongs to another user")}, d.Close())
	}
	return d, nil
}
