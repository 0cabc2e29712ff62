package machine

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pat makes a pattern whose block sends commands to the debugger.
func pat(rank int, re string, commands ...string) *Pat {
	p := &Pat{Rank: rank, Regex: regexp.MustCompile(re)}
	for _, c := range commands {
		p.Actions = append(p.Actions, Action{Verb: Command, Args: []string{c}})
	}
	return p
}

// rule makes a program of one rule.
func rule(groups ...*Group) *Program {
	return &Program{Execs: []*Exec{{Regex: regexp.MustCompile("."), Groups: groups}}}
}

func start(p *Program, vars map[string]string) *Machine { return New(p, p.Execs[0], vars) }

// run offers an event and returns what each portion of the block says; answer
// gives the text for a VAR sink.
func run(m *Machine, event string, answer func(Action) string) []string {
	if !m.Step(event) {
		return nil
	}
	out := []string{}
	for portion := m.Next(); portion != nil; portion = m.Next() {
		var line []string
		for _, a := range portion {
			line = append(line, show(a))
		}
		out = append(out, strings.Join(line, "; "))
		for _, a := range portion {
			for _, s := range a.Sinks {
				if s.Kind == Var {
					m.Capture(s.Arg, answer(a))
				}
			}
		}
	}
	return out
}

func show(a Action) string {
	s := fmt.Sprintf("%v(%s)", a.Verb, strings.Join(a.Args, ","))
	for _, sink := range a.Sinks {
		s += fmt.Sprintf("|%v(%s)", sink.Kind, sink.Arg)
	}
	return s
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestOrder(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		pat(5, "a", "five"),
		pat(DefaultRank, "", "any"),
		pat(1, "ab", "one"),
		pat(5, "a|b", "five again"),
		pat(-1, "abc", "first"),
	}}), nil)
	for event, want := range map[string]string{
		"a": "five", "b": "five again", "ab": "one", "abc": "first", "x": "any", "": "any",
	} {
		expect(t, run(m, event, nil), "command("+want+")")
	}
}

func TestGroups(t *testing.T) {
	goTo := func(p *Pat, name string) *Pat {
		p.Actions = slices.Insert(p.Actions, 0, Action{Verb: Goto, Args: []string{name}})
		return p
	}
	groups := []*Group{
		{Name: "other", Pats: []*Pat{goTo(pat(1, "back", "to default"), "default"), pat(1, ".", "other")}},
		{Name: "default", Pats: []*Pat{goTo(pat(1, "on", "to other"), "other"), pat(1, "x", "x")}},
	}
	m := start(rule(groups...), nil)
	expect(t, run(m, "x", nil), "command(x)")
	expect(t, run(m, "on", nil), "command(to other)") // the block goes on after GOTO
	expect(t, run(m, "x", nil), "command(other)")
	expect(t, run(m, "back", nil), "command(to default)")
	expect(t, run(m, "back", nil))
	if m.Step("back") {
		t.Error("a pattern of another group matched")
	}

	groups[1].Name = "late"
	m = start(rule(groups...), nil)
	expect(t, run(m, "x", nil), "command(other)") // without a default the first
	if m := start(rule(), nil); m.Step("x") || m.StepRaw("x") || m.Next() != nil {
		t.Error("a rule without groups matched")
	}
}

func TestRaw(t *testing.T) {
	raw := pat(1, "^~\"", "raw")
	raw.Raw = true
	m := start(rule(&Group{Name: "default", Pats: []*Pat{pat(1, "^stopped", "event"), raw}}), nil)
	if !m.UsesRaw() {
		t.Error("UsesRaw is false")
	}
	if m.Step(`~"text"`) || !m.StepRaw(`~"text"`) || m.StepRaw("stopped") || !m.Step("stopped") {
		t.Error("raw and other patterns are mixed up")
	}
	if start(rule(&Group{Name: "default", Pats: []*Pat{pat(1, "", "x")}}), nil).UsesRaw() {
		t.Error("UsesRaw is true")
	}
}

func TestMatchVariables(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		pat(1, `^(?P<kind>a|b)(?:=(?P<value>\w+))?(.)?`, "$0/$1/$2/$3/$4/$kind/${value}x/$9"),
		pat(2, "lit", "$0.$1.$kind"),
		pat(2, "^head", "<$0>"),
	}}), nil)
	expect(t, run(m, "a=one!", nil), "command(a=one!/a/one/!//a/onex/)")
	expect(t, run(m, "b", nil), "command(b/b////b/x/)")
	expect(t, run(m, "-lit-", nil), "command(lit..b)") // a named group keeps its value
	expect(t, run(m, "headline", nil), "command(<head>)")
	if m.Step("-head") {
		t.Error("the anchor is ignored")
	}
	if got := m.Get("0") + m.Get("kind"); got != "headb" {
		t.Errorf("after a failed Step the match is %q", got)
	}
}

func TestVariables(t *testing.T) {
	p := rule(&Group{Name: "default", Pats: []*Pat{
		pat(1, "show", "$a $b $c $d $$a ${a}b $ $1x ${} ${-} ${a"),
		{Rank: 1, Regex: regexp.MustCompile("set"), Actions: []Action{
			{Verb: Set_, Args: []string{"a", "$0-$a"}},
			{Verb: Command, Args: []string{"$a $b"}},
		}},
	}})
	p.Sets = []Set{{Name: "a", Value: "file"}, {Name: "b", Value: "<$a>"}, {Name: "c", Value: "file"}}
	p.Execs[0].Sets = []Set{{Name: "c", Value: "exec"}, {Name: "d", Value: "script"}}
	m := start(p, map[string]string{"d": "$a"})
	expect(t, run(m, "show", nil), "command(file <file> exec $a $a fileb $ x ${} ${-} ${a)")
	expect(t, run(m, "set", nil), "command(set-file <set-file>)")
	expect(t, run(m, "set", nil), "command(set-set-file <set-set-file>)")
	m.Set("a", "new")
	if got := m.Get("b"); got != "<new>" {
		t.Errorf("Get gives %q", got)
	}
	if got := m.Expand("$b/$none"); got != "<new>/" {
		t.Errorf("Expand gives %q", got)
	}
	for name, want := range map[string]bool{"a": true, "b": true, "1": true, "0": true, "e": false, "-": false} {
		if m.Uses(name) != want {
			t.Errorf("Uses(%q) is %v", name, !want)
		}
	}
}

func TestVariableMentionsItself(t *testing.T) {
	p := rule(&Group{Name: "default", Pats: []*Pat{pat(1, "", "$a")}})
	p.Sets = []Set{{Name: "a", Value: strings.Repeat("$b", 100)}, {Name: "b", Value: "$a$a."}}
	m := start(p, nil)
	if !m.Step("") || len(m.Next()[0].Args[0]) > 1<<20 {
		t.Error("the expansion is not bounded")
	}
}

// block makes a machine whose block has these actions.
func block(actions ...Action) *Machine {
	return start(rule(&Group{Name: "default", Pats: []*Pat{{Regex: regexp.MustCompile("go"), Actions: actions}}}), nil)
}

func act(v Verb, args ...string) Action { return Action{Verb: v, Args: args} }

func (a Action) into(kind SinkKind, arg string) Action {
	a.Sinks = append(slices.Clone(a.Sinks), Sink{kind, arg})
	return a
}

func TestPortions(t *testing.T) {
	answer := func(a Action) string { return "<" + a.Args[0] + ">" }
	for _, test := range []struct {
		what    string
		actions []Action
		want    []string
	}{
		{"nothing is captured", []Action{act(Command, "a"), act(Echo, "b"), act(Command, "continue")},
			[]string{"command(a); ECHO(b); command(continue)"}},
		{"captured and not used", []Action{act(Command, "a").into(Var, "x"), act(Command, "continue")},
			[]string{"command(a)|VAR(x); command(continue)"}},
		{"what needs no answer goes along", []Action{act(Command, "a").into(Var, "x"), act(Command, "b"), act(Command, "c $x"), act(Command, "continue")},
			[]string{"command(a)|VAR(x); command(b)", "command(c <a>); command(continue)"}},
		{"a chain", []Action{act(Command, "a").into(Var, "x"), act(Command, "$x").into(Var, "x"), act(Echo, "$x").into(Out, "f$x")},
			[]string{"command(a)|VAR(x)", "command(<a>)|VAR(x)", "ECHO(<<a>>)|OUT(f<<a>>)"}},
		{"used by SET only", []Action{act(Command, "a").into(Var, "x"), act(Set_, "y", "$x!"), act(Command, "$y")},
			[]string{"command(a)|VAR(x)", "command(<a>!)"}},
		{"SET is not overtaken by an answer", []Action{act(Command, "a").into(Var, "x"), act(Set_, "x", "b"), act(Command, "$x")},
			[]string{"command(a)|VAR(x)", "command(b)"}},
		{"a text that is known needs no answer", []Action{act(Echo, "a").into(Var, "x").into(Pipe, "p"), act(Echo, "$x")},
			[]string{"ECHO(a)|PIPE(p); ECHO(a)"}},
		{"a known text waits for the variable", []Action{act(Eval, "f", "e").into(Var, "x"), act(Echo, "a").into(Var, "x"), act(Echo, "$x")},
			[]string{"EVAL(f,e)|VAR(x)", "ECHO(a); ECHO(a)"}},
		{"only GOTO", []Action{act(Goto, "nowhere")}, []string{}},
		{"several outputs", []Action{act(Command, "bt").into(Out, "a").into(Field, "$b").into(Pipe, "$0")},
			[]string{"command(bt)|OUT(a)|FIELD($b)|PIPE(go)"}},
	} {
		t.Run(test.what, func(t *testing.T) { expect(t, run(block(test.actions...), "go", answer), test.want...) })
	}
}

func TestPortionsThroughValues(t *testing.T) {
	m := block(act(Command, "a").into(Var, "x"), act(Echo, "$said"))
	p := &Program{Sets: []Set{{Name: "said", Value: "it is $inner"}, {Name: "inner", Value: "$x"}}, Execs: []*Exec{m.exec}}
	expect(t, run(start(p, nil), "go", func(Action) string { return "1" }), "command(a)|VAR(x)", "ECHO(it is 1)")
}

func TestMatchedSinks(t *testing.T) {
	p := pat(1, `pc="(\w+)"`, "bt $last")
	p.Sinks = []Sink{{Out, "pc"}, {Var, "last"}, {Out, "by.$1"}}
	m := start(rule(&Group{Name: "default", Pats: []*Pat{p}}), nil)
	expect(t, run(m, `stopped pc="0x1"`, nil), `matched(stopped pc="0x1")|OUT(pc)|OUT(by.0x1); command(bt stopped pc="0x1")`)
}

func TestStepDropsTheBlock(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{pat(1, "a", "1", "2"), pat(1, "b", "3")}}), nil)
	m.Step("a")
	if m.Step("x") {
		t.Fatal("x matches")
	}
	if got := m.Next(); len(got) != 2 {
		t.Errorf("a failed Step dropped the block: %v", got)
	}
	m.Step("a")
	m.Step("b")
	if got := m.Next(); len(got) != 1 || got[0].Args[0] != "3" || m.Next() != nil {
		t.Errorf("after a second event the block is %v", got)
	}
}

func TestNames(t *testing.T) {
	m := block(act(Eval, "f", "$x"), act(Command, "c"), act(Eval, "g", "y").into(Field, "y"))
	got := m.Names(Eval)
	if len(got) != 2 || !reflect.DeepEqual(got[0].Args, []string{"f", "$x"}) || got[1].Sinks[0].Arg != "y" {
		t.Errorf("Names(Eval): %v", got)
	}
}

func TestFor(t *testing.T) {
	p := &Program{Execs: []*Exec{{Regex: regexp.MustCompile(`/a$`)}, {Regex: regexp.MustCompile(`a`)}}}
	if p.For("/bin/a") != p.Execs[0] || p.For("/bin/ab") != p.Execs[1] || p.For("/bin/c") != nil {
		t.Error("For does not return the first rule that matches")
	}
}

func TestTrace(t *testing.T) {
	p := pat(2, `b"`, "continue")
	p.Pos = Pos{"x.dbctl", 3, 5}
	p.Actions = append([]Action{act(Goto, "late"), act(Set_, "n", "1"), act(Eval, "f", "$n").into(Out, "n")}, p.Actions...)
	p.Sinks = []Sink{{Out, "pc"}}
	first := pat(1, "^a", "x")
	first.Pos = Pos{"x.dbctl", 2, 5}
	m := start(rule(&Group{Name: "default", Pats: []*Pat{p, first}}, &Group{Name: "late"}), nil)
	var lines []string
	m.Trace(func(s string) { lines = append(lines, s) })
	run(m, `b"`, nil)
	m.Step("b")
	m.Trace(nil)
	m.Step("b")
	expect(t, lines,
		`b"`,
		`  x.dbctl:2:5: default "^a": no`,
		`  x.dbctl:3:5: default "b\"": MATCHED`,
		`  the event | OUT(pc)`,
		`  group late`,
		`  n = "1"`,
		`  EVAL(f, 1) | OUT(n)`,
		`  "continue"`,
		`b`,
		`  group late has no pattern for it`)
}

func TestStrings(t *testing.T) {
	for v := Command; v <= Set_; v++ {
		if s := v.String(); s == "" || strings.Contains(s, "Verb(") {
			t.Errorf("verb %d has no name", int(v))
		}
	}
	if Verb(99).String() != "Verb(99)" || SinkKind(-1).String() != "SinkKind(-1)" || Field.String() != "FIELD" {
		t.Error("names of unknown values")
	}
}

// The script of the paper on a tick: it must cost less than 2 µs.
func BenchmarkTick(b *testing.B) {
	tick := pat(1, `signal="SIGVTALRM"`, "backtrace 4", "continue")
	tick.Sinks = []Sink{{Out, "pc"}}
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		pat(0, "^(?:started|attached) ", "continue"), tick, pat(900, `^fork child="(?P<child>[0-9]+)"`, "continue"),
	}}), nil)
	line := FormatEvent("stopped", "signal", "SIGVTALRM", "thread", "1", "tid", "4711", "pc", "0x401136", "func", "worker", "file", "/home/u/src/hier-test/hier.c", "line", "12")
	b.ReportAllocs()
	for b.Loop() {
		if !m.Step(line) {
			b.Fatal("no match")
		}
		for p := m.Next(); p != nil; p = m.Next() {
		}
	}
}

// The same with a regular expression that no search for text decides.
func BenchmarkRegexTick(b *testing.B) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		pat(1, `^stopped signal="SIG(?:VT)?ALRM".* func="(?P<func>\w+)"`, "print $func", "continue"),
	}}), nil)
	line := FormatEvent("stopped", "signal", "SIGVTALRM", "thread", "1", "tid", "4711", "pc", "0x401136", "func", "worker")
	b.ReportAllocs()
	for b.Loop() {
		m.Step(line)
		for p := m.Next(); p != nil; p = m.Next() {
		}
	}
}

func TestFresh(t *testing.T) {
	rule := &Exec{
		Sets: []Set{{Name: "n", Value: "0"}},
		Groups: []*Group{
			{Name: "default", Pats: []*Pat{{Regex: regexp.MustCompile("^go"), Actions: []Action{
				{Verb: Set_, Args: []string{"n", "1"}}, {Verb: Goto, Args: []string{"other"}},
			}}}},
			{Name: "other", Pats: []*Pat{{Regex: regexp.MustCompile("^stay")}}},
		},
	}
	m := New(&Program{Execs: []*Exec{rule}}, rule, map[string]string{"v": "given"})
	m.Set("pid", "1")
	if !m.Step("go on") {
		t.Fatal("nothing matched")
	}
	for m.Next() != nil {
	}
	f := m.Fresh()
	for name, want := range map[string]string{"n": "0", "v": "given", "pid": ""} {
		if got := f.Get(name); got != want {
			t.Errorf("$%s is %q, want %q", name, got, want)
		}
	}
	if f.Step("stay") || !f.Step("go on") {
		t.Error("it's not in its first group")
	}
	if m.Get("n") != "1" || !m.Step("stay") {
		t.Error("the other machine was changed")
	}
}
