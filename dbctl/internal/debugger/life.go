package debugger

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// life is a pipe of which this process alone has the writing end. When that is
// closed, by end or because this process has ended in whatever way, the kernel
// kills all that hold a guard, and their process groups.
//
// A guard is a reading end with a file description of its own, that asks for
// SIGKILL instead of SIGIO (F_SETSIG, F_SETOWN, O_ASYNC). Other than a parent's
// death signal it outlives the debugger from which another was copied, and
// depends on no thread.
type life struct {
	read, write *os.File
}

func newLife() (*life, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &life{read: read, write: write}, nil
}

func (l *life) end() {
	l.write.Close()
	l.read.Close()
}

// guard makes a guard that has no owner yet. Whoever becomes one must look
// afterwards whether the pipe has ended already.
func (l *life) guard() (*os.File, error) {
	conn, err := l.read.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var openErr error
	if err := conn.Control(func(read uintptr) {
		fd, openErr = unix.Open(fmt.Sprint("/proc/self/fd/", read), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	}); err != nil {
		return nil, err
	}
	if openErr != nil {
		return nil, os.NewSyscallError("open", openErr)
	}
	f := os.NewFile(uintptr(fd), "guard")
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETSIG, int(unix.SIGKILL))
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
	}
	if err != nil {
		f.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	return f, nil
}

// start starts a debugger that is killed when l ends, with the guard as its
// last descriptor. If l ends before the guard has its owner the debugger ends
// with its input instead.
func (l *life) start(cfg mi.Config) (*mi.Client, error) {
	guard, err := l.guard()
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	cfg.Files = append(cfg.Files, guard)
	c, err := mi.Start(cfg)
	if err != nil {
		return nil, err
	}
	if _, err := unix.FcntlInt(guard.Fd(), unix.F_SETOWN, -c.Pid()); err != nil {
		c.Kill()
		c.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	return c, nil
}
