package machine

import (
	"fmt"
	"regexp"
	"testing"
)

// The arguments of an event are found by their number and by their name, as they are shown.
func TestArguments(t *testing.T) {
	for _, of := range []struct {
		args string
		want map[string]string
	}{
		{`n=3, name=0x55d0 "x, y\", z", c=44 ',', last=...`, map[string]string{"1": "3", "n": "3", "2": `0x55d0 "x, y\", z"`, "name": `0x55d0 "x, y\", z"`, "c": "44 ','", "4": "...", "5": "", "0": "", "m": ""}},
		{"rdi=0x18, rsi=0x0", map[string]string{"1": "0x18", "rsi": "0x0", "3": ""}},
		{`AT_FDCWD, "a, b", {st_mode=S_IFREG|0644, st_size=3, ...}, [1, 2], 0`, map[string]string{"1": "AT_FDCWD", "2": `"a, b"`, "3": "{st_mode=S_IFREG|0644, st_size=3, ...}", "4": "[1, 2]", "5": "0", "st_size": ""}},
		{"f=0x401136 <call<int, int>(int)+4>, g=1", map[string]string{"f": "0x401136 <call<int, int>(int)+4>", "g": "1"}},
		{"1 << 2, mask=1<<CAP_KILL, a < b, -1", map[string]string{"1": "1 << 2", "mask": "1<<CAP_KILL", "3": "a < b", "4": "-1"}},
		{"this=0x55, q=39 '\\'', r=2", map[string]string{"this": "0x55", "q": `39 '\''`, "r": "2"}},
		{`AT_FDCWD</a, b>, 3</c>(deleted), 4<pipe:[5]>`, map[string]string{"1": "AT_FDCWD</a, b>", "2": "3</c>(deleted)", "3": "4<pipe:[5]>"}},
		{`s="cut`, map[string]string{"s": `"cut`, "2": ""}},
		{"", map[string]string{"1": "", "n": ""}},
	} {
		for which, want := range of.want {
			if got := argument(of.args, which); got != want {
				t.Errorf("%s of %s is %q, want %q", which, of.args, got, want)
			}
		}
	}
}

// They are variables of the event.
func TestArgumentsAreVariables(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		{Regex: regexp.MustCompile(`^call`), If: formula(t, "$a.size > 16 || $a.name == 'GET'"), Actions: []Action{{Verb: Echo, Args: []string{"${a.1}, $a.name.$a.x"}}}},
	}}), nil)
	for _, step := range [][2]string{
		{`call args="size=16, name=0x0"`, ""},
		{`call args="size=17, name=0x0"`, "17, 0x0."},
		{`call args="size=1, name=0x5 \"GET\""`, `1, 0x5 "GET".`},
	} {
		if got := run(m, step[0], nil); step[1] == "" {
			expect(t, got)
		} else {
			expect(t, got, "ECHO("+step[1]+")")
		}
	}
}

// Number 0 is what was returned, alike with and without debug data.
func TestReturnedValue(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		{Regex: regexp.MustCompile(`^return`), If: formula(t, "$a.0"), Actions: []Action{{Verb: Echo, Args: []string{"$a.0"}}}},
	}}), nil)
	for _, step := range [][2]string{
		{`return value="rax=0x10"`, "0x10"}, {`return value="0x10"`, "0x10"}, {`return value="0x5 \"a=b\""`, `0x5 "a=b"`}, {`return value="rax=0x0"`, ""}, {`return`, ""},
	} {
		if got := run(m, step[0], nil); step[1] == "" {
			expect(t, got)
		} else {
			expect(t, got, "ECHO("+step[1]+")")
		}
	}
}

// A condition of an action is worked out when the action is reached: with what was set before in the block, and with
// the answers that it needs.
func TestConditionOfAction(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		{Regex: regexp.MustCompile(`^call`), Actions: []Action{
			{Verb: Eval, Args: []string{"f", "n"}, Sinks: []Sink{{Var, "n"}}},
			{Verb: Let, Args: []string{"more", "$n + 1"}},
			{Verb: Echo, Args: []string{"big $n"}, If: formula(t, "$n > 4")},
			{Verb: Set_, Args: []string{"more", ""}, If: formula(t, "$more < 3")},
			{Verb: Echo, Args: []string{"more $more"}, If: formula(t, "$more")},
			{Verb: Command, Args: []string{"continue"}, If: formula(t, "$n == 5")},
		}},
	}}), nil)
	for _, step := range []struct {
		n    string
		want []string
	}{
		{"5", []string{"EVAL(f,n)|VAR(n)", "ECHO(big 5); ECHO(more 6); command(continue)"}},
		{"4", []string{"EVAL(f,n)|VAR(n)", "ECHO(more 5)"}},
		{"1", []string{"EVAL(f,n)|VAR(n)"}},
		{"", []string{"EVAL(f,n)|VAR(n)"}},
	} {
		expect(t, run(m, "call", func(Action) string { return step.n }), step.want...)
	}
}

// A variable has a value for each key, which may be made of variables with keys.
func TestKeyedVariables(t *testing.T) {
	m := start(rule(&Group{Name: "default", Pats: []*Pat{
		{Regex: regexp.MustCompile(`^return`), Actions: []Action{
			{Verb: Set_, Args: []string{"of[$e.value]", "$e.thread"}},
			{Verb: Let, Args: []string{"count[${of[$e.value]}, n]", "0 + 1"}, If: formula(t, "!${count[${of[$e.value]}, n]}")},
			{Verb: Let, Args: []string{"count[${of[$e.value]}, n]", "${count[${of[$e.value]}, n]} + 1"}},
		}},
		{Regex: regexp.MustCompile(`^call`), Actions: []Action{
			{Verb: Echo, Args: []string{"${of[$a.1]} ${count[${of[$a.1]}, n]} $of ${of[}"}},
			{Verb: Set_, Args: []string{"of[$a.1]", ""}},
		}},
	}}), nil)
	for _, step := range [][2]string{
		{`return value="0x10" thread="1"`, ""}, {`return value="0x20" thread="2"`, ""}, {`return value="0x20" thread="2"`, ""},
		{`call args="0x20"`, "2 3  ${of[}"}, {`call args="0x20"`, "   ${of[}"}, {`call args="0x10"`, "1 2  ${of[}"}, {`call args="[0x30]}"`, "   ${of[}"},
	} {
		if got := run(m, step[0], nil); step[1] == "" {
			expect(t, got)
		} else {
			expect(t, got, "ECHO("+step[1]+")")
		}
	}
	if m.keyed.count != 2 {
		t.Errorf("%d keys are kept, not those of two counts", m.keyed.count)
	}
}

// Keys beyond the most are not kept, which is told once; a key that was there is, and one that is taken away makes room.
func TestMostKeys(t *testing.T) {
	var k keyed
	told := 0
	k.complain = func(string) { told++ }
	for i := range mostKeys + 2 {
		k.set("x", fmt.Sprint(i), "1")
	}
	k.set("x", "0", "2")
	if len(k.values["x"]) != mostKeys || told != 1 || k.values["x"]["0"] != "2" {
		t.Errorf("%d keys, told %d times, %q", len(k.values["x"]), told, k.values["x"]["0"])
	}
	k.set("x", "0", "")
	k.set("y", "z", "1")
	if k.values["y"]["z"] != "1" {
		t.Error("there is room, and it is not used")
	}
}
