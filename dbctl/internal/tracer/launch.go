package tracer

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/terminal"
)

// Program is what Launch is to start.
type Program struct {
	Path     string
	Argv     []string
	Env      []string // NAME=VALUE; nil: ours
	Files    [3]*os.File
	Terminal bool          // it gets a session of its own, whose terminal is Files[0]
	Ignored  uint64        // signals that it's to ignore: bit n-1 is signal n
	Timer    time.Duration // if not 0, it gets an ITIMER_VIRTUAL of that interval
}

// launchWord, as its first argument, makes our own executable a launcher.
const launchWord = "-launch-"

func init() {
	if len(os.Args) > 1 && os.Args[1] == launchWord {
		// The thread that we trace is the first, and the one to execute must be it.
		runtime.LockOSThread()
	}
}

// Launch starts a program as its caller would have: it's our child, in our
// process group and session. It's traced, and stands still before its first
// instruction; its first event, Executed, has been taken already.
//
// What is started is our own executable, whose main function must begin with
// Launcher. It waits until it's traced, and then executes the program; were we
// killed at any instant, it would execute it too.
func (t *Tracer) Launch(p Program) (pid int, err error) {
	var l lines
	if err := l.open(); err != nil {
		return 0, fmt.Errorf("cannot start a process: %w", err)
	}
	defer l.close()
	hex := func(n uint64) string { return strconv.FormatUint(n, 16) }
	args := append([]string{os.Args[0], launchWord, strconv.Itoa(l.goR), strconv.Itoa(l.saidW), hex(p.Ignored), hex(t.bell.block),
		strconv.FormatInt(p.Timer.Microseconds(), 10), p.Path}, p.Argv...)
	child, err := os.StartProcess("/proc/self/exe", args, &os.ProcAttr{
		Env: p.Env, Files: p.Files[:],
		Sys: &syscall.SysProcAttr{Setsid: p.Terminal, Setctty: p.Terminal},
	})
	l.closeTheirs()
	if err != nil {
		return 0, fmt.Errorf("cannot start a process: %w", err)
	}
	pid = child.Pid
	child.Release()
	// Its own exec may not be quite over, and is not the one to wait for.
	l.ready()
	if err := ptrace(unix.PTRACE_SEIZE, pid, 0, unix.PTRACE_O_TRACEEXEC); err != nil {
		err = refused(pid, err)
		unix.Kill(pid, unix.SIGKILL)
		unix.Wait4(pid, nil, unix.WALL, nil)
		return 0, err
	}
	unix.Write(l.goW, []byte{1})
	for {
		var ws unix.WaitStatus
		switch _, err := unix.Wait4(pid, &ws, unix.WALL, nil); {
		case err == unix.EINTR:
		case err != nil:
			return 0, fmt.Errorf("cannot wait for process %d: %w", pid, err)
		case ws.Exited() || ws.Signaled():
			return 0, launchError(l.saidR, ws)
		case int(ws>>16) == unix.PTRACE_EVENT_EXEC:
			if err := unix.PtraceSetOptions(pid, options); err != nil && err != unix.ESRCH {
				return 0, fmt.Errorf("cannot follow process %d: %w", pid, err)
			}
			return pid, nil
		case int(ws>>16) == unix.PTRACE_EVENT_STOP:
			ptrace(unix.PTRACE_CONT, pid, 0, 0)
		default:
			ptrace(unix.PTRACE_CONT, pid, 0, uintptr(ws>>8&0xff))
		}
	}
}

// lines are the two pipes to a launcher: it waits for one and tells by the
// other. Its ends have numbers that the program's own files may have been
// passed on beside.
type lines struct{ goR, goW, saidR, saidW int }

func (l *lines) open() error {
	var goOn, said [2]int
	if err := unix.Pipe2(goOn[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	if err := unix.Pipe2(said[:], unix.O_CLOEXEC); err != nil {
		unix.Close(goOn[0])
		unix.Close(goOn[1])
		return err
	}
	*l = lines{goR: inherited(goOn[0]), goW: goOn[1], saidR: said[0], saidW: inherited(said[1])}
	if l.goR < 0 || l.saidW < 0 {
		l.closeTheirs()
		l.close()
		return unix.EMFILE
	}
	return nil
}

// inherited gives a descriptor another number, with which it's passed on.
func inherited(fd int) int {
	const from = 10
	n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, from)
	unix.Close(fd)
	if err != nil {
		return -1
	}
	return n
}

// ready waits until the launcher says that it waits, or has ended.
func (l *lines) ready() {
	var b [1]byte
	for {
		if _, err := unix.Read(l.saidR, b[:]); err != unix.EINTR {
			return
		}
	}
}

func (l *lines) closeTheirs() {
	unix.Close(l.goR)
	unix.Close(l.saidW)
}

func (l *lines) close() {
	unix.Close(l.goW)
	unix.Close(l.saidR)
}

// launchError is why the program was not executed, as the launcher said.
func launchError(said int, ws unix.WaitStatus) error {
	var b [4]byte
	if n, _ := unix.Read(said, b[:]); n == len(b) {
		return unix.Errno(binary.NativeEndian.Uint32(b[:]))
	}
	return fmt.Errorf("the process ended (status %#x) before it executed the program", uint32(ws))
}

// Launcher does nothing, unless we were started by Launch: then it becomes the
// program, or ends.
func Launcher() {
	if len(os.Args) < 9 || os.Args[1] != launchWord {
		return
	}
	goOn, _ := strconv.Atoi(os.Args[2])
	said, _ := strconv.Atoi(os.Args[3])
	unix.CloseOnExec(goOn)
	unix.CloseOnExec(said)
	hex := func(i int) uint64 {
		n, _ := strconv.ParseUint(os.Args[i], 16, 64)
		return n
	}
	unix.Write(said, []byte{0})
	var b [1]byte
	for {
		// The end of the pipe means that our starter has died; the program is
		// to run all the same.
		if _, err := unix.Read(goOn, b[:]); err != unix.EINTR {
			break
		}
	}
	env := os.Environ()
	ignored, blocked := hex(4), hex(5)
	if us, err := strconv.ParseInt(os.Args[6], 10, 64); err == nil && us > 0 {
		value := unix.Itimerval{Interval: unix.NsecToTimeval(us * 1000), Value: unix.NsecToTimeval(us * 1000)}
		terminal.Ignore(unix.SIGVTALRM)
		unix.RawSyscall(unix.SYS_SETITIMER, uintptr(unix.ITIMER_VIRTUAL), uintptr(unsafe.Pointer(&value)), 0)
	}
	for sig := unix.Signal(1); sig <= 64; sig++ {
		// Our runtime's handlers become defaults in the program.
		if ignored&Bit(sig) != 0 {
			terminal.Ignore(sig)
		}
	}
	unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, 2 /* SIG_SETMASK */, uintptr(unsafe.Pointer(&blocked)), 0, 8, 0, 0)
	err := syscall.Exec(os.Args[7], os.Args[8:], env)
	if errno, ok := err.(syscall.Errno); ok {
		unix.Write(said, binary.NativeEndian.AppendUint32(nil, uint32(errno)))
	}
	os.Exit(127)
}
