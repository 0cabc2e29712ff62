package session

import (
	"fmt"
	"regexp"
	"slices"
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
	objects int  // how many the debugger had read when inlined was found out
	found   bool // a sample met a function that matches
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
	at := slices.IndexFunc(path, func(f unwind.Frame) bool {
		symbol, _ := s.unwinder.Symbol(f)
		return m.match(symbol)
	})
	s.readPathSymbols(path[:at+1])
	if m.objects != len(s.symbols) {
		s.findInlined(m)
	}
	if m.inlined {
		s.readPathSymbols(path)
		return s.valueInlined(m, expression)
	}
	if at < 0 {
		return "", false
	}
	m.found = true
	return s.answer(s.table.Evaluate(s.now.Thread, path[at].CFA, expression), expression)
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
			m.found = true
			return s.answer(s.table.EvaluateAt(s.now.Thread, level, expression), expression)
		}
	}
	return "", false
}

// findInlined finds out whether a function that matches was inlined anywhere:
// whether its code begins where no symbol of that name lies. A pattern that is
// no plain name is tried with the names of the symbols that match it.
func (s *Session) findInlined(m *matcher) {
	m.objects = len(s.symbols)
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

// answer has an expression evaluated. What it needs may lie in an object that
// is not on the call path, a function that it calls for one: then all are read.
func (s *Session) answer(commands []string, expression string) (string, bool) {
	value, wrong := s.tryAnswer(commands)
	if wrong != "" && s.readAllSymbols() {
		value, wrong = s.tryAnswer(commands)
	}
	if wrong != "" {
		s.run.unread(expression, wrong)
	}
	return value, wrong == ""
}

// tryAnswer sends the commands that evaluate an expression and reads its
// value, or what is wrong with it.
func (s *Session) tryAnswer(commands []string) (value, wrong string) {
	deadline := time.Now().Add(answerTime)
	first, err := s.gdb.Send(commands...)
	if err != nil {
		return "", err.Error()
	}
	last := first + len(commands) - 1
	for {
		r, err := s.next(deadline)
		if err != nil {
			return "", err.Error()
		}
		if r == nil {
			continue
		}
		if r.Token < first || r.Token > last {
			s.answered(r)
			continue
		}
		if r.Class == "error" && wrong == "" {
			wrong = r.Str("msg")
		}
		if r.Token == last {
			return s.table.Value(r), wrong
		}
	}
}

// notFound tells of the function patterns that were never met.
func (s *Session) notFound() {
	for pattern, m := range s.matchers {
		switch {
		case m.found:
		case !m.inlined && len(s.unwinder.Functions(m.match)) == 0:
			s.run.note(fmt.Sprintf("no function matches %q", pattern))
		default:
			s.run.note(fmt.Sprintf("no sampled call path goes through a function that matches %q", pattern))
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
