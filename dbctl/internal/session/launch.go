package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// launch starts a program as its caller would have, and leaves it stopped at
// its first instruction, traced by nobody.
//
// It is our child, in our process group and session, with our standard files;
// the debugger comes later, by attaching. A debugger that starts a program
// itself changes its group, its environment and its address space, and takes
// it along when it dies.
//
// prepare may make system calls in the program before it has run at all. dog
// knows of the stop before it happens.
func launch(exe string, argv []string, files [3]*os.File, environ []string, terminal bool, dog *watchdog, prepare func(*tracee) error) (pid int, err error) {
	// The kernel knows a tracer by its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := &os.ProcAttr{
		Files: files[:],
		Env:   environ,
		Sys:   &syscall.SysProcAttr{Ptrace: true, Setsid: terminal, Setctty: terminal},
	}
	p, err := os.StartProcess(exe, argv, attr)
	if err != nil {
		return 0, launchError(exe, err)
	}
	pid = p.Pid
	p.Release()
	fail := func(err error) (int, error) {
		unix.Kill(pid, unix.SIGKILL)
		var ws unix.WaitStatus
		for {
			if _, e := unix.Wait4(pid, &ws, unix.WALL, nil); e != nil && e != unix.EINTR || ws.Exited() || ws.Signaled() {
				return 0, err
			}
		}
	}
	t := &tracee{tid: pid}
	if err := t.await(); err != nil {
		return fail(fmt.Errorf("%s did not start: %v", exe, err))
	}
	// The stop at exec is a SIGTRAP, which would be delivered, and deadly, if we
	// died now. It's exchanged for one from which the watchdog helps.
	err = dog.hold(pid)
	if err == nil {
		err = t.swapStop()
	}
	if err == nil {
		err = prepare(t)
	}
	if err != nil {
		return fail(err)
	}
	if err := detachWith(pid, unix.SIGSTOP); err != nil {
		return fail(fmt.Errorf("cannot hold %s: %v", exe, err))
	}
	return pid, nil
}

// detachWith ends our tracing; the tracee gets the signal.
func detachWith(tid int, sig unix.Signal) error {
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(tid), 0, uintptr(sig), 0, 0); e != 0 {
		return e
	}
	return nil
}

// find resolves a command as execvp does, and returns the path to execute.
func find(name string) (string, error) {
	if name == "" {
		return "", &NotFound{"the program's name is empty"}
	}
	if strings.Contains(name, "/") {
		return name, runnable(name)
	}
	denied := ""
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir == "" {
			dir = "."
		}
		path := dir + "/" + name
		err := runnable(path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, os.ErrPermission) && denied == "" {
			denied = path
		}
	}
	if denied != "" {
		return "", runnable(denied)
	}
	return "", &NotFound{fmt.Sprintf("%s: not found in PATH", name)}
}

// shell runs what is executable and no program of any kind.
const shell = "/bin/sh"

// forShell reports whether that is so: the kernel refused to execute the file,
// and it's text.
func forShell(path string, refused error) bool {
	return errors.Is(refused, unix.ENOEXEC) && isText(head(path))
}

func isText(head string) bool {
	return !strings.HasPrefix(head, "\x7fELF") && !strings.Contains(head, "\x00")
}

// head is the beginning of a file, "" if it can't be read.
func head(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var b [256]byte
	n, _ := io.ReadFull(f, b[:])
	return string(b[:n])
}

// executable is the path, as the kernel names it, of what is executed for a
// file: an interpreter, if it's a script.
func executable(path string) string {
	const nested = 4 // as the kernel permits
	for range nested {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		text := head(path)
		line, _, _ := strings.Cut(text, "\n")
		interpreter, isScript := strings.CutPrefix(line, "#!")
		words := strings.Fields(interpreter)
		switch {
		case isScript && len(words) > 0:
			path = words[0]
		case isText(text):
			path = shell
		default:
			return path
		}
	}
	return path
}

// NotFound and NotRunnable tell why there was nothing to run; shells give them
// the exit statuses 127 and 126.
type (
	NotFound    struct{ Message string }
	NotRunnable struct {
		Message string
		Err     error
	}
)

func (e *NotFound) Error() string    { return e.Message }
func (e *NotRunnable) Error() string { return e.Message }
func (e *NotRunnable) Unwrap() error { return e.Err }

func runnable(path string) error {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &NotFound{fmt.Sprintf("%s: no such file", path)}
	case err != nil:
		return &NotRunnable{fmt.Sprintf("%s: %v", path, errors.Unwrap(err)), err}
	case fi.IsDir():
		return &NotRunnable{fmt.Sprintf("%s: is a directory", path), os.ErrPermission}
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return &NotRunnable{fmt.Sprintf("%s: permission denied: it is not executable (chmod +x?)", path), os.ErrPermission}
	}
	return nil
}

func launchError(exe string, err error) error {
	switch {
	case errors.Is(err, unix.ENOEXEC):
		return &NotRunnable{fmt.Sprintf("%s: is no program that this system can run", exe), err}
	case errors.Is(err, unix.ENOENT):
		return &NotFound{fmt.Sprintf("%s: not found, or its interpreter is not", exe)}
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("%s: not permitted to trace it (is ptrace forbidden in this container?)", exe)
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &NotRunnable{fmt.Sprintf("%s: %v", exe, err), err}
}

// privileged reports whether executing the file would give a process rights
// that it loses when it's traced by a user who is not root.
func privileged(exe string) bool {
	fi, err := os.Stat(exe)
	return err == nil && os.Geteuid() != 0 && fi.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0
}
