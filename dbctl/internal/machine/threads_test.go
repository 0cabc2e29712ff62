package machine

import (
	"regexp"
	"testing"
)

// formula is one that is right.
func formula(t *testing.T, text string) *Formula {
	t.Helper()
	f, err := ParseFormula(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each thread has its own variables, until it ends; a value from outside of a block is that of all.
func TestThreadVariables(t *testing.T) {
	m := start(&Program{Execs: []*Exec{{Regex: regexp.MustCompile("."), Sets: []Set{{Name: "t.n", Value: "0"}}, Groups: []*Group{{Name: "default", Pats: []*Pat{
		{Regex: regexp.MustCompile(`^call .*args="n=(?P<n>\d+)"`), Actions: []Action{{Verb: Set_, Args: []string{"t.n", "$n"}}}},
		{Regex: regexp.MustCompile(`^count`), Actions: []Action{{Verb: Let, Args: []string{"t.n", "$t.n + 1"}}, {Verb: Let, Args: []string{"all", "$all + 1"}}}},
		{Regex: regexp.MustCompile(`^(return|thread)`), Actions: []Action{{Verb: Echo, Args: []string{"${t.n}-$t.unset"}}}},
	}}}}}}, nil)
	for _, step := range []struct{ line, echo string }{
		{`return thread="1"`, "0-"},
		{`call thread="1" args="n=5"`, ""},
		{`call thread="2" args="n=6"`, ""},
		{`return thread="1"`, "5-"},
		{`count thread="2"`, ""},
		{`return thread="2"`, "7-"},
		{`thread event="created" id="3"`, "0-"},
		{`thread event="exited" id="2"`, "7-"},
		{`return thread="2"`, "0-"},
		{`return`, "0-"},
	} {
		if got := run(m, step.line, nil); step.echo == "" {
			expect(t, got)
		} else {
			expect(t, got, "ECHO("+step.echo+")")
		}
	}
	if m.Get("all") != "" {
		t.Errorf("a sum with an unset variable is %q", m.Get("all"))
	}
}

// A field of the event is a variable, without the backslashes of its line.
func TestEventFields(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		{Regex: regexp.MustCompile(`^return`), If: formula(t, "$e.time > 0.001"), Actions: []Action{{Verb: Echo, Args: []string{"slow ${e.func}($e.args)"}}}},
		{Regex: regexp.MustCompile(`^call`), Actions: []Action{{Verb: Set_, Args: []string{"t.args", "$e.args"}}, {Verb: Echo, Args: []string{"$t.args$e.time.$e"}}}},
	}}), nil)
	for _, step := range [][2]string{
		{`return func="f" time="0.0005"`, ""},
		{`return func="f" args="\"x\"" time="0.5"`, `slow f("x")`},
		{`call func="g" args="s=\"a\\n\""`, `s="a\n".`},
	} {
		if got := run(m, step[0], nil); step[1] == "" {
			expect(t, got)
		} else {
			expect(t, got, "ECHO("+step[1]+")")
		}
	}
}

// A pattern whose condition does not hold has not matched, and sets nothing.
func TestCondition(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		{Regex: regexp.MustCompile(`^return time="(?P<took>[0-9.]+)"`), If: formula(t, "$took > 0.001 && $1 < 5"), Actions: []Action{{Verb: Echo, Args: []string{"slow $took"}}}},
		{Regex: regexp.MustCompile(`^return`), If: formula(t, "!$took"), Actions: []Action{{Verb: Echo, Args: []string{"first $took"}}}},
		{Regex: regexp.MustCompile(`^return`), Actions: []Action{{Verb: Echo, Args: []string{"last $took"}}}},
	}}), nil)
	for _, step := range [][2]string{
		{`return time="0.0005"`, "first "}, {`return time="0.5"`, "slow 0.5"}, {`return time="0.0005"`, "last 0.5"}, {`return time="7"`, "last 0.5"},
	} {
		expect(t, run(m, step[0], nil), "ECHO("+step[1]+")")
	}
}
