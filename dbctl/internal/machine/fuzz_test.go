package machine

import (
	"math/rand"
	"reflect"
	"regexp"
	"testing"
)

// A literal search must find what the regular expression finds, at the same
// place.
func FuzzMatch(f *testing.F) {
	for _, re := range []string{"abc", "^abc", "^abc$", "a(b)c", "(?i)abc", "a+b", "ab|ac", "^", "", "a.*bc", "(?m)^b", "x{2,3}y", "�", `\Aab`, "(?:ab)c", "a?b"} {
		f.Add(re, "xabc\xff")
		f.Add(re, "abc\nb")
	}
	f.Fuzz(func(t *testing.T, pattern, line string) {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		m := newMatcher(re)
		var buf [2]int
		if got, want := m.match(line, buf[:]), re.FindStringSubmatchIndex(line); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q on %q: %v, want %v", pattern, line, got, want)
		}
	})
}

var (
	fuzzPatterns = []string{"", "a", "^b", "(a)(b)?", "(?P<x>a+)", "^[^b]*$", "(?P<y>.)$"}
	fuzzTexts    = []string{"", "a", "$x", "${y}$1", "$$", "$0$9", "${", "b$x.", "c", "$t.x + 1", "${y[$x]}", "${y[${x[a]}]}."}
	fuzzNames    = []string{"x", "y", "z", "default"}
)

// random makes a program that script.Load could have made.
func random(r *rand.Rand) *Program {
	pick := func(list []string) string { return list[r.Intn(len(list))] }
	sinks := func() []Sink {
		var out []Sink
		for r.Intn(3) == 0 {
			k := SinkKind(r.Intn(4))
			if k == Out || k == Pipe {
				out = append(out, Sink{k, pick(fuzzTexts)})
			} else {
				out = append(out, Sink{k, pick(fuzzNames)})
			}
		}
		return out
	}
	arity := [...]int{Command: 1, Echo: 1, Spawn: 1, Timeout: 1, Shell: 1, Clock: 2, Eval: 2, Count: 2, Hist: 3, Sum: 3, Let: 2, Set_: 2, Goto: 1}
	e := &Exec{Regex: regexp.MustCompile("")}
	for _, name := range fuzzNames[:r.Intn(len(fuzzNames))] {
		g := &Group{Name: name}
		for range r.Intn(4) {
			p := &Pat{Rank: r.Intn(3), Regex: regexp.MustCompile(pick(fuzzPatterns)), Raw: r.Intn(5) == 0, Sinks: sinks()}
			if r.Intn(4) == 0 {
				p.If, _ = ParseFormula("$x == 'a' || !$t.x")
			}
			for range r.Intn(5) {
				v := Verb(r.Intn(int(Set_) + 1))
				if v == Matched {
					continue
				}
				a := Action{Verb: v, Sinks: sinks()}
				for range arity[v] {
					a.Args = append(a.Args, pick(fuzzTexts))
				}
				if v == Set_ || v == Let || v == Goto {
					a.Args[0], a.Sinks = pick(fuzzNames), nil
				}
				switch {
				case v == Let && r.Intn(2) == 0:
					a.Args[0] = "t.x"
				case v == Set_ && r.Intn(2) == 0:
					a.Args[0] = "y[$x]"
				}
				if r.Intn(4) == 0 {
					a.If, _ = ParseFormula("!${none[$y]}") // it holds
				}
				p.Actions = append(p.Actions, a)
			}
			g.Pats = append(g.Pats, p)
		}
		e.Groups = append(e.Groups, g)
	}
	prog := &Program{Execs: []*Exec{e}}
	for range r.Intn(3) {
		prog.Sets = append(prog.Sets, Set{Name: pick(fuzzNames), Value: pick(fuzzTexts)})
	}
	return prog
}

// Whatever the program and the events, the machine neither panics nor hangs, does
// every action of a matched block once and in order, and never shows the session
// what is its own affair.
func FuzzMachine(f *testing.F) {
	for seed := range int64(20) {
		f.Add(seed, "a")
		f.Add(seed, "bab$x")
	}
	f.Fuzz(func(t *testing.T, seed int64, line string) {
		r := rand.New(rand.NewSource(seed))
		p := random(r)
		m := start(p, map[string]string{"z": "$x"})
		m.Trace(func(string) {})
		for range 10 {
			raw := r.Intn(4) == 0
			want := blockOf(m, raw, line)
			matched := false
			if raw {
				matched = m.StepRaw(line)
			} else {
				matched = m.Step(line)
			}
			if matched != (want != nil) {
				t.Fatalf("matched is %v, want %v", matched, want != nil)
			}
			if !matched {
				continue
			}
			var got []Verb
			for portion := m.Next(); portion != nil; portion = m.Next() {
				if len(portion) == 0 {
					t.Fatal("an empty portion")
				}
				for _, a := range portion {
					got = append(got, a.Verb)
					for _, s := range a.Sinks {
						if s.Kind == Var {
							m.Capture(s.Arg, "b"+line)
						}
					}
				}
			}
			if !reflect.DeepEqual(got, append([]Verb(nil), *want...)) {
				t.Fatalf("the block gave %v, want %v", got, *want)
			}
			line = m.Get("x") + line
			if len(line) > 1000 {
				line = "a"
			}
		}
	})
}

// blockOf finds, in the plain way, the verbs that an event should give; nil: no
// pattern matches.
func blockOf(m *Machine, raw bool, line string) *[]Verb {
	var best *Pat
	for _, g := range m.exec.Groups {
		if g.Name != m.group.name {
			continue
		}
		for _, p := range g.Pats {
			if p.Raw == raw && p.Regex.MatchString(line) && (best == nil || p.Rank < best.Rank) {
				best = p
			}
		}
	}
	if best == nil {
		return nil
	}
	verbs := []Verb{}
	if len(best.Sinks) > 0 {
		verbs = append(verbs, Matched)
	}
	for _, a := range best.Actions {
		if a.Verb != Goto && a.Verb != Set_ && a.Verb != Let {
			verbs = append(verbs, a.Verb)
		}
	}
	if len(verbs) == 0 {
		verbs = nil
	}
	return &verbs
}
