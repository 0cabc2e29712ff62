package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A process that runs already and has our breakpoints in it would die of them if who traces it were killed. So it is
// traced by a process of ours that is not the one which its user knows and may kill: that one only
// waits for it. If it is killed the pipe between them ends, and the tracing one lets go, as at SIGTERM.

// apartWord and the number of the pipe's descriptor are the first argument of the tracing one.
const apartWord = "-apart-"

// apart has the same done by the tracing process, and returns its exit status.
func apart(stdin, stdout, stderr *os.File) (int, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer w.Close()
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP)
	if _, err := unix.FcntlInt(r.Fd(), unix.F_SETFD, 0); err != nil {
		return 0, err
	}
	args := append([]string{os.Args[0], apartWord + strconv.Itoa(int(r.Fd()))}, os.Args[1:]...)
	tracing, err := os.StartProcess("/proc/self/exe", args, &os.ProcAttr{
		Files: []*os.File{stdin, stdout, stderr}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	r.Close()
	if err != nil {
		return 0, err
	}
	go func() {
		for sig := range signals {
			tracing.Signal(sig)
		}
	}()
	state, err := tracing.Wait()
	if err != nil {
		return 0, err
	}
	if ws := state.Sys().(syscall.WaitStatus); ws.Signaled() {
		return 0, fmt.Errorf("the tracing process was killed (%v)", ws.Signal())
	}
	return state.ExitCode(), nil
}

// lifeline is in the tracing process: it ends when the other one has. The rest of the arguments is
// returned, and whether we are that process.
func lifeline(args []string) ([]string, bool) {
	if len(args) == 0 || !strings.HasPrefix(args[0], apartWord) {
		return args, false
	}
	fd, err := strconv.Atoi(args[0][len(apartWord):])
	if err != nil {
		return args, false
	}
	unix.CloseOnExec(fd)
	go func() {
		pipe := os.NewFile(uintptr(fd), "lifeline")
		pipe.Read(make([]byte, 1))
		unix.Kill(os.Getpid(), unix.SIGTERM)
	}()
	return args[1:], true
}

// again is a script that was read from standard input, for the tracing process.
func again(src *source) (*os.File, error) {
	fd, err := unix.MemfdCreate("script", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "script")
	if _, err := f.Write(src.text); err != nil {
		return nil, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}
