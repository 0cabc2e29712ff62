package session

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// goneTime is how long the debugger may go on without knowing that the process
// has ended, and the parent without hearing of it.
const goneTime = time.Second

// haltTime is how long the debugger may take to stop a thread before it's asked
// again: gdb 13 now and then takes the stop that it asked for itself for a late
// one, and lets the thread run on.
const haltTime = 50 * time.Millisecond

// loop reads events and acts on them until the process has ended or the script
// has quit.
func (s *Session) loop() error {
	for s.state != gone && !s.quitted {
		s.children()
		if s.state == gone {
			break
		}
		if s.signals.termWanted() {
			unix.Kill(s.pid, unix.SIGTERM)
		}
		if s.state != attached {
			s.outside()
			continue
		}
		deadline := s.clockwork()
		ev, err := s.read(deadline)
		var died *mi.Died
		switch {
		case err == nil:
			s.act(ev)
		case errors.Is(err, mi.ErrWoken):
			// What it was is looked for before the next event.
		case errors.Is(err, mi.ErrTimeout):
			s.timeUp()
		case errors.As(err, &died):
			s.orphaned(died)
		default:
			return err
		}
	}
	return nil
}

// children takes what the process's parent, which is us, was told.
func (s *Session) children() {
	for {
		select {
		case st := <-s.child:
			s.changed(st)
		default:
			return
		}
	}
}

func (s *Session) changed(st childStatus) {
	s.suspended = st.ws.Stopped()
	switch {
	case st.ended():
		s.status = st
		s.state = gone
	case st.ws.Continued() && s.state == resting:
		s.takeBack()
	}
}

// outside waits while the process is not under the debugger.
func (s *Session) outside() {
	select {
	case st := <-s.child:
		s.changed(st)
	case <-time.After(20 * time.Millisecond):
		if s.state == resting || s.suspended {
			s.stopToo() // our own signal may come after the program's
		}
	}
}

// clockwork stops the threads whose time has come and returns when to look
// again.
func (s *Session) clockwork() time.Time {
	deadline := s.expires
	if s.clk == nil {
		return deadline
	}
	if why := s.clk.failed(); why != "" {
		s.say("clock %s can't go on, and poll takes over: %s", s.clk.name(), why)
		s.run.note("clock poll took over from " + s.clk.name() + ": " + why)
		if err := s.clock("poll", s.period.mean, s.period.random); err != nil {
			s.say("%v", err)
			return deadline
		}
	}
	tids, again := s.clk.due(time.Now())
	if name := s.clk.signal(); name != s.watched {
		// The program has come to use the signal. One of ours may still be on
		// its way, so the debugger goes on to watch it.
		s.formerly = append(s.formerly, s.watched)
		s.watched = ""
		s.watch(name)
	}
	s.halt(tids)
	if !again.IsZero() && (deadline.IsZero() || again.Before(deadline)) {
		deadline = again
	}
	return deadline
}

// halt stops these threads, as far as the debugger knows them.
func (s *Session) halt(tids []int) {
	for _, tid := range tids {
		if _, t := s.threadOf(tid); t == nil {
			s.learnThreads(time.Now().Add(answerTime))
			break
		}
	}
	for _, tid := range tids {
		if id, t := s.threadOf(tid); t != nil && !t.standing && !(t.halting && time.Since(t.asked) < haltTime) {
			if s.clk.stop(tid) {
				continue
			}
			t.halting, t.asked = true, time.Now()
			s.send(s.table.Halt(id))
		}
	}
}

func (s *Session) timeUp() {
	if !s.expires.IsZero() && !time.Now().Before(s.expires) {
		s.expires = time.Time{}
		s.offer(debugger.Event{}, "timeout")
		if s.state == attached && s.expires.IsZero() {
			s.resumeAll()
		}
	}
}

// orphaned goes on without the debugger, which has died: the kernel has let
// the process go, though it may be stopped by a stop that was on its way.
func (s *Session) orphaned(died *mi.Died) {
	s.state = released
	s.stopClock()
	deadline := time.Now().Add(goneTime)
	for time.Now().Before(deadline) {
		s.children()
		if s.state == gone {
			return
		}
		if state, tracer := processState(s.pid); state == 'T' && tracer == 0 {
			unix.Kill(s.pid, unix.SIGCONT)
			break
		} else if state != 't' && state != 'T' && tracer == 0 && time.Until(deadline) < goneTime*3/4 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.say("%v: process %d runs on unprofiled", died, s.pid)
	if s.run != nil {
		s.run.note("the debugger died: what came after is not in the samples")
	}
}

// processState is the state letter of /proc/PID/status and the tracer's id.
func processState(pid int) (letter byte, tracer int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ":\t"); key {
		case "State":
			letter = value[0]
		case "TracerPid":
			fmt.Sscan(value, &tracer)
		}
	}
	return letter, tracer
}

// read returns the next event. Answers that nobody waits for are dealt with
// here, and raw lines offered to the patterns that want them.
func (s *Session) read(deadline time.Time) (debugger.Event, error) {
	for {
		if len(s.queue) > 0 {
			ev := s.queue[0]
			s.queue = s.queue[1:]
			return ev, nil
		}
		r, err := s.gdb.Next(deadline)
		if err != nil {
			return debugger.Event{}, err
		}
		s.raw(r)
		if r.Kind == mi.Result {
			s.answered(r)
			continue
		}
		if ev := s.table.Decode(r); ev.Kind != debugger.None {
			return ev, nil
		}
	}
}

// raw offers a record to the raw patterns.
func (s *Session) raw(r *mi.Record) {
	if s.block != nil && s.block.m.UsesRaw() && s.now == nil {
		s.block.stepRaw(string(r.Raw))
	}
}

// answered deals with the answer to a command that was sent and not waited
// for: an error is an event.
func (s *Session) answered(r *mi.Record) {
	text, ours := s.pending[r.Token]
	delete(s.pending, r.Token)
	if ours && r.Class == "error" {
		s.failed(text, r.Str("msg"))
	}
}

// failed tells the script, or else the user, that a command failed.
func (s *Session) failed(command, message string) {
	line := machine.FormatEvent("error", "command", command, "message", message)
	if s.now != nil {
		// Within a block: a script can't handle it there.
		s.sayOnce("%s: %s (command %q)", s.table.Name, strings.TrimSpace(message), command)
		return
	}
	if !s.offer(debugger.Event{}, line) {
		s.sayOnce("%s: %s (command %q)", s.table.Name, strings.TrimSpace(message), command)
	}
}

// send sends commands whose answers are not waited for. An error of the pipe
// is that of the debugger's death, which the next read tells.
func (s *Session) send(commands ...string) {
	s.gdb.Send(commands...)
}

// ask sends a command and returns what it printed, and its answer.
func (s *Session) ask(deadline time.Time, command string) (string, *mi.Record, error) {
	token, err := s.gdb.Send(command)
	if err != nil {
		return "", nil, err
	}
	var text strings.Builder
	for {
		r, err := s.gdb.Next(deadline)
		if errors.Is(err, mi.ErrWoken) {
			continue // children are looked for after each event
		}
		if err != nil {
			return "", nil, err
		}
		switch {
		case r.Kind == mi.Result && r.Token == token:
			if r.Class == "error" {
				return text.String(), r, &mi.CommandError{Command: command, Message: r.Str("msg")}
			}
			return text.String(), r, nil
		case r.Kind == mi.Result:
			s.answered(r)
		default:
			s.aside(r, &text)
		}
	}
}

// aside keeps what comes before an awaited answer: events for later, text for
// whoever asked.
func (s *Session) aside(r *mi.Record, text *strings.Builder) {
	if ev := s.table.Decode(r); ev.Kind != debugger.None {
		if ev.Kind == debugger.ThreadCreated {
			s.clockAll() // its time runs while the answer is awaited
		}
		s.queue = append(s.queue, ev)
	} else if r.Kind == mi.Console {
		text.WriteString(r.Text)
	}
}
