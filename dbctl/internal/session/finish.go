package session

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// finish lets the process go if it still lives, offers its last event, and
// completes its run directory.
func (s *Session) finish() error {
	defer func() {
		for _, c := range s.closers {
			c.Close()
		}
		s.unwinder.Close()
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
	s.block.sinks.close()
	if s.run.detached {
		state = "detached"
	}
	return s.run.finish(state, status, cpu)
}

// unprofiled runs a program without looking at it.
func (s *Session) unprofiled(path string) (int, error) {
	s.signals = catchSignals(func() {})
	defer s.signals.close()
	p, err := os.StartProcess(path, s.cfg.Argv, &os.ProcAttr{Files: []*os.File{s.cfg.Stdin, s.cfg.Stdout, s.cfg.Stderr}})
	if err != nil {
		return 0, launchError(path, err)
	}
	var st childStatus
	waitFor(p.Pid, func(c childStatus) {
		st = c
		if c.ws.Stopped() && s.signals.stopWanted() {
			unix.Kill(os.Getpid(), unix.SIGSTOP)
		}
	})
	return st.exitCode(), nil
}
