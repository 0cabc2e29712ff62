// Package machine runs a dbctl program: events in, actions out.
//
// A program is a state machine. Its states are pattern groups; an event is one
// line of text; the first pattern of the current group that matches the event
// selects a block of actions. The machine itself knows no debugger, process,
// clock or file: whoever drives it offers events with Step, carries out the
// actions that Next returns, and hands back what the debugger answered with
// Capture. The same program can therefore be run against a live process, a
// recorded transcript or a table in a test.
package machine

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Pos is a place in a script. Line and Col count from 1, Col in bytes.
type Pos struct {
	File string
	Line int
	Col  int
}

// String gives "file:line:col".
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Program is a whole script with its includes spliced in.
type Program struct {
	Execs []*Exec
	Sets  []Set // variables set at file level, in order
}

// For returns the first rule whose pattern matches the path of an executable,
// or nil if the program has nothing to say about it.
func (p *Program) For(exe string) *Exec {
	for _, e := range p.Execs {
		if e.Regex.MatchString(exe) {
			return e
		}
	}
	return nil
}

// Set gives a variable its first value. Value is a template: the variables that
// it mentions are expanded each time Name is used, not when it is set.
type Set struct {
	Pos   Pos
	Name  string
	Value string
}

// Exec is the rule for the executables whose path Regex matches.
type Exec struct {
	Pos     Pos
	Options map[string]string
	Regex   *regexp.Regexp
	Sets    []Set
	Groups  []*Group // each name once
}

// Group is a state: while it is the current one, its patterns are tried.
type Group struct {
	Pos  Pos
	Name string
	Pats []*Pat
}

// DefaultGroup is the name of the group in which a machine starts.
const DefaultGroup = "default"

// DefaultRank is the rank of a pattern written without one.
const DefaultRank = 100

// Pat is a transition: what to do about the events that Regex matches. Patterns
// are tried by ascending Rank, those of equal rank as written.
type Pat struct {
	Pos     Pos
	Rank    int
	Regex   *regexp.Regexp
	If      *Formula // must hold, too; nil: nothing must
	Raw     bool     // matches raw lines of the debugger instead of events
	Sinks   []Sink   // for the matched line itself
	Actions []Action
}

// Verb is what an action does.
type Verb int

// The verbs. Args of a verb are given in parentheses.
const (
	Command Verb = iota // send a command to the debugger (command)
	Matched             // the matched line, for the sinks of the PAT (line)
	Echo                // write a line for the user, or to the sinks (text)
	Spawn               // follow a child process (pid)
	Detach              // let the process go, unprofiled
	Kill                // kill the process ([signal name])
	Timeout             // arm the timer that gives the event timeout (milliseconds, 0: disarm)
	Shell               // run a shell command (command)
	Quit                // end the whole run ([exit status])
	Clock               // start the sampling clock (kind, microseconds [, 1: random periods])
	Sample              // record the call path with the fields set in this block ([args: with arguments])
	Eval                // evaluate in the innermost activation of a function (function pattern, expression)
	Probe               // give events of functions (call, return or first; function pattern [, object])
	Count               // count for a key, or sum a number (table, key [, number])
	Hist                // count numbers by magnitude for a key (table, key, number)
	Sum                 // add a number up for a key (table, key, number)
	Print               // print all tables
	Threads             // have each thread stop once, for an event
	Let                 // give a variable what a formula comes to (name, formula); done inside the machine
	Goto                // make a group the current one (group); done inside the machine
	Set_                // set a variable (name, value); done inside the machine
)

var verbNames = [...]string{
	Command: "command", Matched: "matched", Echo: "ECHO", Spawn: "SPAWN", Detach: "DETACH",
	Kill: "KILL", Timeout: "TIMEOUT", Shell: "SHELL", Quit: "QUIT", Clock: "CLOCK",
	Sample: "SAMPLE", Eval: "EVAL", Probe: "PROBE", Count: "COUNT", Hist: "HIST", Sum: "SUM", Print: "PRINT", Threads: "THREADS",
	Let: "LET", Goto: "GOTO", Set_: "SET",
}

// String gives the word of the language.
func (v Verb) String() string {
	if v < 0 || int(v) >= len(verbNames) {
		return fmt.Sprintf("Verb(%d)", int(v))
	}
	return verbNames[v]
}

// SinkKind is where a text goes.
type SinkKind int

// The sinks.
const (
	Out   SinkKind = iota // append to the file Arg of the process's run directory
	Pipe                  // write to the standard input of the shell command Arg
	Var                   // keep in the variable Arg
	Field                 // make it the field Arg of the sample being taken
)

var sinkNames = [...]string{Out: "OUT", Pipe: "PIPE", Var: "VAR", Field: "FIELD"}

// String gives the word of the language.
func (k SinkKind) String() string {
	if k < 0 || int(k) >= len(sinkNames) {
		return fmt.Sprintf("SinkKind(%d)", int(k))
	}
	return sinkNames[k]
}

// Sink is one destination of a text.
type Sink struct {
	Kind SinkKind
	Arg  string
}

// Action is one step of a block. In a Program its Args and the Args of its OUT
// and PIPE sinks are templates; as returned by Machine.Next they are expanded.
type Action struct {
	Pos   Pos
	Verb  Verb
	Args  []string
	If    *Formula // it is done only if that holds; nil: in any case
	Sinks []Sink
}

// String writes the action much as in a script.
func (a *Action) String() string {
	var b strings.Builder
	switch a.Verb {
	case Command:
		b.WriteString(strconv.Quote(a.Args[0]))
	case Matched:
		b.WriteString("the event")
	default:
		fmt.Fprintf(&b, "%v(%s)", a.Verb, strings.Join(a.Args, ", "))
	}
	for _, s := range a.Sinks {
		fmt.Fprintf(&b, " | %v(%s)", s.Kind, s.Arg)
	}
	return b.String()
}
