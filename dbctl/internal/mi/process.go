package mi

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// dyingTime is how long a debugger whose pipes are closed has to end
	// before we report its death without its status.
	dyingTime = time.Second
	// closingTime is how long a debugger has to end after Close.
	closingTime = 2 * time.Second
)

// process is the debugger's process.
type process struct {
	pid   int
	group bool          // it leads a process group of its own
	child bool          // of ours: its number is its own until wait
	wait  func() string // waits for it; nil: not ours to wait for, or reaped
}

// start makes the pipes and starts the program.
func (c *Client) start(cfg Config) error {
	w := &c.wire
	if err := w.openWake(); err != nil {
		return err
	}
	var theirs [3]*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	for i, ours := range []*int{&w.in, &w.out, &w.err} {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			return os.NewSyscallError("pipe", err)
		}
		mine := 0
		if i == 0 {
			mine = 1
		}
		*ours = ends[mine]
		theirs[i] = os.NewFile(uintptr(ends[1-mine]), "pipe")
		if err := unix.SetNonblock(*ours, true); err != nil {
			return os.NewSyscallError("fcntl", err)
		}
	}
	growPipe(w.out)
	spawn := cfg.Spawn
	if spawn == nil {
		spawn = cfg.spawn
	}
	var err error
	if c.proc.pid, c.proc.wait, err = spawn(theirs); err != nil {
		return err
	}
	c.proc.group, c.proc.child = true, cfg.Spawn == nil
	w.pidfd, err = unix.PidfdOpen(c.proc.pid, 0)
	if err != nil {
		c.Kill()
		c.reap()
		return os.NewSyscallError("pidfd_open", err)
	}
	return nil
}

// spawn starts the program as our child.
func (cfg *Config) spawn(stdio [3]*os.File) (pid int, wait func() string, err error) {
	path, err := exec.LookPath(cfg.Path)
	if err != nil {
		return 0, nil, err
	}
	child, err := os.StartProcess(path, append([]string{cfg.Path}, cfg.Args...), &os.ProcAttr{
		Env:   cfg.Env,
		Files: append(stdio[:], cfg.Files...),
		Sys:   &syscall.SysProcAttr{Setsid: true}, // its own group, and no terminal whose signals could stop it
	})
	if err != nil {
		return 0, nil, err
	}
	return child.Pid, func() string {
		state, err := child.Wait()
		if errors.Is(err, unix.ECHILD) {
			return "ended" // whoever waits for any child of ours has its status
		}
		if err != nil {
			return err.Error()
		}
		return HowEnded(state.Sys().(syscall.WaitStatus))
	}, nil
}

// HowEnded is the status of a process in words, as in Died.
func HowEnded(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal " + unix.SignalName(status.Signal())
	}
	return fmt.Sprintf("exit %d", status.ExitStatus())
}

// over takes the two files over. They are dup'ed and closed so that the Go
// runtime's poller, which may know them, is not woken by every byte.
func (c *Client) over(in, out *os.File, pid int) error {
	w := &c.wire
	if err := w.openWake(); err != nil {
		return err
	}
	for _, f := range []struct {
		from *os.File
		to   *int
	}{{in, &w.in}, {out, &w.out}} {
		conn, err := f.from.SyscallConn()
		if err != nil {
			return err
		}
		var dupErr error
		if err := conn.Control(func(fd uintptr) {
			*f.to, dupErr = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 3)
		}); err != nil {
			return err
		}
		if dupErr != nil {
			return os.NewSyscallError("fcntl", dupErr)
		}
		f.from.Close()
		if err := unix.SetNonblock(*f.to, true); err != nil {
			return os.NewSyscallError("fcntl", err)
		}
	}
	growPipe(w.out)
	if pid <= 0 {
		return nil
	}
	var err error
	w.pidfd, err = unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		w.gone = true // its last words are still in the pipe
		return nil
	}
	if err != nil {
		return os.NewSyscallError("pidfd_open", err)
	}
	pgid, err := unix.Getpgid(pid)
	c.proc.pid, c.proc.group = pid, err == nil && pgid == pid
	return nil
}

func (w *wire) openWake() (err error) {
	w.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	return os.NewSyscallError("eventfd", err)
}

// growPipe lets the debugger write long answers without waiting for us. Where
// it is not permitted the pipe stays as it is.
func growPipe(fd int) { unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize) }

// Kill kills the debugger, with its process group if it leads one. Next goes
// on to return what it had said, then *Died.
func (c *Client) Kill() {
	if !c.proc.child || c.proc.wait == nil {
		if c.wire.pidfd < 0 || unix.PidfdSendSignal(c.wire.pidfd, unix.SIGKILL, nil, 0) != nil {
			return // its number may be another's by now
		}
	}
	if c.proc.group && c.proc.pid > 1 {
		unix.Kill(-c.proc.pid, unix.SIGKILL)
	}
}

// Close closes the debugger's standard input, waits up to two seconds for it
// to end, else kills it, and reaps it if Start started it. The error says that
// it had to be killed. Further calls do nothing.
func (c *Client) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	w := &c.wire
	defer w.close()
	closeFd(&w.in)
	w.unsent = nil
	var err error
	if c.died == nil && !w.drain(closingTime) && c.proc.pid != 0 {
		err = fmt.Errorf("debugger %d did not end with its input and was killed", c.proc.pid)
	}
	if err != nil || c.died != nil {
		c.Kill()
	}
	status := c.reap()
	if c.died == nil {
		c.died = &Died{Status: status, Stderr: string(w.stderr)}
	}
	w.buf, w.start, w.scanned = nil, 0, 0
	return err
}

// die finds out how the debugger ended. What it said before stays readable.
func (c *Client) die() error {
	w := &c.wire
	closeFd(&w.in)
	w.unsent = nil
	status := "it closed its pipes"
	if w.drain(dyingTime) {
		status = c.reap()
	}
	w.readStderr()
	if len(w.buf) > w.start {
		w.buf = append(w.buf, '\n') // it may have been cut off within a line
	}
	c.died = &Died{Status: status, Stderr: string(w.stderr)}
	return c.died
}

// drain reads on until the process ends, for at most d. It reports whether it
// did; of a process that is unknown only the end of its output is seen.
func (w *wire) drain(d time.Duration) bool {
	deadline := time.Now().Add(d)
	for {
		if len(w.buf)-w.start > maxLine { // nobody will want all that
			w.start, w.scanned = len(w.buf), len(w.buf)
		}
		what := w.fill(deadline, false)
		if what == ended {
			if w.gone || w.pidfd < 0 {
				return w.gone
			}
			closeFd(&w.out)
			what = w.poll(deadline, false)
		}
		if what == timedOut || late(deadline) {
			return false
		}
	}
}

// reap waits for a process that Start started, which has ended or is about to,
// and returns how it ended. What is left of its group ends with it: until a
// child is reaped the number of the group is ours.
func (c *Client) reap() string {
	if c.proc.wait == nil {
		return "ended"
	}
	c.Kill()
	status := c.proc.wait()
	c.proc.wait = nil
	return status
}
