package session

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ianlancetaylor/demangle"
	"github.com/profilecollection/pct/internal/funcname"

	"github.com/profilecollection/pct/dbctl/internal/mi"
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

func (p *process) matcher(pattern string) (*matcher, error) {
	m := p.matchers[pattern]
	if m == nil {
		re, err := regexp.Compile("^(?:" + pattern + ")$")
		if err != nil {
			return nil, err
		}
		m = &matcher{re: re, pattern: pattern, known: make(map[string]bool)}
		p.matchers[pattern] = m
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
		name := readable(symbol)
		yes = m.re.MatchString(symbol) || m.re.MatchString(name) || m.re.MatchString(plainName(name))
		m.known[symbol] = yes
	}
	return yes
}

// readable is a symbol's name in the source language.
func readable(symbol string) string {
	return demangle.Filter(funcname.ForDemangler(symbol), demangle.NoParams, demangle.NoTemplateParams)
}

// plainName is a name without template arguments and parameters, as reports give
// it.
func plainName(name string) string {
	if strings.Contains(name, "operator") {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// evaluate works out an expression in the innermost activation of a function.
// There is no value where it's not active or the expression can't be read.
func (p *process) evaluate(function, expression string) (string, bool) {
	value, ok := p.value(function, expression)
	if rec := p.recorder(); rec != nil {
		rec.value(function, expression, value, ok)
	}
	return value, ok
}

func (p *process) value(function, expression string) (string, bool) {
	m, err := p.matcher(function)
	if err != nil {
		p.tree.sayOnce("the function pattern %q: %v", function, err)
		return "", false
	}
	path := p.callPath(p.now)
	if path == nil {
		return "", false
	}
	at := slices.IndexFunc(path, func(f unwind.Frame) bool {
		symbol, _ := p.unwinder.Symbol(f)
		return m.match(symbol)
	})
	if at < 0 && m.ruledOut(p) {
		return "", false
	}
	m.found = m.found || at >= 0
	if at > 0 {
		if register := unsaved(expression); register != "" {
			p.run.unread(expression, fmt.Sprintf("calls do not preserve register %s: it is known only where %s is the innermost function", register, function))
			return "", false
		}
	}
	name := p.show(p.pathObjects(path[:at+1]))
	if p.link == nil || name == 0 {
		p.run.unasked(expression, "there was no debugger to ask")
		return "", false
	}
	p.readPathSymbols(path[:at+1])
	if m.objects != len(p.symbols) {
		p.findInlined(m)
	}
	if m.inlined {
		p.readPathSymbols(path)
		return p.valueInlined(m, name, expression)
	}
	if at < 0 {
		return "", false
	}
	return p.answer(p.link.table.Evaluate(name, path[at].CFA, expression), expression)
}

// ruledOut reports that no frame can be of a function that matches: it's in no
// symbol of the call path, and known to be inlined nowhere.
func (m *matcher) ruledOut(p *process) bool {
	return m.objects == len(p.symbols) && m.objects > 0 && !m.inlined
}

// valueInlined asks the debugger for the frames, which costs more: it alone
// knows those of inlined functions.
func (p *process) valueInlined(m *matcher, name int, expression string) (string, bool) {
	_, r, err := p.ask(time.Now().Add(answerTime), p.link.table.Frames(name))
	if err != nil {
		return "", false
	}
	for level, function := range p.link.table.ReadFrames(r) {
		if m.match(function) {
			m.found = true
			if register := unsaved(expression); register != "" && level > 0 {
				p.run.unread(expression, fmt.Sprintf("calls do not preserve register %s: it is known only where %s is the innermost function", register, m.pattern))
				return "", false
			}
			return p.answer(p.link.table.EvaluateAt(name, level, expression), expression)
		}
	}
	return "", false
}

// mostNames is how many functions' copies are looked for.
const mostNames = 50

// findInlined finds out whether a function that matches was inlined anywhere:
// whether its code begins where no symbol of that name lies. Of a pattern that is
// no plain name it's supposed.
func (p *process) findInlined(m *matcher) {
	m.objects = len(p.symbols)
	if regexp.QuoteMeta(m.pattern) != m.pattern {
		m.inlined = true // it may match functions that are nowhere else
		return
	}
	functions := p.unwinder.Functions(m.match)
	names := map[string]bool{m.pattern: true}
	for _, f := range functions {
		names[readable(f.Name)] = true
	}
	if len(names) > mostNames {
		m.inlined = true // to ask for each would take minutes
		return
	}
	deadline := time.Now().Add(answerTime)
	for name := range names {
		_, r, err := p.ask(deadline, p.link.table.Locate(name))
		if err != nil {
			continue
		}
		number, addresses := p.link.table.ReadLocations(r)
		for _, a := range addresses {
			m.inlined = m.inlined || !within(functions, a)
		}
		p.ask(deadline, p.link.table.Forget(number))
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
func (p *process) answer(commands []string, expression string) (string, bool) {
	value, wrong := p.tryAnswer(commands)
	if wrong != "" && p.readAllSymbols() {
		value, wrong = p.tryAnswer(commands)
	}
	// The debugger takes each $NAME that is no register for a variable, which is void until it is set.
	if wrong == "" && value == "void" && strings.HasPrefix(expression, "$") {
		wrong = "the debugger knows no register or variable of that name"
	}
	if wrong != "" {
		p.run.unread(expression, wrong)
		return "", false
	}
	p.run.read[expression] = true
	return value, true
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
		case !m.inlined && len(p.unwinder.Functions(m.match)) == 0:
			p.run.note(fmt.Sprintf("no function matches %q", pattern))
		default:
			p.run.note(fmt.Sprintf("no sampled call path contains a function that matches %q", pattern))
		}
	}
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
