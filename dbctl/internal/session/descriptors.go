package session

import (
	"errors"

	"golang.org/x/sys/unix"
)

// errManyOpen is why a process among very many is not sampled as asked.
var errManyOpen = errors.New("too many open files (see ulimit -n)")

// spareDescriptors is the number from which on descriptors are kept for what we
// can't do without.
func spareDescriptors() int {
	const kept = 64
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 1 << 30
	}
	return max(int(limit.Cur)-kept, int(limit.Cur)/2)
}

// descriptorsLeft reports whether some may be used for one process more.
func descriptorsLeft() bool {
	fd, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err != unix.EMFILE && fd < spareDescriptors()
}
