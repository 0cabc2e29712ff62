package remote

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// action is a part of vCont: what shall be done with which threads.
type action struct {
	verb   byte
	signal int  // the kernel's
	as     bool // with the signal that gdb has no number of its own for
	step   extent
	tid    int // or allThreads
}

// resume handles vCont;ACTION[:THREAD]… Each thread obeys the first action
// that is meant for it.
func (s *Server) resume(arg []byte) bool {
	var actions []action
	for part := range bytes.SplitSeq(arg, []byte{';'}) {
		a, ok := s.action(part)
		if !ok {
			return s.done(false)
		}
		actions = append(actions, a)
	}
	if len(actions) == 1 && actions[0].tid > 0 {
		s.apply(&actions[0], actions[0].tid)
		return s.done(true)
	}
	for _, tid := range s.p.Threads() {
		for i := range actions {
			if a := &actions[i]; a.tid == allThreads || a.tid == tid {
				s.apply(a, tid)
				break
			}
		}
	}
	return s.done(true)
}

// apply resumes a thread if it stands still, or stops it if it doesn't.
func (s *Server) apply(a *action, tid int) {
	if a.verb == 't' {
		if s.events.halt(tid) {
			s.p.Halt(tid)
		}
		return
	}
	e, stood := s.events.release(tid, a.step)
	if !stood {
		return
	}
	signal := a.signal
	if a.as {
		signal = e.why.Signal
	}
	s.p.Resume(tid, a.verb == 's' || a.verb == 'S' || a.verb == 'r', signal)
}

// action reads c, s, t, C SIGNAL, S SIGNAL or r FROM,TO, and the thread.
func (s *Server) action(text []byte) (a action, ok bool) {
	if len(text) == 0 {
		return a, false
	}
	a.verb, a.tid = text[0], allThreads
	rest := text[1:]
	switch a.verb {
	case 'c', 's', 't':
	case 'C', 'S':
		var n uint64
		if n, rest, ok = number(rest); !ok || n > unknownSignal {
			return a, false
		}
		a.signal, a.as = fromGDB(int(n)), n == unknownSignal
	case 'r':
		if a.step.from, a.step.to, rest, ok = span(rest); !ok {
			return a, false
		}
	default:
		return a, false
	}
	if len(rest) == 0 {
		return a, true
	}
	if rest[0] != ':' {
		return a, false
	}
	a.tid, rest, ok = s.thread(rest[1:])
	if a.tid == anyThread {
		a.tid = allThreads
	}
	return a, ok && len(rest) == 0
}

// interrupt handles vCtrlC.
func (s *Server) interrupt([]byte) bool {
	s.apply(&action{verb: 't'}, s.p.Pid())
	return s.done(true)
}

// threadEvents handles QThreadEvents. Of new threads gdb learns by their stops.
func (s *Server) threadEvents(arg []byte) bool {
	s.events.tellExits(string(arg) == "1")
	return s.done(true)
}

// reason handles the question mark: what stands still is told, one by one as
// it's acknowledged, and from now on what stops.
func (s *Server) reason([]byte) bool {
	s.attached = true
	s.events.again()
	return s.tellNext()
}

// acknowledge handles vStopped.
func (s *Server) acknowledge([]byte) bool {
	s.events.acknowledge()
	return s.tellNext()
}

// tellNext answers what is to be told next, or that there is nothing.
func (s *Server) tellNext() bool {
	e, ok := s.next()
	if !ok {
		return s.done(true)
	}
	s.tell(&e)
	return true
}

// next gives the event that is to be told now. A thread that is to step through
// a range, and has done no more than one step of it, goes on instead.
func (s *Server) next() (event, bool) {
	for {
		e, step, ok := s.events.take()
		if !ok {
			return event{}, false
		}
		if step.from < step.to && e.stepped() {
			if r, ok := s.p.Registers(e.tid); ok && step.from <= r.General.Rip && r.General.Rip < step.to {
				s.events.untake()
				s.p.Resume(e.tid, true, 0)
				continue
			}
		}
		return e, true
	}
}

// tell appends a stop reply. It carries the registers that gdb would otherwise
// ask for.
func (s *Server) tell(e *event) {
	switch {
	case e.process:
		status := unix.WaitStatus(e.status)
		if status.Signaled() {
			s.out = appendHex(append(s.out, 'X'), []byte{byte(toGDB(int(status.Signal())))})
		} else {
			s.out = appendHex(append(s.out, 'W'), []byte{byte(status.ExitStatus())})
		}
		s.out = appendNumber(append(s.out, ";process:"...), uint64(s.p.Pid()))
		return
	case e.ended:
		s.out = s.appendThread(append(s.out, "w0;"...), e.tid)
		return
	}
	s.out = appendHex(append(s.out, 'T'), []byte{byte(toGDB(e.why.Signal))})
	s.out = append(s.appendThread(append(s.out, "thread:"...), e.tid), ';')
	s.tellWhy(&e.why)
	s.appendGeneral(e.tid)
}

// appendGeneral appends the registers that a debugger would otherwise ask for.
func (s *Server) appendGeneral(tid int) {
	r, ok := s.p.Registers(tid)
	if !ok {
		return
	}
	for i, reg := range s.layout.regs {
		if reg.general != nil {
			s.out = append(appendNumber(s.out, uint64(i)), ':')
			s.out = append(s.layout.append(s.out, i, &r), ';')
		}
	}
}

func (s *Server) tellWhy(why *Stop) {
	switch {
	case why.Breakpoint:
		s.out = append(s.out, "swbreak:;"...)
	case why.Watch == WatchExecute:
		s.out = append(s.out, "hwbreak:;"...)
	case why.Watch != 0:
		word := map[WatchKind]string{WatchWrite: "watch:", WatchRead: "rwatch:", WatchAccess: "awatch:"}[why.Watch]
		s.out = append(appendNumber(append(s.out, word...), why.Watched), ';')
	case why.Entry:
		s.out = append(appendNumber(append(s.out, "syscall_entry:"...), uint64(why.Call)), ';')
	case why.Return:
		s.out = append(appendNumber(append(s.out, "syscall_return:"...), uint64(why.Call)), ';')
	case why.Exec != "":
		s.out = append(appendHex(append(s.out, "exec:"...), []byte(why.Exec)), ';')
	}
}
