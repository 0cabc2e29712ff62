package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/table"
)

// performer does what the blocks of a script ask for. Two do: a Session, on a
// process, and a replay, from a transcript.
type performer interface {
	// commands sends debugger commands for the event's thread, all in one
	// write, and returns what each printed that has sinks.
	commands(list []machine.Action) []string
	// path takes the call path of the event's thread; sampled keeps it, with
	// the fields of its block.
	path()
	sampled(fields []field)
	// arguments are the functions of that call path with their arguments.
	arguments() (value datum, ok bool)
	// variable is the text of a variable of that call path.
	variable(name string) string
	// evaluate works out an expression in the innermost activation of a
	// function; ok is false where there is no value. Shown is whether its
	// text is wanted now.
	evaluate(function, expression string, shown bool) (value datum, ok bool)
	clock(kind string, period time.Duration, random bool) error
	// probe gives events of the functions that match, in the objects of a name, or in all if it is "".
	probe(kind, functions, object string) error
	// count counts in a table of the run.
	count(in table.Name, key, number string) error
	// printTables prints all tables as they are.
	printTables()
	// visitThreads has each thread stop once, for an event.
	visitThreads()
	spawn(pid int)
	detach()
	kill(signal string) error
	timeout(after time.Duration)
	shell(command string) (output string)
	quit(status int)
}

// field is a named value of the sample being taken.
type field struct {
	name  string
	value datum
}

// outputs are where texts go: files and filters. Of a text for a variable or a
// field, which the block keeps itself, they are only told.
type outputs interface {
	write(to machine.Sink, text string) error
	close()
}

// block carries out the blocks of one machine.
type block struct {
	m     *machine.Machine
	do    performer
	sinks outputs
	say   func(format string, args ...any) // a message
	print func(text string)                // a line of the script's own

	functions bool // a pattern may look at functions' names
}

// ask has a machine's variables of the call path be what do says.
func ask(m *machine.Machine, do performer) {
	for name := range pathVariables {
		m.Ask(name, func() string { return do.variable(name) })
	}
}

// step offers a line to the machine and carries out what it selects. It
// returns whether anything matched.
func (b *block) step(line string) bool {
	if !b.m.Step(line) {
		return false
	}
	b.carryOut(line)
	return true
}

// stepRaw is step for a line as the debugger wrote it.
func (b *block) stepRaw(line string) {
	if b.m.StepRaw(line) {
		b.carryOut(line)
	}
}

func (b *block) carryOut(line string) {
	var (
		fields  []field
		sample  bool
		waiting []machine.Action // commands, until something needs their answers
	)
	flush := func() {
		if len(waiting) == 0 {
			return
		}
		for i, output := range b.do.commands(waiting) {
			if sinks := waiting[i].Sinks; len(sinks) > 0 {
				b.put(sinks, datum{text: output}, &fields)
			}
		}
		waiting = nil
	}
	for portion := b.m.Next(); portion != nil; portion = b.m.Next() {
		for _, a := range portion {
			if a.Verb == machine.Command {
				waiting = append(waiting, a)
				continue
			}
			flush()
			if a.Verb == machine.Sample {
				b.do.path()
				sample = true
				if slices.Contains(a.Args, withArguments) {
					if v, ok := b.do.arguments(); ok {
						fields = append(fields, field{withArguments, v})
					}
				}
				continue
			}
			if output, ok := b.act(a, line); ok {
				b.put(a.Sinks, output, &fields)
			} else {
				b.clear(a.Sinks)
			}
		}
		flush()
	}
	if sample {
		// Last, when the thread runs again.
		b.do.sampled(fields)
	}
}

// act carries out an action that is no debugger command; ok is false where it
// has no output for its sinks.
func (b *block) act(a machine.Action, line string) (output datum, ok bool) {
	arg := func(i int) string {
		if i < len(a.Args) {
			return a.Args[i]
		}
		return ""
	}
	switch a.Verb {
	case machine.Matched:
		return datum{text: line}, true
	case machine.Echo:
		if len(a.Sinks) == 0 {
			b.print(arg(0))
		}
		return datum{text: arg(0)}, true
	case machine.Eval:
		return b.do.evaluate(arg(0), arg(1), shows(a.Sinks))
	case machine.Shell:
		return datum{text: b.do.shell(arg(0))}, len(a.Sinks) > 0
	case machine.Detach:
		b.do.detach()
	case machine.Threads:
		b.do.visitThreads()
	case machine.Print:
		b.do.printTables()
	default:
		if err := b.order(a, arg); err != nil {
			b.say("%s: %v", a.Pos, err)
		}
	}
	return datum{}, false
}

// order carries out an action whose arguments are numbers or names, which may
// come from variables and so can only now be found wrong.
func (b *block) order(a machine.Action, arg func(int) string) error {
	number := func(i int, otherwise int) (int, error) {
		if arg(i) == "" {
			return otherwise, nil
		}
		n, err := strconv.Atoi(arg(i))
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%s: %q is not a number", a.Verb, arg(i))
		}
		return n, nil
	}
	switch a.Verb {
	case machine.Spawn:
		pid, err := number(0, 0)
		if err != nil {
			return err
		}
		b.do.spawn(pid)
	case machine.Timeout:
		ms, err := number(0, 0)
		if err != nil {
			return err
		}
		b.do.timeout(time.Duration(ms) * time.Millisecond)
	case machine.Quit:
		status, err := number(0, 0)
		if err != nil {
			return err
		}
		b.do.quit(status)
	case machine.Kill:
		return b.do.kill(arg(0))
	case machine.Count, machine.Hist, machine.Sum:
		return b.do.count(table.Name{Text: arg(0), Kind: tableKinds[a.Verb]}, arg(1), arg(2))
	case machine.Probe:
		return b.do.probe(arg(0), arg(1), arg(2))
	case machine.Clock:
		us, err := number(1, 10000)
		if err != nil {
			return err
		}
		random, err := number(2, 0)
		if err != nil {
			return err
		}
		return b.do.clock(arg(0), time.Duration(us)*time.Microsecond, random != 0)
	}
	return nil
}

// clear empties the variables that were to get an output which there is not.
func (b *block) clear(to []machine.Sink) {
	for _, s := range to {
		if s.Kind == machine.Var {
			b.m.Capture(s.Arg, "")
		}
	}
}

// put sends an output to its sinks. A field belongs to the sample of the
// block, so that its expression and its call path are of one instant. As in a
// shell, the newlines at the end of an output are no part of a value.
func (b *block) put(to []machine.Sink, output datum, fields *[]field) {
	text := output.text
	output.text = strings.TrimRight(text, "\n")
	for _, s := range to {
		switch s.Kind {
		case machine.Var:
			b.m.Capture(s.Arg, output.text)
		case machine.Field:
			*fields = append(*fields, field{s.Arg, output})
		}
		if err := b.sinks.write(s, text); err != nil {
			b.say("%v", err)
		}
	}
}
