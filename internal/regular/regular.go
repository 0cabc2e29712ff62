// Package regular opens files whose paths come from data: of a profile, an object's debug data, another process. Such
// a path can be made to name anything. To open a FIFO waits for its other end, and to open a device can do something:
// only regular files are opened, and no call waits.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Error says that what is at a path is not a regular file.
type Error struct{ Path string }

func (e *Error) Error() string { return e.Path + " is not a regular file" }

// Open opens a file for reading. What is not a regular file is an error of type *Error.
func Open(path string) (*os.File, fs.FileInfo, error) {
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = &Error{path}
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		at.Op = "open" // which is what the caller wants
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	// It may have been replaced in between.
	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() {
		err = &Error{path}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, st, nil
}

// ReadFile is os.ReadFile of a regular file.
func ReadFile(path string) ([]byte, error) {
	f, st, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, st.Size())
}

// ReadAll reads a file that was opened by Open, of this size then, to its end.
func ReadAll(f *os.File, size int64) ([]byte, error) {
	const more = 512 // what is read at least, to find the end
	b := make([]byte, 0, size+more)
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		// A read that gives less than asked for is at the end, but of files of /proc, whose size is 0.
		if errors.Is(err, io.EOF) || err == nil && size > 0 && len(b) >= int(size) && len(b) < cap(b) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}
