package launch

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/regular"
	"github.com/profilecollection/pct/internal/terminal"
)

func init() {
	if len(os.Args) > 1 && os.Args[1] == word {
		// The thread that is traced or measured is the first, and the one to execute
		// must be it.
		runtime.LockOSThread()
	}
}

// Launcher does nothing, unless we were started by Start: then it becomes the program,
// or ends.
func Launcher() {
	o, ok := parse(os.Args)
	if !ok {
		return
	}
	unix.CloseOnExec(o.goOn)
	unix.CloseOnExec(o.said)
	unix.Write(o.said, []byte{0})
	var b [1]byte
	read(o.goOn, b[:])
	env := os.Environ()
	if o.timer > 0 {
		every := unix.NsecToTimeval(o.timer.Nanoseconds())
		value := unix.Itimerval{Interval: every, Value: every}
		terminal.Ignore(unix.SIGVTALRM)
		unix.RawSyscall(unix.SYS_SETITIMER, uintptr(unix.ITIMER_VIRTUAL), uintptr(unsafe.Pointer(&value)), 0)
	}
	for sig := unix.Signal(1); sig <= 64; sig++ {
		// Our runtime's handlers become defaults in the program.
		if o.ignored&(1<<(sig-1)) != 0 {
			terminal.Ignore(sig)
		}
	}
	unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, 2 /* SIG_SETMASK */, uintptr(unsafe.Pointer(&o.blocked)), 0, 8, 0, 0)
	err := syscall.Exec(o.path, o.argv, env)
	if o.shell && errors.Is(err, unix.ENOEXEC) && isText(o.path) {
		const shell = "/bin/sh"
		err = syscall.Exec(shell, append([]string{shell, o.path}, o.argv[1:]...), env)
	}
	if errno, ok := err.(syscall.Errno); ok {
		unix.Write(o.said, binary.NativeEndian.AppendUint32(nil, uint32(errno)))
	}
	os.Exit(127)
}

// isText reports whether a file can be a shell script.
func isText(path string) bool {
	f, _, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [256]byte
	n, _ := f.Read(b[:])
	return !strings.ContainsRune(string(b[:n]), 0)
}
