package data

import (
	"io"
	"os"

	"github.com/profilecollection/pct/internal/regular"
	"golang.org/x/sys/unix"
)

// A file that is being written is locked by its writer (an open file description
// lock), so that readers can tell a run that goes on from one whose collector was
// killed: the kernel unlocks what a process had open.

// claim locks a file for as long as it is open. A file system without locks does
// without.
func claim(f *os.File) {
	lock := wholeFile()
	_ = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock)
}

// claimed reports whether somebody else has the file locked.
func claimed(path string) bool {
	f, _, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return locked(f)
}

// locked is claimed of a file that is open.
func locked(f *os.File) bool {
	lock := wholeFile()
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &lock) == nil && lock.Type != unix.F_UNLCK
}

func wholeFile() unix.Flock_t { return unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart} }
