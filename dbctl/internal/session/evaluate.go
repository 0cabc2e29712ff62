package session

import (
	"regexp"
	"time"

	"github.com/ianlancetaylor/demangle"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/unwind"
)

// matcher is a function pattern of EVAL.
type matcher struct {
	re      *regexp.Regexp
	pattern string
	known   map[string]bool
	objects int  // how many had been read when inlined was found out
	inlined bool // a function that matches has inlined copies
}

func (s *Session) matcher(pattern string) (*matcher, error) {
	m := s.matchers[pattern]
	if m == nil {
		re, err := regexp.Compile("^(?:" + pattern + ")$")
		if err != nil {
			return nil, err
		}
		m = &matcher{re: re, pattern: pattern, known: make(map[string]bool)}
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
	if path == nil {
		return "", false
	}
	if m.objects != len(s.unwinder.Objects()) {
		s.findInlined(m)
	}
	if m.inlined {
		return s.valueInlined(m, expression)
	}
	for _, f := range path {
		if symbol, _ := s.unwinder.Symbol(f); m.match(symbol) {
			return s.answer(s.table.Evaluate(s.now.Thread, f.CFA, expression), expression)
		}
	}
	return "", false
}

// valueInlined asks the debugger for the frames, which costs more: it alone
// knows those of inlined functions.
func (s *Session) valueInlined(m *matcher, expression string) (string, bool) {
	_, r, err := s.ask(time.Now().Add(answerTime), s.table.Frames(s.now.Thread))
	if err != nil {
		return "", false
	}
	for level, name := range s.table.ReadFrames(r) {
		if m.match(name) {
			return s.answer(s.table.EvaluateAt(s.now.Thread, level, expression), expression)
		}
	}
	return "", false
}

// findInlined finds out whether a function that matches was inlined anywhere:
// whether its code begins where no symbol of that name lies. A pattern that is
// no plain name is tried with the names of the symbols that match it.
func (s *Session) findInlined(m *matcher) {
	s.readSymbols()
	m.objects = len(s.unwinder.Objects())
	functions := s.unwinder.Functions(m.match)
	names := map[string]bool{m.pattern: regexp.QuoteMeta(m.pattern) == m.pattern}
	for _, f := range functions {
		names[readable(f.Name)] = true
	}
	deadline := time.Now().Add(answerTime)
	for name, plain := range names {
		if !plain {
			continue
		}
		_, r, err := s.ask(deadline, s.table.Locate(name))
		if err != nil {
			continue
		}
		number, addresses := s.table.ReadLocations(r)
		for _, a := range addresses {
			m.inlined = m.inlined || !within(functions, a)
		}
		s.ask(deadline, s.table.Forget(number))
	}
}

// within reports whether a function has code at the address.
func within(functions []unwind.Function, address uint64) bool {
	for _, f := range functions {
		start := f.Addr + f.Object.Bias
		if address >= start && address < start+max(f.Size, 1) {
			return true
		}
	}
	return false
}

// answer sends the commands that evaluate an expression and reads its value.
func (s *Session) answer(commands []string, expression string) (string, bool) {
	deadline := time.Now().Add(answerTime)
	first, err := s.gdb.Send(commands...)
	if err != nil {
		return "", false
	}
	last := first + len(commands) - 1
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
			return s.table.Value(r), ok
		}
	}
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
