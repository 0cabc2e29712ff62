package session

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/ianlancetaylor/demangle"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// taken is a sample whose thread may already run again.
type taken struct {
	ok      bool
	node    data.NodeID
	at      time.Time
	cpu     time.Duration
	tid     int
	periods uint64
	partial bool
}

// path takes the call path of the event's thread, which stands still.
func (s *Session) path() {
	s.taken = taken{}
	frames := s.callPath()
	if frames == nil {
		return
	}
	s.taken = taken{
		ok: true, at: time.Now(), cpu: processTime(s.pid), tid: s.tid(s.now.Thread),
		periods: s.weight, partial: s.reason != unwind.Complete,
		node: s.run.node(frames),
	}
}

// sampled writes the sample that path took, with its fields.
func (s *Session) sampled(fields []field) {
	if !s.taken.ok {
		s.run.lost(1, "no registers")
		return
	}
	s.run.sample(s.taken, s.period, fields)
}

// callPath is the call path of the event that is being acted on; nil if its
// thread does not stand still.
func (s *Session) callPath() []unwind.Frame {
	if s.frames != nil || s.now == nil {
		return s.frames
	}
	regs, ok := s.registers()
	if !ok {
		return nil
	}
	s.frames, s.reason = s.unwinder.Unwind(regs, s.memory, nil)
	return s.frames
}

// registers are those of the event's thread. A tick brings its own.
func (s *Session) registers() (unwind.Regs, bool) {
	ev := s.now
	if ev.Kind != debugger.Tick {
		t := s.threads[ev.Thread]
		if t == nil || !t.standing {
			return unwind.Regs{}, false
		}
		waiting := len(s.queue)
		if _, _, err := s.ask(time.Now().Add(answerTime), s.table.Registers(ev.Thread)); err != nil {
			return unwind.Regs{}, false
		}
		i := waiting
		for i < len(s.queue) && !(s.queue[i].Kind == debugger.Tick && s.queue[i].Thread == ev.Thread) {
			i++
		}
		if i == len(s.queue) {
			return unwind.Regs{}, false
		}
		tick := s.queue[i]
		s.queue = append(s.queue[:i], s.queue[i+1:]...)
		return unwind.Regs{PC: tick.PC, SP: tick.SP, BP: tick.BP}, true
	}
	return unwind.Regs{PC: ev.PC, SP: ev.SP, BP: ev.BP}, true
}

// functionAt is the name of the function in which an event's thread stands.
func (s *Session) functionAt(ev debugger.Event) string {
	before, frames := s.now, s.frames
	s.now, s.frames = &ev, nil
	name := ""
	if path := s.callPath(); len(path) > 0 {
		raw, _ := s.unwinder.Symbol(path[0])
		name = readable(raw)
	}
	s.now, s.frames = before, frames
	return name
}

// matcher is a function pattern of EVAL.
type matcher struct {
	re    *regexp.Regexp
	known map[string]bool
	// level names the frame for functions that are only found inlined.
	told bool
}

func (s *Session) matcher(pattern string) (*matcher, error) {
	m := s.matchers[pattern]
	if m == nil {
		re, err := regexp.Compile("^(?:" + pattern + ")$")
		if err != nil {
			return nil, err
		}
		m = &matcher{re: re, known: make(map[string]bool)}
		s.matchers[pattern] = m
	}
	return m, nil
}

// match judges a function by its name in the source language, without
// parameters, or by its symbol.
func (m *matcher) match(symbol string) bool {
	if symbol == "" {
		return false
	}
	yes, known := m.known[symbol]
	if !known {
		yes = m.re.MatchString(symbol) || m.re.MatchString(readable(symbol))
		m.known[symbol] = yes
	}
	return yes
}

// readable is a symbol's name in the source language.
func readable(symbol string) string {
	return demangle.Filter(symbol, demangle.NoParams, demangle.NoTemplateParams)
}

// evaluate works out an expression in the innermost activation of a function.
// There is no value where it's not active or the expression can't be read.
func (s *Session) evaluate(function, expression string) (string, bool) {
	value, ok := s.value(function, expression)
	if s.rec != nil {
		s.rec.value(function, expression, value, ok)
	}
	return value, ok
}

func (s *Session) value(function, expression string) (string, bool) {
	m, err := s.matcher(function)
	if err != nil {
		s.sayOnce("the function pattern %q: %v", function, err)
		return "", false
	}
	path := s.callPath()
	for _, f := range path {
		if symbol, _ := s.unwinder.Symbol(f); m.match(symbol) {
			s.readSymbols()
			return s.valueAt(f.CFA, expression)
		}
	}
	return "", false
}

func (s *Session) valueAt(cfa uint64, expression string) (string, bool) {
	deadline := time.Now().Add(answerTime)
	commands := s.table.Evaluate(s.now.Thread, cfa, expression)
	first, err := s.gdb.Send(commands...)
	if err != nil {
		return "", false
	}
	last := first + len(commands) - 1
	var value string
	ok := true
	for {
		r, err := s.next(deadline)
		if err != nil {
			return "", false
		}
		if r == nil {
			continue
		}
		if r.Token < first || r.Token > last {
			s.answered(r)
			continue
		}
		if r.Class == "error" && ok {
			ok = false
			s.run.unread(expression, r.Str("msg"))
		}
		if r.Token == last {
			value = s.table.Value(r)
			return value, ok
		}
	}
}

// readSymbols makes the debugger read the objects that it has not read yet.
func (s *Session) readSymbols() {
	if s.unwinder == nil {
		return
	}
	for _, o := range s.unwinder.Objects() {
		if s.symbols[o] {
			continue
		}
		s.symbols[o] = true
		path := o.Path
		switch o.Kind {
		case unwind.VDSO:
			if path = s.copyVDSO(o); path == "" {
				continue
			}
		case unwind.Anon:
			continue
		}
		if _, _, err := s.ask(time.Now().Add(answerTime), s.table.Symbols(path, o.Bias)); err != nil {
			s.sayOnce("no symbols of %s: %v", path, err)
		}
	}
}

// copyVDSO makes a file of the vdso, which has none: one of ours without a
// name, that the debugger can read as long as we live.
func (s *Session) copyVDSO(o *unwind.Object) string {
	image := make([]byte, o.End-o.Start)
	if s.memory.ReadAt(image, o.Start) != len(image) {
		return ""
	}
	f, err := os.CreateTemp("", "pct-vdso-")
	if err != nil {
		return ""
	}
	os.Remove(f.Name())
	if _, err := f.Write(image); err != nil {
		f.Close()
		return ""
	}
	s.closers = append(s.closers, f)
	return fmt.Sprintf("/proc/%d/fd/%s", os.Getpid(), strconv.Itoa(int(f.Fd())))
}
