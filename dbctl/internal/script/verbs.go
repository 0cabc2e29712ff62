package script

import (
	"strconv"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/resource"
)

// A kind is what an argument may be. All but groupName and variableName may be
// strings and variables too; what these come to is known only at run time.
type kind int

const (
	anyText      kind = iota
	groupName         // a PAT_GROUP of the rule
	variableName      // a variable that a script may set
	wholeNumber       // between min and max
	oneOf             // a word of the list
	signalName        // SIGTERM …
	functionText      // a regular expression
	formulaText       // a formula
)

type param struct {
	name     string
	kind     kind
	optional bool
	min, max int
	words    []string
	prefix   string // oneOf: a word may begin with this, too
}

// A verb is an action of the controller.
type verb struct {
	word   string
	verb   machine.Verb
	params []param
	text   bool // it yields a text, for outputs
}

const maxInt = 1<<31 - 1

var verbs = []verb{
	{word: "GOTO", verb: machine.Goto, params: []param{{name: "group", kind: groupName}}},
	{word: "SET", verb: machine.Set_, params: []param{{name: "name", kind: variableName}, {name: "value"}}},
	{word: "LET", verb: machine.Let, params: []param{{name: "name", kind: variableName}, {name: "formula", kind: formulaText}}},
	{word: "SPAWN", verb: machine.Spawn, params: []param{{name: "pid", kind: wholeNumber, min: 1, max: maxInt}}},
	{word: "DETACH", verb: machine.Detach},
	{word: "KILL", verb: machine.Kill, params: []param{{name: "signal", kind: signalName, optional: true}}},
	{word: "ECHO", verb: machine.Echo, params: []param{{name: "text"}}, text: true},
	{word: "TIMEOUT", verb: machine.Timeout, params: []param{{name: "milliseconds", kind: wholeNumber, max: maxInt}}},
	{word: "SHELL", verb: machine.Shell, params: []param{{name: "command"}}, text: true},
	{word: "QUIT", verb: machine.Quit, params: []param{{name: "status", kind: wholeNumber, optional: true, max: 255}}},
	{word: "CLOCK", verb: machine.Clock, params: []param{
		{name: "kind", kind: oneOf, words: []string{"best", "perf", "itimer", "poll", "off", resource.Alloc}, prefix: resource.Calls + ":"},
		{name: "interval", kind: wholeNumber, optional: true, min: 1, max: maxInt},
		{name: "random", kind: wholeNumber, optional: true, max: 1},
	}},
	{word: "SAMPLE", verb: machine.Sample, params: []param{{name: "args", kind: oneOf, words: []string{"args"}, optional: true}}},
	{word: "EVAL", verb: machine.Eval, params: []param{{name: "function", kind: functionText}, {name: "expression"}}, text: true},
	{word: "PROBE", verb: machine.Probe, params: []param{
		{name: "kind", kind: oneOf, words: []string{"call", "return", "first", "at", "syscall"}},
		{name: "functions", kind: functionText},
		{name: "object", optional: true},
	}},
	{word: "COUNT", verb: machine.Count, params: []param{{name: "table"}, {name: "key"}, {name: "number", optional: true}}},
	{word: "HIST", verb: machine.Hist, params: []param{{name: "table"}, {name: "key"}, {name: "number"}}},
	{word: "SUM", verb: machine.Sum, params: []param{{name: "table"}, {name: "key"}, {name: "number"}}},
	{word: "PRINT", verb: machine.Print},
	{word: "THREADS", verb: machine.Threads},
}

// reserved are the variables that the controller keeps.
var reserved = []string{"pid", "ppid", "exe", "host", "time", "cpu"}

// execOptions are the options of EXEC, with the values that each may have.
var execOptions = map[string][]string{
	"follow": {"events", "trap"},
}

// reservedFiles are the files of a run directory that are no outputs, and reservedPrefix begins the names of others.
var reservedFiles = []string{"meta", "paths", "tables"}

const reservedPrefix = "paths."

func verbNamed(word string) *verb {
	for i := range verbs {
		if verbs[i].word == word {
			return &verbs[i]
		}
	}
	return nil
}

func verbWords() []string {
	var out []string
	for i := range verbs {
		out = append(out, verbs[i].word)
	}
	return out
}

// arity is the least and the greatest number of arguments.
func (v *verb) arity() (least, most int) {
	for _, p := range v.params {
		if !p.optional {
			least++
		}
	}
	return least, len(v.params)
}

// usage shows the verb with its arguments: CLOCK(kind [, interval [, random]]).
func (v *verb) usage() string {
	var b, end strings.Builder
	b.WriteString(v.word + "(")
	for i, p := range v.params {
		comma := ""
		if i > 0 {
			comma = ", "
		}
		if p.optional {
			end.WriteByte(']')
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString("[" + comma + p.name)
		} else {
			b.WriteString(comma + p.name)
		}
	}
	return b.String() + end.String() + ")"
}

// wants describes the argument in a message.
func (p *param) wants() string {
	switch p.kind {
	case groupName:
		return "the name of a PAT_GROUP"
	case variableName:
		return "the name of a variable, or a string \"name[key]\""
	case wholeNumber:
		if p.max == maxInt {
			return "a number, " + strconv.Itoa(p.min) + " or more"
		}
		return "a number from " + strconv.Itoa(p.min) + " to " + strconv.Itoa(p.max)
	case oneOf:
		last := len(p.words) - 1
		text := p.words[last]
		if last > 0 {
			text = strings.Join(p.words[:last], ", ") + " or " + text
		}
		if p.prefix != "" {
			text += ", or " + p.prefix + "…"
		}
		return text
	case signalName:
		return "a signal such as SIGTERM"
	case functionText:
		return "a regular expression in quotes"
	case formulaText:
		return "a formula in quotes"
	default:
		return "a string"
	}
}
