package session

import (
	"cmp"

	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/pct/data"
)

// withArguments is what SAMPLE(args) asks for, and the field of the sample that has it.
const withArguments = "args"

// calls are the functions of a call path up to main, innermost first and inlined ones too, each with its arguments.
type calls struct {
	list      []call
	arguments []argument
	written   []byte // by plans, one value after the other
}

// A call is one of a function. One without debug data is its name alone.
type call struct {
	function string
	level    int               // of its frame on the call path
	of       *expression.Calls // the functions that its frame is in; nil: its arguments are not known
	from, to int               // which of the arguments are its
}

// An argument is what a plan has written, or a text that says why there is no value.
type argument struct {
	name     string
	plural   bool
	by       *compiled // nil: there is no value
	outcome  plan.Outcome
	from, to int // of what was written
}

// arguments are the functions of the call path with their arguments. No debugger is asked: what
// dbctl cannot evaluate, and what the program does not keep, is shown as "?", and what is no single
// number as "...".
func (p *process) arguments() (datum, bool) {
	p.readAgain()
	c := &p.onPath
	ok := p.findCalls(c)
	v := datum{calls: c}
	if rec := p.recorder(); rec != nil {
		rec.value("", withArguments, p.shownCalls(c), ok)
	}
	return v, ok
}

// findCalls finds the calls of the path on which the event's thread stands, if it stands.
func (p *process) findCalls(c *calls) bool {
	path := p.callPath(p.now)
	c.list, c.arguments, c.written = c.list[:0], c.arguments[:0], c.written[:0]
	for level := 0; level < len(path) && (level == 0 || c.list[len(c.list)-1].function != "main"); level++ {
		p.addCalls(c, level)
	}
	return path != nil
}

// pathVariables are the variables that are the call path of the event's thread: functions alone, or with their
// arguments.
var pathVariables = map[string]func(p *process, c *calls) string{
	"path":  (*process).shownFunctions,
	"stack": (*process).shownCalls,
}

// variable is the text of one of these.
func (p *process) variable(name string) string {
	p.readAgain()
	var c calls
	text := ""
	ok := p.findCalls(&c)
	if ok {
		text = pathVariables[name](p, &c)
	}
	if rec := p.recorder(); rec != nil {
		rec.value("", "$"+name, text, ok)
	}
	return text
}

// shownFunctions is "worker <- dispatch_1 <- main".
func (p *process) shownFunctions(c *calls) string {
	var all []string
	for _, of := range c.list {
		all = append(all, of.function)
	}
	return data.JoinCalls(all)
}

// shownCalls is "worker(n=1000) <- dispatch_1(a=1000) <- main(ac=1, av=0x7ffe…)".
func (p *process) shownCalls(c *calls) string {
	var all []string
	for _, of := range c.list {
		if of.of == nil {
			all = append(all, of.function)
			continue
		}
		all = append(all, p.callText(c, of).String())
	}
	return data.JoinCalls(all)
}

// callText is a function with its arguments.
func (p *process) callText(c *calls, of call) *data.CallText {
	t := data.NewCallText(of.function)
	for _, a := range c.arguments[of.from:of.to] {
		t.Argument(a.name, p.shownArgument(c, a))
	}
	return t
}

// shownArgument is the text of an argument.
func (p *process) shownArgument(c *calls, a argument) string {
	switch {
	case a.plural:
		return data.ArgumentPlural
	case a.by == nil:
		return data.ArgumentUnknown
	}
	code := a.by.code
	v, whole := code.Value(c.written[a.from:a.to])
	if !whole {
		return data.ArgumentUnknown
	}
	return v.Text(&naming{p: p, language: code.Type.Language})
}

// addCalls adds the functions of one frame.
func (p *process) addCalls(c *calls, level int) {
	f := &p.now.frames[level]
	if d := p.debugOf(f.Object); d != nil {
		n := len(c.list)
		if d.guarded(func() { p.addScope(c, d, level) }) && len(c.list) > n {
			return
		}
		c.list = c.list[:n]
	}
	name := data.FunctionUnknown
	if symbol, _ := p.unwinder.Symbol(*f); symbol != "" {
		name = funcname.Plain(readable(symbol))
	}
	c.list = append(c.list, call{function: name, level: level})
}

// addScope is addCalls for a frame of an object with debug data, which is locked.
func (p *process) addScope(c *calls, d *debugObject, level int) {
	vaddr := p.now.frames[level].Vaddr()
	calls := d.callsAt(d.scopeAt(vaddr), vaddr)
	for _, of := range calls.Functions {
		call := call{function: cmp.Or(of.Name, data.FunctionUnknown), level: level, of: calls, from: len(c.arguments)}
		for _, a := range of.Arguments {
			c.arguments = append(c.arguments, p.argument(c, d, level, a))
		}
		call.to = len(c.arguments)
		c.list = append(c.list, call)
	}
}

// argument is the value of an argument of one of a frame's functions.
func (p *process) argument(c *calls, d *debugObject, level int, of expression.Argument) argument {
	a := argument{name: of.Name, plural: of.Plural, outcome: plan.NoRegister, from: len(c.written)}
	if of.Code == nil || p.now.frames[level].Guessed {
		return a
	}
	c.written, a.outcome = plan.Run(of.Code.Code, &activation{p: p, d: d, level: level}, c.written)
	if a.outcome == plan.Got {
		a.by, a.to = d.compiledFor(of.Code), len(c.written)
	}
	return a
}
