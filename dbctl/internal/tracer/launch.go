package tracer

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/proc"
)

// Program is what Launch is to start. What it blocks is the tracer's to say.
type Program = launch.Program

// Launch starts a program by package launch. It's traced, and stands still before its
// first instruction; its first event, Executed, has been taken already.
func (t *Tracer) Launch(p Program) (pid int, err error) {
	p.Blocked = t.bell.block
	l, err := launch.Start(p)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	pid = l.Pid
	if err := ptrace(unix.PTRACE_SEIZE, pid, 0, unix.PTRACE_O_TRACEEXEC); err != nil {
		err = refused(pid, err)
		l.Kill()
		return 0, err
	}
	l.Go()
	for {
		var ws unix.WaitStatus
		switch _, err := unix.Wait4(pid, &ws, unix.WALL, nil); {
		case err == unix.EINTR:
		case err != nil:
			return 0, fmt.Errorf("cannot wait for process %d: %w", pid, err)
		case ws.Exited() || ws.Signaled():
			if err := l.Failure(); err != nil {
				return 0, err
			}
			return 0, fmt.Errorf("the process ended (status %#x) before it executed the program", uint32(ws))
		case int(ws>>16) == unix.PTRACE_EVENT_EXEC:
			if err := unix.PtraceSetOptions(pid, options); err != nil && err != unix.ESRCH {
				return 0, fmt.Errorf("cannot follow process %d: %w", pid, err)
			}
			t.withoutPreemption(pid)
			return pid, nil
		case int(ws>>16) == unix.PTRACE_EVENT_STOP:
			ptrace(unix.PTRACE_CONT, pid, 0, 0)
		default:
			ptrace(unix.PTRACE_CONT, pid, 0, uintptr(ws>>8&0xff))
		}
	}
}

// withoutPreemption takes out the signal by which the launcher's Go runtime interrupts its threads. One that came as it
// executed the program is pending for that, which has not run yet.
func (t *Tracer) withoutPreemption(pid int) {
	const preempts = unix.SIGURG
	status, err := proc.ReadStatus(pid, pid)
	if err != nil || status.Pending&Bit(preempts) == 0 {
		return
	}
	mask, err := t.Mask(pid)
	if err != nil || t.SetMask(pid, ^Bit(preempts)) != nil {
		return // it is being killed
	}
	t.Resume(pid, Onward, 0)
	if _, err := stopped(pid); err == nil {
		t.SetMask(pid, mask)
	}
}
