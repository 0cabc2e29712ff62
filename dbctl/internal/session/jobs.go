package session

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
)

// rest lets the process stop, as the signal wants that its thread has just
// met. A traced process can't stop as its shell expects, so the debugger lets
// it go with the signal; when it's continued, it's taken back. It runs some
// milliseconds unprofiled then.
func (s *Session) rest(ev debugger.Event) {
	sig := unix.SignalNum(ev.Signal)
	t := s.thread(ev.Thread)
	m, err := readMasks(s.pid, s.pid)
	if sig != unix.SIGSTOP && (err != nil || m.caught&bit(sig) != 0 || m.ignored&bit(sig) != 0) {
		// The program deals with it itself.
		t.standing = false
		s.send(s.table.Deliver(ev.Thread, ev.Signal))
		return
	}
	if _, _, err := s.ask(time.Now().Add(answerTime), s.table.Detach); err != nil {
		s.say("%s can't let process %d go to stop, and it runs on: %v", s.table.Name, s.pid, err)
		t.standing = false
		s.send(s.table.Continue(ev.Thread))
		return
	}
	s.dog.free(s.pid)
	s.threads = make(map[int]*thread)
	s.queue = nil
	s.state = resting
	s.stopToo()
}

// stopToo stops us, if the terminal wanted our whole process group to stop:
// the shell waits for that.
func (s *Session) stopToo() {
	if s.signals.stopWanted() {
		unix.Kill(os.Getpid(), unix.SIGSTOP)
	}
}

// takeBack attaches to the process again once it has been continued.
func (s *Session) takeBack() {
	if err := s.dog.hold(s.pid); err != nil {
		s.say("%v", err)
	}
	if err := s.attach(); err != nil {
		s.children()
		if s.state != gone {
			s.say("%v: it runs on unprofiled", err)
			s.run.note("it could not be attached again after it was stopped")
			s.state = released
		}
		return
	}
	s.state = attached
	if s.clk != nil {
		s.clk.rebase()
		s.clockAll()
	}
	s.matched = false
	// What came with the attach's own stop is acted on before.
	for len(s.queue) > 0 && s.state == attached {
		ev := s.queue[0]
		s.queue = s.queue[1:]
		s.act(ev)
	}
	if s.state == attached {
		s.resumeAll()
	}
}
