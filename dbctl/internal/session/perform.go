package session

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// A Session performs what its script asks for, on the thread of the event that
// is being acted on.

// commands sends all in one write. Only answers that are wanted are waited
// for, so that a block which ends with "continue" costs no round trip.
func (s *Session) commands(texts []string, wanted []bool) []string {
	outputs := make([]string, len(texts))
	thread := s.actThread()
	if slices.ContainsFunc(texts, func(t string) bool { return !plain(t) }) {
		s.readAllSymbols()
	}
	var wire []string
	var sent []int // indices of the texts on the wire
	answers := 0   // how many of them are to be waited for
	for i, text := range texts {
		if s.table.Resumes(text) {
			t := s.threads[thread]
			if t == nil || !t.standing || s.stopping {
				continue // it runs, or is to stop for its shell
			}
			t.standing = false
		}
		command := s.table.Command(thread, text)
		if command == s.table.Continue(thread) {
			command = s.onward(thread)
		}
		wire, sent = append(wire, command), append(sent, i)
		if wanted[i] {
			answers = len(sent)
		}
	}
	if len(wire) == 0 {
		return outputs
	}
	first, err := s.gdb.Send(wire...)
	if err != nil {
		return outputs
	}
	for i, at := range sent[answers:] {
		s.pending[first+answers+i] = texts[at]
	}
	s.collect(first, sent[:answers], texts, outputs)
	if s.rec != nil {
		for i := range texts {
			s.rec.answer(texts[i], outputs[i])
		}
	}
	return outputs
}

// collect reads the answers to the commands at some indices, in their order.
// What is printed before an answer belongs to it.
func (s *Session) collect(first int, sent []int, texts, outputs []string) {
	deadline := time.Now().Add(answerTime)
	for n := 0; n < len(sent); {
		r, err := s.gdb.Next(deadline)
		if errors.Is(err, mi.ErrWoken) {
			continue
		}
		if err != nil {
			return // the next read of the loop tells
		}
		i := sent[n]
		if r.Kind != mi.Result {
			var text strings.Builder
			s.aside(r, &text)
			outputs[i] += text.String()
			continue
		}
		if r.Token != first+n {
			s.answered(r)
			continue
		}
		if r.Class == "error" {
			s.failed(texts[i], r.Str("msg"))
		} else if outputs[i] == "" && len(r.Results.Items) > 0 {
			// An MI command answers with results instead of text.
			outputs[i] = string(r.Raw[strings.IndexByte(string(r.Raw), ',')+1:])
		}
		n++
	}
}

// actThread is the thread of the event, or any, for events of the whole
// process; 0 if that is not the debugger's any more.
func (s *Session) actThread() int {
	if s.state != attached {
		return 0
	}
	if s.now != nil && s.now.Thread != 0 {
		return s.now.Thread
	}
	least := 0
	for id := range s.threads {
		if least == 0 || id < least {
			least = id
		}
	}
	return least
}

func (s *Session) clock(kind string, p time.Duration, random bool) error {
	s.stopClock()
	if kind == "off" {
		return nil
	}
	var tids []int
	for id := range s.threads {
		if tid := s.tid(id); tid != 0 {
			tids = append(tids, tid)
		}
	}
	s.period = period{mean: p, random: random}
	c, why, err := startClock(kind, s.pid, s.period, tids)
	if err != nil {
		return err
	}
	s.clk = c
	s.watch(c.signal())
	if why != "" {
		s.say("%s", why)
		s.run.note(why)
	}
	s.run.clocked(c.name(), s.period)
	return nil
}

func (s *Session) stopClock() {
	if s.clk == nil {
		return
	}
	s.clk.close()
	s.clk = nil
	s.watch("")
}

// watch makes the debugger watch the clock's signal, and no other.
func (s *Session) watch(signal string) {
	if s.watched == signal {
		return
	}
	if s.watched != "" {
		s.send(s.table.Unwatch(s.watched)...)
	}
	s.watched = signal
	if signal != "" {
		s.send(s.table.Watch(signal)...)
	}
}

// clockAll gives the threads that have none a clock.
func (s *Session) clockAll() {
	if s.clk == nil {
		return
	}
	tids, err := threadIDs(s.pid)
	if err != nil {
		return // it's ending
	}
	for _, tid := range tids {
		if err := s.clk.add(tid); err != nil && !errors.Is(err, unix.ESRCH) {
			s.sayOnce("a thread is not sampled: %v", err)
			s.run.lost(1, "threads without a clock")
		}
	}
}

func (s *Session) spawn(pid int) {
	s.sayOnce("children of %s run unprofiled", s.run.prog)
	s.run.note("its children ran unprofiled")
}

func (s *Session) detach() {
	if s.state != attached {
		return
	}
	s.letGo()
	s.state = released
	s.run.detached = true
}

// letGo takes everything of ours out of the process and leaves it running.
func (s *Session) letGo() {
	s.stopClock()
	deadline := time.Now().Add(answerTime)
	s.ask(deadline, s.table.Detach)
	s.threads = make(map[int]*thread)
	s.queue = nil
}

func (s *Session) kill(signal string) error {
	sig := unix.SIGKILL
	if signal != "" {
		if sig = unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(signal), "SIG")); sig == 0 {
			return fmt.Errorf("there is no signal %q", signal)
		}
	}
	return unix.Kill(s.pid, sig)
}

func (s *Session) timeout(after time.Duration) {
	s.expires = time.Time{}
	if after > 0 {
		s.expires = time.Now().Add(after)
	}
}

func (s *Session) shell(command string) string {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Stderr = s.cfg.Stderr
	out, err := cmd.Output()
	if err != nil {
		s.sayOnce("the shell command %q ended with %v", command, err)
	}
	return string(out)
}

func (s *Session) quit(status int) {
	s.quitted, s.code = true, status
}
