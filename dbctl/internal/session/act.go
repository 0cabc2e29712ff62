package session

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// act does what an event asks for: see the kinds of debugger.Event.
func (s *Session) act(ev debugger.Event) {
	if ev.Stands() && !ev.Requested {
		s.thread(ev.Thread).standing = true
	}
	switch ev.Kind {
	case debugger.Tick:
		s.tick(ev)
	case debugger.Stopped:
		s.stopped(ev)
	case debugger.Breakpoint:
		s.offer(ev, s.line("breakpoint", ev, "number", ev.Number))
		s.resume(ev.Thread)
	case debugger.Syscall:
		way := "return"
		if ev.Enter {
			way = "enter"
		}
		s.offer(ev, s.line("syscall", ev, "event", way, "name", ev.Name))
		s.resume(ev.Thread)
	case debugger.Exec:
		s.executed(ev)
	case debugger.Forked:
		s.offer(ev, machine.FormatEvent(ev.Reason, "child", strconv.Itoa(ev.Child)))
		s.run.children++
	case debugger.ThreadCreated:
		s.thread(ev.Thread)
		s.clockAll()
		s.offer(ev, machine.FormatEvent("thread", "event", "created", "id", strconv.Itoa(ev.Thread)))
	case debugger.ThreadExited:
		if t := s.threads[ev.Thread]; t != nil {
			if s.clk != nil && t.tid != 0 {
				s.clk.remove(t.tid)
			}
			delete(s.threads, ev.Thread)
		}
		s.offer(ev, machine.FormatEvent("thread", "event", "exited", "id", strconv.Itoa(ev.Thread)))
	case debugger.Loaded:
		s.offer(ev, machine.FormatEvent(ev.Name, "object", ev.Object, "base", ev.Base))
	case debugger.Exited:
		s.awaitEnd()
	}
}

// awaitEnd waits for what our child's end was: the debugger knew it first.
func (s *Session) awaitEnd() {
	timeout := time.After(goneTime)
	for s.state == attached {
		select {
		case st := <-s.child:
			s.changed(st)
		case <-timeout:
			// It lives, and is no longer the debugger's: it has let it go.
			s.state = released
			s.stopClock()
			s.say("%s lost process %d, which runs on unprofiled", s.table.Name, s.pid)
			s.run.note("the debugger lost the process: what came after is not in the samples")
		}
	}
}

// offer gives a line to the machine. It returns whether a pattern matched.
func (s *Session) offer(ev debugger.Event, line string) bool {
	if s.rec != nil {
		s.rec.event(line)
	}
	if s.block == nil {
		return false
	}
	before := s.now
	s.now, s.frames = &ev, nil
	s.refresh()
	s.matched = s.block.step(line)
	s.now, s.frames = before, nil
	return s.matched
}

// refresh sets the variables that change, if the script uses them.
func (s *Session) refresh() {
	m := s.block.m
	if m.Uses("time") {
		m.Set("time", strconv.FormatFloat(time.Since(s.run.start).Seconds(), 'f', 6, 64))
	}
	if m.Uses("cpu") {
		m.Set("cpu", strconv.FormatFloat(processTime(s.pid).Seconds(), 'f', 6, 64))
	}
}

// line formats an event at a place in the program.
func (s *Session) line(kind string, ev debugger.Event, pairs ...string) string {
	pairs = append(pairs, "thread", strconv.Itoa(ev.Thread), "pc", fmt.Sprintf("%#x", ev.PC))
	if ev.Func == "" && s.wantFunc {
		ev.Func = s.functionAt(ev)
	}
	for _, p := range [...][2]string{{"func", ev.Func}, {"file", ev.File}, {"line", ev.Line}} {
		if p[1] != "" {
			pairs = append(pairs, p[0], p[1])
		}
	}
	return machine.FormatEvent(kind, pairs...)
}

// thread returns what is known of the debugger's thread, which may be new.
func (s *Session) thread(id int) *thread {
	t := s.threads[id]
	if t == nil {
		t = &thread{}
		s.threads[id] = t
	}
	return t
}

func (s *Session) threadOf(tid int) (int, *thread) {
	for id, t := range s.threads {
		if t.tid == tid {
			return id, t
		}
	}
	return 0, nil
}

// tid is the kernel's number of a thread; the debugger is asked for those that
// are new.
func (s *Session) tid(id int) int {
	t := s.thread(id)
	if t.tid == 0 {
		s.learnThreads(time.Now().Add(answerTime))
	}
	return t.tid
}

func (s *Session) learnThreads(deadline time.Time) error {
	_, r, err := s.ask(deadline, s.table.Threads)
	if err != nil {
		return err
	}
	for id, tid := range s.table.ReadThreads(r) {
		s.thread(id).tid = tid
	}
	return nil
}

// resume lets a thread go on, unless the script has. One whose event a block
// was for waits while there is a TIMEOUT.
func (s *Session) resume(id int) {
	t := s.threads[id]
	waits := s.matched && !s.expires.IsZero()
	if t == nil || !t.standing || s.state != attached || waits || s.quitted {
		return
	}
	t.standing = false
	s.send(s.onward(id))
}

// onward continues a thread, with the signal that it is owed.
func (s *Session) onward(id int) string {
	if t := s.threads[id]; t != nil && t.owed != "" {
		signal := t.owed
		t.owed = ""
		return s.table.Deliver(id, signal)
	}
	return s.table.Continue(id)
}

func (s *Session) resumeAll() {
	for id := range s.threads {
		s.resume(id)
	}
}

// tick is a stop for a signal that the clock may have sent.
func (s *Session) tick(ev debugger.Event) {
	t := s.thread(ev.Thread)
	if !t.standing {
		return // it was asked for at a stop from which the thread has gone on
	}
	t.halting = false
	tid := s.tid(ev.Thread)
	periods, own := s.periods(ev, tid)
	if own != "" {
		t.owed = own
	}
	s.repair(ev, tid, own)
	if periods == 0 {
		s.resume(ev.Thread)
		return
	}
	s.weight = periods
	if s.wantFunc && ev.Func == "" {
		ev.Func = s.functionAt(ev)
	}
	pairs := []string{"signal", "SIGVTALRM", "thread", strconv.Itoa(ev.Thread), "tid", strconv.Itoa(tid), "pc", "0x" + strconv.FormatUint(ev.PC, 16)}
	if ev.Func != "" {
		pairs = append(pairs, "func", ev.Func)
	}
	s.offer(ev, machine.FormatEvent("stopped", pairs...))
	s.weight = 0
	s.resume(ev.Thread)
}

// periods asks the clock what the stop of a thread stands for, and the
// debugger whose signal it was where that can't be told; own is one that the
// program sent. It may be merged with the clock's, or keep the debugger from
// stopping a thread whose time has come: then it stands for that too.
func (s *Session) periods(ev debugger.Event, tid int) (periods uint64, own string) {
	sure := false
	if s.clk != nil {
		periods, sure = s.clk.tick(tid)
	}
	if ev.Requested {
		return periods, ""
	}
	if sure && len(s.formerly) == 0 {
		if periods == 0 {
			own = s.watched
		}
		return periods, own
	}
	own, clock := s.sender(ev.Thread)
	if clock && s.clk != nil {
		periods = max(1, periods)
	}
	return periods, own
}

// sender asks whose the signal is for which a thread stands: one that the
// program, or anybody else, sent it, or a clock's.
func (s *Session) sender(id int) (own string, clock bool) {
	_, r, err := s.ask(time.Now().Add(answerTime), s.table.Sender(id))
	if err != nil {
		return "", false
	}
	signal, clock := s.table.ReadSender(r)
	if clock || signal == 0 {
		return "", clock
	}
	return unix.SignalName(unix.Signal(signal)), false
}

// stopped is a stop for any other signal, for a step, or at our request.
func (s *Session) stopped(ev debugger.Event) {
	t := s.thread(ev.Thread)
	if ev.Signal != "" && (ev.Signal == s.watched || slices.Contains(s.formerly, ev.Signal)) {
		return // the debugger's catchpoint tells it too: a tick follows
	}
	if (t.halting || ev.Signal == "0") && !s.heeded[ev.Signal] {
		// Our own stop, which may also come with a signal that was on its way:
		// it's delivered when the thread goes on. A tick follows.
		s.send(s.table.Registers(ev.Thread))
		return
	}
	switch ev.Signal {
	case "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU":
		s.stopping = true
		s.offer(ev, s.line("stopped", ev, "signal", ev.Signal))
		s.stopping = false
		if s.state == attached {
			s.rest(ev)
		}
		return
	default:
		if ev.Signal == "SIGTRAP" {
			t.owed = ev.Signal // its own; the debugger would keep it
		}
		pairs := []string{}
		if ev.Signal != "" {
			pairs = append(pairs, "signal", ev.Signal)
		} else if ev.Reason != "" {
			pairs = append(pairs, "reason", ev.Reason)
		}
		s.offer(ev, s.line("stopped", ev, pairs...))
	}
	s.resume(ev.Thread)
}

// repair undoes what a tick may do to a system call that blocks: some, such as
// epoll_wait, return EINTR at any stop. The call is made again, unless a signal
// of the program's own is waiting, or its own is what the stop is for, that
// would have ended it.
func (s *Session) repair(ev debugger.Event, tid int, own string) {
	if int64(ev.AX) != -int64(unix.EINTR) {
		return
	}
	var code [2]byte
	if s.memory.ReadAt(code[:], ev.PC-2) != 2 || code != [2]byte{0x0f, 0x05} {
		return
	}
	m, err := readMasks(s.pid, tid)
	const stops = 1<<(unix.SIGSTOP-1) | 1<<(unix.SIGTSTP-1) | 1<<(unix.SIGTTIN-1) | 1<<(unix.SIGTTOU-1)
	waiting := (m.pending|m.shared)&^m.blocked | bit(unix.SignalNum(own))
	if err != nil || waiting&(m.caught|stops) != 0 {
		return
	}
	deadline := time.Now().Add(answerTime)
	_, r, err := s.ask(deadline, s.table.CallNumber(ev.Thread))
	if err != nil {
		return
	}
	if n, err := strconv.Atoi(s.table.Value(r)); err == nil && n >= 0 {
		s.send(s.table.Restart(ev.Thread))
		s.run.repaired++
	}
}
