package session

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// finish lets the process go if it still lives, offers its last event, and
// completes its run directory.
func (s *Session) finish() error {
	defer func() {
		s.close()
		if s.unwinder != nil {
			s.unwinder.Close()
		}
	}()
	s.stopClock()
	state, status, cpu := "complete", s.status.String(), s.status.cpu
	switch {
	case s.state != gone:
		cpu = processTime(s.pid)
		if s.state == attached {
			s.letGo()
		}
		state, status = "detached", ""
	case s.status.ws.Signaled():
		s.offer(debugger.Event{}, machine.FormatEvent("killed", "signal", unix.SignalName(s.status.ws.Signal())))
	default:
		s.offer(debugger.Event{}, machine.FormatEvent("exited", "code", strconv.Itoa(s.status.ws.ExitStatus())))
	}
	s.offer(debugger.Event{}, "eof")
	s.dog.free(s.pid)
	if s.run == nil {
		return nil
	}
	s.block.sinks.close()
	s.notFound()
	if s.run.detached {
		state = "detached"
	}
	return s.run.finish(state, status, cpu)
}

// close undoes what was to be undone at the end.
func (s *Session) close() {
	for _, c := range s.closers {
		c.Close()
	}
}

// unprofiled runs a program without looking at it.
func (s *Session) unprofiled(path string) (int, error) {
	s.signals = catchSignals(func() {})
	defer s.signals.close()
	for sig := unix.Signal(1); sig <= 64; sig++ {
		if s.cfg.Ignored&bit(sig) != 0 {
			signal.Ignore(sig)
		}
	}
	files, after, err := s.files()
	if err != nil {
		return 0, err
	}
	attr := &os.ProcAttr{Files: files[:], Env: s.cfg.Environ, Sys: &syscall.SysProcAttr{Setsid: s.cfg.Pty, Setctty: s.cfg.Pty}}
	p, err := os.StartProcess(path, s.cfg.Argv, attr)
	if forShell(path, err) {
		p, err = os.StartProcess(shell, append([]string{shell, path}, s.cfg.Argv[1:]...), attr)
	}
	if err != nil {
		return 0, launchError(path, err)
	}
	after(p.Pid)
	defer s.close()
	s.pid, s.state = p.Pid, released
	go waitFor(s.pid, func(st childStatus) { s.child <- st })
	if err := s.loop(); err != nil {
		return 0, err
	}
	return s.status.exitCode(), nil
}
