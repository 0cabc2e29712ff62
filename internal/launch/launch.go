// Package launch starts a program as its caller would have: as our child, in our
// process group and session. The process stands still before it executes the program, so
// that a collector can prepare for it, and executes it even if the collector is killed.
//
// What is started is our own executable as a launcher: its main function must begin
// with Launcher. Starter and launcher have two pipes. The launcher writes a byte when it
// is ready, and reads until it may go on: a byte, or the end of the pipe if its starter
// has died. If it cannot execute the program, it writes the error's number.
package launch

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Program is what is to be executed.
type Program struct {
	Path     string
	Argv     []string
	Env      []string // NAME=VALUE; nil: ours
	Files    [3]*os.File
	Terminal bool          // it gets a session of its own, whose terminal is Files[0]
	Ignored  uint64        // signals that it is to ignore: bit n-1 is signal n
	Blocked  uint64        // signals that it is to block
	Timer    time.Duration // if not 0, it gets an ITIMER_VIRTUAL of that interval
	Shell    bool          // a text that is no program of any kind is executed by the shell
}

// A Process is about to execute its program.
type Process struct {
	Pid  int
	goOn int // the end of a pipe that we write to
	said int // the end of a pipe that we read from
}

// Start starts a launcher and waits until it is ready.
func Start(p Program) (*Process, error) {
	var goOn, said [2]int
	if err := unix.Pipe2(goOn[:], unix.O_CLOEXEC); err != nil {
		return nil, cannot(err)
	}
	if err := unix.Pipe2(said[:], unix.O_CLOEXEC); err != nil {
		unix.Close(goOn[0])
		unix.Close(goOn[1])
		return nil, cannot(err)
	}
	l := &Process{goOn: goOn[1], said: said[0]}
	orders := orders{
		goOn: inherited(goOn[0]), said: inherited(said[1]),
		ignored: p.Ignored, blocked: p.Blocked, timer: p.Timer, shell: p.Shell, path: p.Path, argv: p.Argv,
	}
	defer unix.Close(orders.goOn)
	defer unix.Close(orders.said)
	if orders.goOn < 0 || orders.said < 0 {
		l.Close()
		return nil, cannot(unix.EMFILE)
	}
	child, err := os.StartProcess("/proc/self/exe", orders.args(), &os.ProcAttr{
		Env: p.Env, Files: p.Files[:],
		Sys: &syscall.SysProcAttr{Setsid: p.Terminal, Setctty: p.Terminal},
	})
	if err != nil {
		l.Close()
		return nil, cannot(err)
	}
	l.Pid = child.Pid
	child.Release()
	// The launcher's own exec may not be quite over, and is not the one to wait for.
	var b [1]byte
	read(l.said, b[:])
	return l, nil
}

func cannot(err error) error { return fmt.Errorf("cannot start a process: %w", err) }

// inherited gives a descriptor another number, with which it is passed on: one beside
// those that the program's own files may have.
func inherited(fd int) int {
	const from = 10
	n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, from)
	unix.Close(fd)
	if err != nil {
		return -1
	}
	return n
}

// Go has the program executed.
func (l *Process) Go() { unix.Write(l.goOn, []byte{1}) }

// Failure waits until the program is executed or the process has ended. It returns why
// the program could not be executed, and nil if nothing was told of that.
func (l *Process) Failure() error {
	var b [4]byte
	if read(l.said, b[:]) == len(b) {
		return unix.Errno(binary.NativeEndian.Uint32(b[:]))
	}
	return nil
}

// Kill ends the process before it executes anything.
func (l *Process) Kill() {
	unix.Kill(l.Pid, unix.SIGKILL)
	unix.Wait4(l.Pid, nil, unix.WALL, nil)
}

// Close closes the pipes. A process that was told nothing executes its program.
func (l *Process) Close() {
	unix.Close(l.goOn)
	unix.Close(l.said)
}

func read(fd int, b []byte) int {
	for {
		if n, err := unix.Read(fd, b); err != unix.EINTR {
			return n
		}
	}
}

// orders are the command line of a launcher.
type orders struct {
	goOn, said       int // the launcher's ends of the pipes
	ignored, blocked uint64
	timer            time.Duration
	shell            bool
	path             string
	argv             []string
}

// word, as its first argument, makes our own executable a launcher.
const word = "-launch-"

func (o orders) args() []string {
	hex := func(n uint64) string { return strconv.FormatUint(n, 16) }
	return append([]string{
		os.Args[0], word, strconv.Itoa(o.goOn), strconv.Itoa(o.said), hex(o.ignored), hex(o.blocked),
		o.timer.String(), strconv.FormatBool(o.shell), o.path,
	}, o.argv...)
}

// parse reads a command line; false if it is none of a launcher.
func parse(args []string) (o orders, ok bool) {
	if len(args) < 10 || args[1] != word {
		return o, false
	}
	o.goOn, _ = strconv.Atoi(args[2])
	o.said, _ = strconv.Atoi(args[3])
	o.ignored, _ = strconv.ParseUint(args[4], 16, 64)
	o.blocked, _ = strconv.ParseUint(args[5], 16, 64)
	o.timer, _ = time.ParseDuration(args[6])
	o.shell, _ = strconv.ParseBool(args[7])
	o.path, o.argv = args[8], args[9:]
	return o, true
}
