package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/syscalls"
)

// call checks an action of the controller; false if it can't be made.
func (c *checker) call(f *call) (machine.Action, bool) {
	v := verbNamed(f.Verb.Value)
	if v == nil {
		c.reportToken(f.Verb, "unknown verb "+f.Verb.Value, didYouMean(f.Verb.Value, verbWords()))
		return machine.Action{}, false
	}
	out := machine.Action{Pos: c.pos(f.Verb.Pos), Verb: v.verb, If: c.condition(f.If), Sinks: c.sinks(f.Sinks)}
	if least, most := v.arity(); len(f.Args) < least || len(f.Args) > most {
		count := strconv.Itoa(least)
		if most > least {
			count += " to " + strconv.Itoa(most)
		}
		plural := "s"
		if least == 1 && most == 1 {
			plural = ""
		}
		c.reportToken(f.Verb, fmt.Sprintf("%s takes %s argument%s, not %d", v.word, count, plural, len(f.Args)),
			"it is written "+v.usage()+";")
		return out, false
	}
	for i, a := range f.Args {
		out.Args = append(out.Args, c.arg(v, &v.params[i], a.Value))
	}
	if v.verb == machine.Clock && len(out.Args) == 1 {
		if out.Args[0] != "off" {
			c.reportToken(f.Verb, "CLOCK wants an interval, of time in microseconds", "for instance CLOCK("+f.Args[0].Value.Value+", 10000);")
		}
		out.Args = append(out.Args, "0")
	}
	if v.verb == machine.Probe && out.Args[0] == syscallProbe {
		c.syscalls(v, f, out.Args)
	}
	if len(f.Sinks) > 0 && !v.text {
		c.reportToken(f.Sinks[0].Kind, v.word+" yields no text to send to "+f.Sinks[0].Kind.Value, "")
	}
	return out, true
}

// syscallProbe is the kind of PROBE that names system calls instead of functions.
const syscallProbe = "syscall"

// syscalls checks a PROBE of system calls, as far as they are known before they are expanded.
func (c *checker) syscalls(v *verb, f *call, args []string) {
	if len(args) > 2 {
		if names, _ := machine.Mentions(args[2]); len(names) == 0 && args[2] != "paths" {
			c.reportToken(f.Args[2].Value, "PROBE of system calls takes no object", "PROBE(syscall, \"openat,%network\", \"paths\"); shows descriptors with their paths")
		}
	}
	if names, _ := machine.Mentions(args[1]); len(names) > 0 {
		return
	}
	if _, err := syscalls.ParseSet(args[1]); err != nil {
		c.reportToken(f.Args[1].Value, err.Error(), "")
	}
}

// arg checks one argument and returns its text.
func (c *checker) arg(v *verb, p *param, t lexer.Token) string {
	text := t.Value
	if t.Type == stringType {
		text = c.template(t)
	}
	wrong := func() string {
		c.reportToken(t, fmt.Sprintf("%s of %s must be %s", p.name, v.word, p.wants()), "it is written "+v.usage()+";")
		return text
	}
	switch p.kind {
	case groupName:
		if t.Type != nameType {
			return wrong()
		}
		if c.groups != nil && !slices.Contains(c.groups, text) {
			c.reportToken(t, "unknown group "+text, didYouMean(text, c.groups))
		}
		return text
	case variableName:
		switch keyed := machine.Keyed(text); {
		case t.Type == nameType:
			c.settable(t, text)
		case t.Type == stringType && keyed != "":
			c.settable(t, keyed)
		default:
			return wrong()
		}
		return text
	}
	if p.kind == formulaText {
		if t.Type != stringType {
			return wrong()
		}
		c.formula(t)
		return text
	}
	if names, _ := machine.Mentions(text); len(names) > 0 {
		return text // known at run time only
	}
	switch p.kind {
	case anyText:
		if t.Type == nameType {
			return wrong()
		}
	case wholeNumber:
		n, err := strconv.Atoi(text)
		if err != nil || n < p.min || n > p.max {
			return wrong()
		}
	case oneOf:
		if !slices.Contains(p.words, text) && (p.prefix == "" || len(text) <= len(p.prefix) || !strings.HasPrefix(text, p.prefix)) {
			return wrong()
		}
	case signalName:
		if unix.SignalNum("SIG"+strings.TrimPrefix(text, "SIG")) == 0 {
			return wrong()
		}
	case functionText:
		if t.Type != stringType {
			return wrong()
		}
		c.compile(t, strings.ReplaceAll(text, "$$", "$"))
	}
	return text
}

func (c *checker) sinks(list []*sink) []machine.Sink {
	var out []machine.Sink
	for _, s := range list {
		out = append(out, c.sink(s))
	}
	return out
}

func (c *checker) sink(s *sink) machine.Sink {
	text := s.Arg.Value
	quoted := s.Arg.Type == stringType
	if quoted {
		text = unquote(text)
	}
	out := machine.Sink{Arg: text}
	switch s.Kind.Value {
	case "OUT":
		out.Kind = machine.Out
		c.quoted(s, "OUT", `OUT("stack")`)
		if quoted {
			c.outputName(s.Arg, c.template(s.Arg))
		}
	case "PIPE":
		out.Kind = machine.Pipe
		c.quoted(s, "PIPE", `PIPE("sort | uniq -c")`)
		if quoted && strings.TrimSpace(c.template(s.Arg)) == "" {
			c.reportToken(s.Arg, "an empty command", "")
		}
	case "VAR":
		out.Kind = machine.Var
		if quoted {
			c.reportToken(s.Arg, "VAR wants the name of a variable, without quotes", "for instance VAR(depth)")
		} else {
			c.settable(s.Arg, text)
		}
	case "FIELD":
		out.Kind = machine.Field
		if text == "" {
			c.reportToken(s.Arg, "a field must have a name", "")
		}
		if !c.sample {
			c.reportToken(s.Kind, "FIELD belongs to a sample, and this block has no SAMPLE", "add SAMPLE(); to the block, or use OUT")
		}
	}
	return out
}

// quoted reports an argument that should have been a string.
func (c *checker) quoted(s *sink, word, example string) {
	if s.Arg.Type != stringType {
		c.reportToken(s.Arg, word+" wants a string in quotes", "for instance "+example)
	}
}

// outputName checks the name of a file in the run directory, as far as it is
// known before it is expanded.
func (c *checker) outputName(t lexer.Token, name string) {
	switch {
	case name == "" || name == "." || name == ".." || strings.Contains(name, "/"):
		c.reportToken(t, "OUT wants the name of a file without its directory", "the file is made in the run directory of the process")
	case slices.Contains(reservedFiles, name) || strings.HasPrefix(name, reservedPrefix):
		c.reportToken(t, "the file "+name+" of a run directory is written by dbctl itself", "choose another name")
	}
}
