package session

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ianlancetaylor/demangle"
	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/funcname"

	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/unwind"
)

// matcher is a function pattern of EVAL.
type matcher struct {
	re      *regexp.Regexp
	meant   expression.Meant
	pattern string
	known   map[string]bool
	scopes  map[*scope]int // which function of a scope matches
	found   bool           // a sample met a function that matches
}

func (p *process) matcher(pattern string) (*matcher, error) {
	m := p.matchers[pattern]
	if m == nil {
		var err error
		if m, err = newMatcher(pattern); err != nil {
			return nil, err
		}
		p.matchers[pattern] = m
	}
	return m, nil
}

func newMatcher(pattern string) (*matcher, error) {
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		return nil, err
	}
	meant, err := expression.NewMeant(pattern)
	if err != nil {
		return nil, err
	}
	return &matcher{re: re, meant: meant, pattern: pattern, known: make(map[string]bool), scopes: make(map[*scope]int)}, nil
}

// match judges a function by its name in the source language, without
// parameters, or by its symbol.
func (m *matcher) match(symbol string) bool {
	if symbol == "" || !m.meant.PerhapsSymbol(symbol) {
		return false
	}
	yes, known := m.known[symbol]
	if !known {
		name := readable(symbol)
		yes = m.re.MatchString(symbol) || m.re.MatchString(name) || m.re.MatchString(funcname.Plain(name))
		m.known[symbol] = yes
	}
	return yes
}

// readable is a symbol's name in the source language.
func readable(symbol string) string {
	return demangle.Filter(funcname.ForDemangler(symbol), demangle.NoParams, demangle.NoTemplateParams)
}

// evaluate works out an expression in the innermost activation of a function.
// There is no value where it's not active or the expression can't be read.
func (p *process) evaluate(function, expression string, shown bool) (datum, bool) {
	v, ok := p.value(function, expression, shown || p.tree.showsAll())
	if rec := p.recorder(); rec != nil {
		rec.value(function, expression, v.text, ok)
	}
	return v, ok
}

func (p *process) value(function, expression string, shown bool) (datum, bool) {
	m, err := p.matcher(function)
	if err != nil {
		p.tree.sayOnce("the function pattern %q: %v", function, err)
		return datum{}, false
	}
	p.readAgain()
	if p.callPath(p.now) == nil {
		return datum{}, false
	}
	a := p.results(m, expression, shown)
	m.found = m.found || a.verdict != inactive
	switch {
	case a.verdict == inactive:
		return datum{}, false
	case p.tree.cfg.Eval == Both && (a.verdict == valued || a.verdict == valueless):
		p.compare(m, expression, a)
	case a.verdict != refused || p.tree.cfg.Eval == Natively:
	case !p.served:
		// Of an event for which mustAsk did not see to it: the tracing goroutine must not wait for a debugger.
		a.verdict = unasked
	default:
		why := a.why
		if a = p.debugged(m, expression, a); a.verdict == valued && why != "" {
			p.run.debugged[[2]string{expression, why}]++
		}
	}
	switch a.verdict {
	case valued:
		p.run.read[expression] = true
		return a.datum, true
	case unasked:
		p.run.unasked(expression, a.why)
	default:
		p.run.unread(expression, a.why)
	}
	return datum{}, false
}

// readAgain forgets what was read at the present event, if a debugger may have changed it: by a command of the
// script, or as it called a function for an expression. The answers to such commands are waited for.
func (p *process) readAgain() {
	now := p.now
	if now == nil || !now.changed {
		return
	}
	now.changed = false
	now.results = nil
	if !now.held || now.thread == nil {
		return
	}
	p.hear(answerTime)
	if now.thread.stands() {
		now.frames, now.float = nil, nil
	}
}

// debugged has a debugger evaluate an expression, in the frame that a tells.
func (p *process) debugged(m *matcher, expression string, a result) result {
	path := p.now.frames
	p.now.changed = true
	name := p.show(p.pathObjects(path[:a.level+1]))
	if p.link == nil || name == 0 {
		a.verdict, a.why = unasked, "there was no debugger to ask"
		return a
	}
	if p.link.views() {
		p.readAllSymbols() // without the C library's it concludes for good that it can call no function
	}
	commands := p.link.table.Evaluate(name, path[a.level].CFA, expression)
	p.readPathSymbols(path[:a.level+1])
	if a.inlined {
		p.readPathSymbols(path)
		level, ok := p.levelOf(m, name)
		if !ok {
			a.verdict, a.why = unasked, "the debugger does not see the function"
			return a
		}
		commands = p.link.table.EvaluateAt(name, level, expression)
	}
	text, wrong := p.tryAnswer(commands)
	// What it needs may lie in an object that is not on the call path, a function that it calls for one: then
	// all are read.
	if wrong != "" && p.readAllSymbols() {
		text, wrong = p.tryAnswer(commands)
	}
	// The debugger takes each $NAME that is no register for a variable, which is void until it is set.
	if wrong == "" && text == "void" && strings.HasPrefix(expression, "$") {
		wrong = "the debugger knows no register or variable of that name"
	}
	if wrong != "" {
		a.verdict, a.why = valueless, strings.TrimSpace(wrong)
		return a
	}
	a.verdict, a.datum = valued, datum{text: text}
	return a
}

// levelOf is the debugger's number of the innermost frame of a function that matches. The debugger alone
// numbers those of inlined functions.
func (p *process) levelOf(m *matcher, name int) (int, bool) {
	_, r, err := p.ask(time.Now().Add(answerTime), p.link.table.Frames(name))
	if err != nil {
		return 0, false
	}
	level := slices.IndexFunc(p.link.table.ReadFrames(r), m.match)
	return level, level >= 0
}

// tryAnswer sends the commands that evaluate an expression and reads its
// value, or what is wrong with it.
func (p *process) tryAnswer(commands []string) (value, wrong string) {
	deadline := time.Now().Add(answerTime)
	first, err := p.link.gdb.Send(commands...)
	if err != nil {
		return "", err.Error()
	}
	last := first + len(commands) - 1
	for {
		r, err := p.link.gdb.Next(deadline)
		if errors.Is(err, mi.ErrWoken) {
			continue
		}
		if err != nil {
			return "", err.Error()
		}
		if r.Kind != mi.Result {
			var ignored strings.Builder
			p.aside(r, &ignored)
			continue
		}
		if r.Token < first || r.Token > last {
			p.answered(r)
			continue
		}
		if r.Class == "error" && wrong == "" {
			wrong = r.Str("msg")
		}
		if r.Token == last {
			return p.link.table.Value(r), wrong
		}
	}
}

// notFound tells of the function patterns that were never met.
func (p *process) notFound() {
	for pattern, m := range p.matchers {
		switch {
		case p.unwinder == nil:
		case m.found:
		case len(p.unwinder.Functions(m.match)) == 0 && !slices.ContainsFunc(p.unwinder.Objects(), func(o *unwind.Object) bool { return p.mentions(o, pattern) }):
			p.run.note(fmt.Sprintf("no function matches %q", pattern))
		default:
			p.run.note(fmt.Sprintf("no sampled call path contains a function that matches %q", pattern))
		}
	}
}

// mentions reports whether the debug data of an object may have functions that match, inlined everywhere.
func (p *process) mentions(o *unwind.Object, pattern string) bool {
	d := p.debugOf(o)
	return d != nil && mentions(d.debug, pattern)
}

// functionAt is the name of the function in which an event's thread stands.
func (p *process) functionAt(now *moment) string {
	path := p.callPath(now)
	if len(path) == 0 {
		return ""
	}
	raw, _ := p.unwinder.Symbol(path[0])
	return readable(raw)
}
