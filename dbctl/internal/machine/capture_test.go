package machine

import (
	"regexp"
	"testing"
)

// What a group has of one value is what the value stands for; what has more than one value is as the event has it. Lines
// of a debugger are as they are.
func TestCapture(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		{Regex: regexp.MustCompile(`^call args="(?P<args>.*)" from="(.*)"`), If: formula(t, "$2 == 'a\"b'"), Actions: []Action{{Verb: Echo, Args: []string{"$args|$2|$0"}}}},
		{Regex: regexp.MustCompile(`^call (.*)`), Actions: []Action{{Verb: Echo, Args: []string{"$1"}}}},
		{Raw: true, Regex: regexp.MustCompile(`~"(.*)"`), Actions: []Action{{Verb: Echo, Args: []string{"$1"}}}},
	}}), nil)
	line := FormatEvent("call", "args", "s=\"x\\n\"\n", "from", `a"b`)
	expect(t, run(m, line, nil), `ECHO(s="x\n"\n|a"b|`+line+`)`)
	expect(t, run(m, `call args="a\\b" x="\""`, nil), `ECHO(args="a\\b" x="\"")`)
	if !m.StepRaw(`~"a \"b\""`) {
		t.Fatal("no pattern matches")
	}
	if got := m.Next(); len(got) != 1 || got[0].Args[0] != `a \"b\"` {
		t.Errorf("got %v", got)
	}
}
