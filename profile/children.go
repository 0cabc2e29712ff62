package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts a command with our standard streams, but for another standard input if there is one. No
// descriptor is put into another state, as package os would: they are the program's too.
func start(args []string, stdin *os.File, ownSession bool) (pid int, err error) {
	files := []uintptr{0, 1, 2}
	if stdin != nil {
		files[0] = stdin.Fd()
	}
	pid, err = syscall.ForkExec(args[0], args, &syscall.ProcAttr{
		Env: os.Environ(), Files: files, Sys: &syscall.SysProcAttr{Setsid: ownSession},
	})
	if err != nil {
		return 0, fmt.Errorf("cannot run %s: %w", args[0], err)
	}
	return pid, nil
}

// awaitEnd returns a channel that is closed when a child has ended. It is still to be waited for then, so that its number stays its own.
func awaitEnd(pid int) chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
	}()
	return ended
}

// wait returns how a child has ended, and that as the status that a shell has for it.
func wait(pid int) (ws unix.WaitStatus, status int) {
	for {
		if _, err := unix.Wait4(pid, &ws, 0, nil); err != unix.EINTR {
			break
		}
	}
	if ws.Signaled() {
		return ws, 128 + int(ws.Signal())
	}
	return ws, ws.ExitStatus()
}

// ended tells of a signal that ended the program, as a shell does.
func (p *session) ended(ws unix.WaitStatus) {
	if !ws.Signaled() || ws.Signal() == unix.SIGINT || ws.Signal() == unix.SIGPIPE {
		return
	}
	how := ws.Signal().String()
	if ws.CoreDump() {
		how += " (core dumped)"
	}
	p.say([]note{{endedBySignal, []any{p.options.program[0], how}}})
}

// foreground runs a command as if it were in our place, and sets the status. What the terminal sends to our group the
// program gets too; signals for us alone are passed on.
func (p *session) foreground(args []string) error {
	began := ownPlace()
	pid, err := start(args, nil, false)
	if err != nil {
		return err
	}
	for ended := awaitEnd(pid); ; {
		select {
		case sig := <-p.signals:
			if sig != unix.SIGTERM && ownPlace().front(began) {
				continue
			}
			// Of collectors SIGTERM is what their program gets.
			if p.outsider {
				sig = unix.SIGTERM
			}
			unix.Kill(pid, sig.(syscall.Signal))
		case <-ended:
			var ws unix.WaitStatus
			ws, p.status = wait(pid)
			p.ended(ws)
			return nil
		}
	}
}

// attached runs a collector that attaches to processes. Who interrupts us wants the report. The signal may have come
// to us alone, so the collector is told by us, and by us alone: it's in a session of its own.
func (p *session) attached(args []string) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	pid, err := start(args, null, true)
	if err != nil {
		return err
	}
	told := false
	for ended := awaitEnd(pid); ; {
		select {
		case <-p.signals:
			if !told {
				unix.Kill(pid, unix.SIGTERM)
			}
			told = true
		case <-ended:
			_, p.status = wait(pid)
			return nil
		}
	}
}

// place is where we stand among processes and terminals.
type place struct{ group, session, terminal, foreground int }

func ownPlace() (p place) {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return p
	}
	text = text[bytes.LastIndexByte(text, ')')+1:]
	var state string
	var parent int
	fmt.Sscan(string(text), &state, &parent, &p.group, &p.session, &p.terminal, &p.foreground)
	return p
}

// front reports whether the program gets a terminal's signals too: we are in its foreground, or it was hung up
// since the run began, and the leader of the session, unless that is us, told our group.
func (p place) front(began place) bool {
	return p.group == p.foreground || p.terminal != began.terminal && p.session != os.Getpid()
}
