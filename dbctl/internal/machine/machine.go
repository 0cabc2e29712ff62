package machine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Machine is the state of one program for one process. It is used by one
// goroutine at a time.
type Machine struct {
	exec    *Exec
	groups  map[string]*group
	group   *group
	vars    map[string]value
	used    map[string]bool // variables that some template mentions
	raw     bool
	threads bool // there are variables of threads
	trace   func(string)
	asked   map[string]func() string // variables that are worked out at each use, where the script sets none
	first   *group                   // the one to start in
	given   map[string]value         // the variables to start with

	keyed   keyed
	own     map[string]map[string]string // the variables of each thread
	of      string                       // the thread of the line
	leaving string                       // a thread that has ended; "": none

	line  string // the last matched line
	spans []int  // where the match and its groups stand in it
	buf   [2]int

	block   []*step // the block being carried out
	at      int     // its next action
	awaited []string
	portion []Action
}

// A value is a variable: a text, or a template expanded at each use.
type value struct {
	text string
	lazy *template
}

// Set gives a variable a value; Get returns it, "" if it is unset. "0" to "9"
// name the last match and its groups, "e.name" a field of its event, "a.name" an argument of it: these can only be read.
func (m *Machine) Set(name, text string) {
	if !strings.HasPrefix(name, perThread) {
		m.vars[name] = value{text: text}
		return
	}
	if m.own[m.of] == nil {
		if m.own == nil {
			m.own = make(map[string]map[string]string)
		}
		m.own[m.of] = make(map[string]string)
	}
	m.own[m.of][name] = text
}

// Ask has a variable, unless it is set, be what f returns at each use.
func (m *Machine) Ask(name string, f func() string) {
	if m.asked == nil {
		m.asked = make(map[string]func() string)
	}
	m.asked[name] = f
}

// Get returns the value of a variable: see Set.
func (m *Machine) Get(name string) string {
	budget := maxReferences
	return string(m.appendVar(nil, reference{name: name}, &budget))
}

func (m *Machine) value(of reference) string {
	budget := maxReferences
	return string(m.appendVar(nil, of, &budget))
}

// Expand replaces the variables of a text by their present values: for whoever
// must know what an action will ask for before its event comes.
func (m *Machine) Expand(text string) string {
	t := parseTemplate(text)
	return m.text(&t)
}

// Uses tells whether any template of the rule mentions the variable, so that one
// that is costly to know is kept fresh only where it is wanted.
func (m *Machine) Uses(name string) bool { return m.used[name] }

// UsesRaw tells whether any pattern asks for the debugger's raw lines.
func (m *Machine) UsesRaw() bool { return m.raw }

// Names returns all actions of the rule with this verb, unexpanded and in the
// order written, for what has to be prepared before the first event.
func (m *Machine) Names(v Verb) []Action {
	var out []Action
	for _, g := range m.exec.Groups {
		for _, p := range g.Pats {
			for _, a := range p.Actions {
				if a.Verb == v {
					out = append(out, a)
				}
			}
		}
	}
	return out
}

// Step offers an event to the patterns of the current group. If it returns true
// one matched, and its actions are to be fetched by Next until that returns nil;
// what remained of an earlier block is dropped. If it returns false nothing
// matched and the block in progress, if any, goes on.
func (m *Machine) Step(line string) bool { return m.offer(m.group.pats, line) }

// StepRaw offers a raw line of the debugger to the raw patterns: see Step.
func (m *Machine) StepRaw(line string) bool { return m.offer(m.group.raw, line) }

func (m *Machine) offer(pats []*pattern, line string) bool {
	if m.trace != nil {
		m.trace(line)
	}
	m.threadOf(line)
	for _, p := range pats {
		var spans []int
		if !p.early || p.cond.holds(m.value) {
			spans = p.match(line, m.buf[:])
		}
		if spans != nil && p.cond != nil && !p.early && !m.holds(p, line, spans) {
			spans = nil
		}
		if m.trace != nil {
			m.tracePattern(p, spans != nil)
		}
		if spans == nil {
			continue
		}
		m.line, m.spans = line, spans
		m.name(p)
		m.block, m.at, m.awaited = p.block, 0, m.awaited[:0]
		return true
	}
	if m.trace != nil && len(pats) == 0 {
		m.trace(fmt.Sprintf("  group %s has no pattern for it", m.group.name))
	}
	return false
}

// name gives the named groups of a pattern, which has matched, to their variables.
func (m *Machine) name(p *pattern) {
	for i, name := range p.names {
		if name != "" {
			m.vars[name] = value{text: m.capture(i)}
		}
	}
}

// holds works out the condition of a pattern that matches a line, with what that would make of variables. If it
// does not hold, nothing has matched.
func (m *Machine) holds(p *pattern, line string, spans []int) bool {
	before, vars, lastSpans := m.line, m.vars, m.spans
	m.line, m.spans = line, spans
	if p.names != nil {
		m.vars = maps.Clone(vars)
		m.name(p)
	}
	yes := p.cond.holds(m.value)
	m.line, m.vars, m.spans = before, vars, lastSpans
	return yes
}

func (m *Machine) tracePattern(p *pattern, matched bool) {
	verdict := "no"
	if matched {
		verdict = "MATCHED"
	}
	m.trace(fmt.Sprintf("  %s: %s %s: %s", p.pat.Pos, m.group.name, strconv.Quote(p.regex.String()), verdict))
}

// threadOf finds the thread of a line, whose variables it has. Those of a thread that has ended go with the
// event that tells of it.
func (m *Machine) threadOf(line string) {
	if m.leaving != "" {
		delete(m.own, m.leaving)
		m.leaving = ""
	}
	if !m.threads {
		return
	}
	if strings.HasPrefix(line, "thread ") {
		m.of = EventField(line, "id")
		if EventField(line, "event") == "exited" {
			m.leaving = m.of
		}
		return
	}
	m.of = EventField(line, "thread")
}

// capture is the text of a group of the last match.
func (m *Machine) capture(i int) string {
	if 2*i+1 >= len(m.spans) || m.spans[2*i] < 0 {
		return ""
	}
	return m.line[m.spans[2*i]:m.spans[2*i+1]]
}

// Next returns the next portion of the matched block: the expanded actions that
// need no answer of an earlier one of the block. Answers for VAR sinks are to be
// given by Capture before Next is called again. It returns nil when the block is
// done. The slice is valid until the next call of Next.
//
// Goto and Set_ are done inside and never returned, and so are the VAR sinks of
// Matched and Echo; the returned actions have none.
func (m *Machine) Next() []Action {
	m.portion = m.portion[:0]
	m.awaited = m.awaited[:0]
	for m.at < len(m.block) {
		s := m.block[m.at]
		if slices.ContainsFunc(s.needs, func(n string) bool { return slices.Contains(m.awaited, n) }) {
			return m.portion
		}
		m.at++
		if s.If != nil && !s.If.holds(m.value) {
			if m.trace != nil {
				m.trace("  not " + s.Action.String())
			}
			continue
		}
		a := m.expand(s)
		switch s.Verb {
		case Goto:
			m.enter(a.Args[0])
			continue
		case Set_:
			m.give(s, a.Args[1])
			continue
		case Let:
			text := ""
			if s.formula != nil {
				text, _ = s.formula.value(m.value)
			}
			m.give(s, text)
			continue
		}
		for _, sink := range a.Sinks {
			if sink.Kind == Var {
				m.awaited = append(m.awaited, sink.Arg)
			}
		}
		m.portion = append(m.portion, a)
		if m.trace != nil {
			m.trace("  " + a.String())
		}
	}
	m.block, m.at = nil, 0
	if len(m.portion) == 0 {
		return nil
	}
	return m.portion
}

func (m *Machine) enter(name string) {
	if g := m.groups[name]; g != nil {
		m.group = g
	}
	if m.trace != nil {
		m.trace("  group " + m.group.name)
	}
}

// give gives the variable of a Set_ or Let a value.
func (m *Machine) give(s *step, text string) {
	if s.target.key != nil {
		m.assignKeyed(s.target, text)
		return
	}
	m.assign(s.Args[0], text)
}

func (m *Machine) assign(name, text string) {
	m.Set(name, text)
	if m.trace != nil {
		m.trace(fmt.Sprintf("  %s = %s", name, strconv.Quote(text)))
	}
}

// Capture gives a variable the text that a VAR sink asked for.
func (m *Machine) Capture(name, text string) { m.assign(name, text) }

// Trace makes the machine tell what it does, a line at a time: each event, and
// indented below it which patterns were tried, which matched, what became of
// groups and variables, and the actions that Next returns. nil ends it.
func (m *Machine) Trace(w func(string)) { m.trace = w }

// expand replaces the templates of an action and does the VAR sinks whose text is
// known.
func (m *Machine) expand(s *step) Action {
	a := s.Action
	switch {
	case s.Verb == Matched:
		a.Args = []string{m.line}
	case !s.fixedArgs:
		a.Args = make([]string, len(s.args))
		for i := range s.args {
			a.Args[i] = m.text(&s.args[i])
		}
	}
	if s.fixedSinks {
		return a
	}
	a.Sinks = nil
	for i, sink := range s.Action.Sinks {
		if sink.Kind == Var && s.immediate() {
			m.assign(sink.Arg, a.Args[0])
			continue
		}
		a.Sinks = append(a.Sinks, Sink{sink.Kind, m.text(&s.sinks[i])})
	}
	return a
}

func (m *Machine) text(t *template) string {
	if t.parts == nil {
		return t.text
	}
	var buf [128]byte
	budget := maxReferences
	return string(m.appendTemplate(buf[:0], t, &budget))
}

// maxReferences bounds the variables expanded for one text, and with it the
// expansion of a variable whose value mentions itself.
const maxReferences = 1000

func (m *Machine) appendTemplate(b []byte, t *template, budget *int) []byte {
	b = append(b, t.text...)
	for _, p := range t.parts {
		b = append(b, p.literal...)
		if p.of.name != "" && *budget > 0 {
			*budget--
			b = m.appendVar(b, p.of, budget)
		}
	}
	return b
}

// isCapture reports whether a name is that of the last match, or of one of its groups.
func isCapture(name string) bool { return len(name) == 1 && '0' <= name[0] && name[0] <= '9' }

func (m *Machine) appendVar(b []byte, of reference, budget *int) []byte {
	if of.key != nil {
		return append(b, m.keyed.values[of.name][string(m.appendTemplate(nil, of.key, budget))]...)
	}
	name := of.name
	if isCapture(name) {
		return append(b, m.capture(int(name[0]-'0'))...)
	}
	if field, ok := strings.CutPrefix(name, ofEvent); ok {
		return append(b, EventField(m.line, field)...)
	}
	if which, ok := strings.CutPrefix(name, ofArgument); ok {
		return append(b, argumentOf(m.line, which)...)
	}
	if own, ok := m.own[m.of][name]; ok {
		return append(b, own...)
	}
	v, set := m.vars[name]
	if f := m.asked[name]; f != nil && !set {
		return append(b, f()...)
	}
	if v.lazy != nil {
		return m.appendTemplate(b, v.lazy, budget)
	}
	return append(b, v.text...)
}
