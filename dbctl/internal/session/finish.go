package session

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/terminal"
)

// finish is after the tracing thread has ended: whatever lives runs on without
// us. The program's status is still ours to give back, and is waited for unless
// the script has said what ours is.
func (t *tree) finish() error {
	if t.base != nil && !t.matched {
		t.say("nothing was sampled: neither %s nor a program that it started matches (EXEC of the script, PROG of -expr)", t.base.exe)
	}
	if cost := t.cost.String(); cost != "" {
		t.say("%s", cost)
	}
	t.printTables()
	t.tables.end()
	t.tellDaemons()
	if t.root != nil && !t.root.gone && !t.quitted {
		return t.await(t.root.pid)
	}
	return nil
}

// await waits for the end of our child, which nobody traces.
func (t *tree) await(pid int) error {
	t.signals.PassOn(pid)
	defer t.signals.PassOn(0)
	for {
		var ws unix.WaitStatus
		_, err := unix.Wait4(pid, &ws, unix.WUNTRACED, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case ws.Stopped():
			if t.signals.StopWanted() {
				terminal.StopUs(ws.StopSignal(), func() bool {
					status, err := proc.ReadStatus(pid, pid)
					return err != nil || status.State != 'T'
				})
			}
		default:
			t.status = ws
			return nil
		}
	}
}

// recordUnprofiled makes the run directory of a set-uid program, which tells that
// there is nothing in it.
func (t *tree) recordUnprofiled(pid int, path string) {
	p := t.newProcess(pid, os.Getpid())
	p.exe, p.argv = executable(path), t.cfg.Argv
	start := time.Now()
	if err := t.startLog(p); err != nil {
		t.say("%v", err)
		return
	}
	status := statusText(t.status)
	t.note(t.log.Start(start, pid, p.ppid, "launch"))
	t.note(t.log.Exec(start, pid, p.exe, p.argv))
	t.note(t.log.Mode(start, pid, "setuid"))
	t.note(t.log.End(time.Now(), pid, 0, 0, 0, status))
	p.run.note("it is set-uid or set-gid and ran unprofiled")
	if err := p.run.finish("complete", status, 0, tally{}); err != nil {
		t.say("%v", err)
	}
}

// unprofiled runs a program without looking at it.
func (t *tree) unprofiled(path string) (int, error) {
	t.signals = terminal.Catch(func() {})
	for sig := unix.Signal(1); sig <= 64; sig++ {
		if t.cfg.Ignored&tracer.Bit(sig) != 0 {
			signal.Ignore(sig)
		}
	}
	files, after, err := t.files()
	if err != nil {
		return 0, err
	}
	attr := &os.ProcAttr{Files: files[:], Env: t.cfg.Environ, Sys: &syscall.SysProcAttr{Setsid: t.cfg.Pty, Setctty: t.cfg.Pty}}
	p, err := os.StartProcess(path, t.cfg.Argv, attr)
	if forShell(path, err) {
		p, err = os.StartProcess(shell, append([]string{shell, path}, t.cfg.Argv[1:]...), attr)
	}
	if err != nil {
		return 0, launchError(path, err)
	}
	after()
	err = t.await(p.Pid)
	t.recordUnprofiled(p.Pid, path)
	if err != nil {
		return 0, err
	}
	return exitCode(t.status), nil
}
