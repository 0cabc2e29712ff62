package machine

import (
	"maps"
	"slices"
	"strings"
)

// A group, a pattern and a step are the compiled forms of Group, Pat and Action.
type group struct {
	name string
	pats []*pattern // by rank
	raw  []*pattern
}

type pattern struct {
	matcher
	pat   *Pat
	block []*step
	cond  *Formula
	early bool // cond does not depend on the match
}

type step struct {
	Action
	args       []template
	sinks      []template
	fixedArgs  bool      // they are as written
	fixedSinks bool      // so are they, and they are all the driver's
	needs      []string  // variables that must be known before it is done
	formula    *Formula  // of Let; nil if it is none
	target     reference // of Set_ and Let, if it has a key
}

// New makes a machine for a process that the rule e of p applies to. It starts
// in the group "default", or else in the first. vars have precedence over the
// variables that the script sets at file level and in e; they are plain texts.
func New(p *Program, e *Exec, vars map[string]string) *Machine {
	m := &Machine{
		exec:   e,
		groups: make(map[string]*group),
		vars:   make(map[string]value),
		used:   make(map[string]bool),
	}
	inner := make(map[string][]string) // variables within the values of variables
	for _, s := range slices.Concat(p.Sets, e.Sets) {
		t := parseTemplate(s.Value)
		m.mention(&t)
		m.vars[s.Name] = value{lazy: &t}
		inner[s.Name] = append(inner[s.Name], t.names()...)
	}
	for name, text := range vars {
		m.vars[name] = value{text: text}
	}
	for _, g := range e.Groups {
		c := m.groups[g.Name]
		if c == nil {
			c = &group{name: g.Name}
			m.groups[g.Name] = c
		}
		for _, p := range g.Pats {
			compiled := m.compile(p, inner)
			if p.Raw {
				m.raw = true
				c.raw = append(c.raw, compiled)
			} else {
				c.pats = append(c.pats, compiled)
			}
		}
		byRank := func(a, b *pattern) int { return a.pat.Rank - b.pat.Rank }
		slices.SortStableFunc(c.pats, byRank)
		slices.SortStableFunc(c.raw, byRank)
	}
	m.group = m.groups[DefaultGroup]
	if m.group == nil && len(e.Groups) > 0 {
		m.group = m.groups[e.Groups[0].Name]
	}
	if m.group == nil {
		m.group = &group{name: DefaultGroup}
	}
	m.first, m.given = m.group, maps.Clone(m.vars)
	return m
}

// Fresh makes another machine as New made this one, for another process, without
// compiling the rule again. The two may be used by two goroutines; Fresh itself
// must not be called while m is.
func (m *Machine) Fresh() *Machine {
	return &Machine{
		exec: m.exec, groups: m.groups, group: m.first, vars: maps.Clone(m.given), used: m.used, raw: m.raw, threads: m.threads,
		first: m.first, given: m.given,
	}
}

func (m *Machine) compile(p *Pat, inner map[string][]string) *pattern {
	c := &pattern{matcher: newMatcher(p.Regex), pat: p, cond: p.If}
	if p.If != nil {
		m.mention(&p.If.names)
		c.early = !slices.ContainsFunc(p.If.names.names(), func(name string) bool {
			return isCapture(name) || OfEvent(name) || slices.Contains(c.names, name)
		})
	}
	if len(p.Sinks) > 0 {
		c.block = append(c.block, m.step(Action{Pos: p.Pos, Verb: Matched, Sinks: p.Sinks}, inner))
	}
	for _, a := range p.Actions {
		c.block = append(c.block, m.step(a, inner))
	}
	return c
}

func (m *Machine) step(a Action, inner map[string][]string) *step {
	s := &step{Action: a, fixedArgs: true, fixedSinks: true}
	compile := func(text string, isTemplate bool, fixed *bool) template {
		if !isTemplate {
			return template{text: text}
		}
		t := parseTemplate(text)
		m.mention(&t)
		*fixed = *fixed && t.parts == nil && t.text == text
		s.need(t.names(), inner)
		return t
	}
	for i, arg := range a.Args {
		s.args = append(s.args, compile(arg, a.Verb != Goto && (a.Verb != Set_ && a.Verb != Let || i > 0), &s.fixedArgs))
	}
	for _, sink := range a.Sinks {
		s.sinks = append(s.sinks, compile(sink.Arg, sink.Kind == Out || sink.Kind == Pipe, &s.fixedSinks))
		if sink.Kind == Var && s.immediate() {
			s.fixedSinks = false
			s.need([]string{sink.Arg}, nil) // it must not be overwritten by an earlier answer
		}
	}
	if a.Verb == Set_ || a.Verb == Let {
		s.need(a.Args[:1], nil)
		if Keyed(a.Args[0]) != "" {
			s.target, _ = variable("${"+a.Args[0]+"}", 0)
			m.mention(s.target.key)
			s.need(s.target.key.names(), inner)
		}
	}
	if a.If != nil {
		m.mention(&a.If.names)
		s.need(a.If.names.names(), inner)
	}
	if a.Verb == Let {
		s.formula, _ = ParseFormula(a.Args[1]) // the script was checked
	}
	return s
}

// immediate: the text for the sinks is known without the debugger.
func (s *step) immediate() bool { return s.Verb == Matched || s.Verb == Echo }

// need adds names and, through inner, the variables in their values.
func (s *step) need(names []string, inner map[string][]string) {
	for _, n := range names {
		if !slices.Contains(s.needs, n) {
			s.needs = append(s.needs, n)
			s.need(inner[n], inner)
		}
	}
}

func (m *Machine) mention(t *template) {
	for _, n := range t.names() {
		m.used[n] = true
		m.threads = m.threads || strings.HasPrefix(n, perThread)
	}
}
