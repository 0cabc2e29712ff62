package ring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/regular"
	"github.com/profilecollection/pct/internal/terminal"
)

// launchWord, as its first argument, makes our own executable a launcher.
const launchWord = "-launch-"

func init() {
	if len(os.Args) > 1 && os.Args[1] == launchWord {
		// The thread that the events are for is the first, and the one to execute
		// must be it.
		runtime.LockOSThread()
	}
}

// launched is a program that is about to be executed.
type launched struct {
	pid       int
	goW, said int // pipes: it waits for the one, and tells by the other
}

// launch starts a program as our caller would have: it's our child, in our process
// group, and has all our files. What is started is our own executable, whose main
// function must begin with Launcher; it waits for release and then executes the program. ours
// is what our caller left us: its masks of signals. Were we killed at any instant, it would execute it too.
func launch(path string, cfg Config, ours proc.Status) (*launched, error) {
	var goOn, said [2]int
	if err := unix.Pipe2(goOn[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("cannot start a process: %w", err)
	}
	if err := unix.Pipe2(said[:], unix.O_CLOEXEC); err != nil {
		unix.Close(goOn[0])
		unix.Close(goOn[1])
		return nil, fmt.Errorf("cannot start a process: %w", err)
	}
	l := &launched{goW: goOn[1], said: said[0]}
	goR, saidW := inherited(goOn[0]), inherited(said[1])
	defer unix.Close(goR)
	defer unix.Close(saidW)
	args := append([]string{os.Args[0], launchWord, strconv.Itoa(goR), strconv.Itoa(saidW),
		mask(cfg.Ignored | ours.Ignored), mask(ours.Blocked), path}, cfg.Argv...)
	child, err := os.StartProcess("/proc/self/exe", args, &os.ProcAttr{
		Env: cfg.Environ, Files: []*os.File{cfg.Stdin, cfg.Stdout, cfg.Stderr},
	})
	if err != nil {
		l.close()
		return nil, fmt.Errorf("cannot start a process: %w", err)
	}
	l.pid = child.Pid
	child.Release()
	var b [1]byte
	read(l.said, b[:]) // its own exec is over
	return l, nil
}

// inherited gives a descriptor another number, with which it's passed on: one
// beside those that the program's own files may have.
func inherited(fd int) int {
	const from = 10
	n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, from)
	unix.Close(fd)
	if err != nil {
		return -1
	}
	return n
}

// release has the program executed, and returns why it could not be.
func (l *launched) release() error {
	unix.Write(l.goW, []byte{1})
	var b [4]byte
	if n := read(l.said, b[:]); n == len(b) {
		return unix.Errno(binary.NativeEndian.Uint32(b[:]))
	}
	return nil
}

// kill ends it before it executes anything.
func (l *launched) kill() {
	unix.Kill(l.pid, unix.SIGKILL)
	unix.Wait4(l.pid, nil, 0, nil)
}

func (l *launched) close() {
	unix.Close(l.goW)
	unix.Close(l.said)
}

func read(fd int, b []byte) int {
	for {
		if n, err := unix.Read(fd, b); err != unix.EINTR {
			return n
		}
	}
}

func mask(n uint64) string { return strconv.FormatUint(n, 16) }

// bit is a signal's place in a mask.
func bit(sig unix.Signal) uint64 { return 1 << (sig - 1) }

// Launcher does nothing, unless we were started to launch a program: then it becomes
// that, or ends.
func Launcher() {
	if len(os.Args) < 8 || os.Args[1] != launchWord {
		return
	}
	goOn, _ := strconv.Atoi(os.Args[2])
	said, _ := strconv.Atoi(os.Args[3])
	unix.CloseOnExec(goOn)
	unix.CloseOnExec(said)
	ignored, _ := strconv.ParseUint(os.Args[4], 16, 64)
	blocked, _ := strconv.ParseUint(os.Args[5], 16, 64)
	unix.Write(said, []byte{0})
	var b [1]byte
	read(goOn, b[:]) // its end means that our starter has died
	for sig := unix.Signal(1); sig <= 64; sig++ {
		// Our runtime's handlers become defaults in the program.
		if ignored&bit(sig) != 0 {
			terminal.Ignore(sig)
		}
	}
	path, argv, env := os.Args[6], os.Args[7:], os.Environ()
	unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, 2 /* SIG_SETMASK */, uintptr(unsafe.Pointer(&blocked)), 0, 8, 0, 0)
	err := syscall.Exec(path, argv, env)
	if errors.Is(err, unix.ENOEXEC) && isText(path) {
		// What is executable and no program of any kind is for the shell.
		err = syscall.Exec(shell, append([]string{shell, path}, argv[1:]...), env)
	}
	if errno, ok := err.(syscall.Errno); ok {
		unix.Write(said, binary.NativeEndian.AppendUint32(nil, uint32(errno)))
	}
	os.Exit(127)
}

const shell = "/bin/sh"

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

// NotFound and NotRunnable tell why there was nothing to run; shells give them the
// exit statuses 127 and 126.
type (
	NotFound    struct{ Message string }
	NotRunnable struct{ Message string }
)

func (e *NotFound) Error() string    { return e.Message }
func (e *NotRunnable) Error() string { return e.Message }

// find resolves a command as execvp does, and returns the path to execute.
func find(name string) (string, error) {
	if name == "" {
		return "", &NotFound{"the program's name is empty"}
	}
	if strings.Contains(name, "/") {
		return name, runnable(name)
	}
	var denied error
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir == "" {
			dir = "."
		}
		err := runnable(dir + "/" + name)
		if err == nil {
			return dir + "/" + name, nil
		}
		if _, is := err.(*NotRunnable); is && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", &NotFound{fmt.Sprintf("%s: not found in PATH", name)}
}

func runnable(path string) error {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return &NotFound{fmt.Sprintf("%s: no such file", path)}
	case err != nil:
		return &NotRunnable{fmt.Sprintf("%s: %v", path, errors.Unwrap(err))}
	case fi.IsDir():
		return &NotRunnable{fmt.Sprintf("%s: is a directory", path)}
	case unix.Access(path, unix.X_OK) != nil:
		return &NotRunnable{fmt.Sprintf("%s: permission denied: it is not executable (chmod +x?)", path)}
	}
	return nil
}

func launchError(path string, err error) error {
	switch {
	case errors.Is(err, unix.ENOENT):
		return &NotFound{fmt.Sprintf("%s: not found, or its interpreter is not", path)}
	case errors.Is(err, unix.ENOEXEC):
		return &NotRunnable{fmt.Sprintf("%s: this system cannot run it", path)}
	}
	return &NotRunnable{fmt.Sprintf("%s: %v", path, err)}
}
