package session

import (
	"debug/dwarf"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// withArguments is what SAMPLE(args) asks for, and the field of the sample that has it.
const withArguments = "args"

// arguments are the functions of the call path up to main, innermost first and inlined ones too, each with
// its arguments: "worker(n=1000) <- dispatch_1(a=1000) <- main(ac=1, av=0x7ffe…)". No debugger is asked: what
// dbctl cannot evaluate, and what the program does not keep, is shown as "?", and what is no single
// number as "...".
func (p *process) arguments() (string, bool) {
	p.readAgain()
	path := p.callPath(p.now)
	var calls []string
	for level := 0; level < len(path) && (level == 0 || !isMain(calls[len(calls)-1])); level++ {
		calls = p.appendCalls(calls, level)
	}
	text := strings.Join(calls, " <- ")
	if rec := p.recorder(); rec != nil {
		rec.value("", withArguments, text, path != nil)
	}
	return text, path != nil
}

// isMain reports whether a function with its arguments is main.
func isMain(call string) bool { return call == "main" || strings.HasPrefix(call, "main(") }

// appendCalls appends the functions of one frame. One without debug data is its name alone.
func (p *process) appendCalls(calls []string, level int) []string {
	f := &p.now.frames[level]
	if d := p.debugOf(f.Object); d != nil {
		n := len(calls)
		if d.guarded(func() { calls = p.appendScope(calls, d, level) }) && len(calls) > n {
			return calls
		}
		calls = calls[:n]
	}
	symbol, _ := p.unwinder.Symbol(*f)
	if symbol == "" {
		return append(calls, "??")
	}
	return append(calls, funcname.Plain(readable(symbol)))
}

// appendScope is appendCalls for a frame of an object with debug data, which is locked.
func (p *process) appendScope(calls []string, d *debugObject, level int) []string {
	f := &p.now.frames[level]
	vaddr := f.Vaddr()
	s := d.scopeAt(vaddr)
	for i, of := range s.functions {
		if s.params == nil {
			s.params = d.parameters(vaddr)
		}
		var b strings.Builder
		if len(of.names) == 0 {
			b.WriteString("??")
		} else {
			b.WriteString(of.names[len(of.names)-1])
		}
		b.WriteByte('(')
		for n, param := range s.params[i] {
			if n > 0 {
				b.WriteString(", ")
			}
			b.WriteString(param.name + "=")
			b.WriteString(p.argument(d, s, i, level, param))
		}
		b.WriteByte(')')
		calls = append(calls, b.String())
	}
	return calls
}

const (
	notKnown = "?"
	notShown = "..."
)

// argument is the value of a parameter of one of a scope's functions.
func (p *process) argument(d *debugObject, s *scope, function, level int, of parameter) string {
	f := &p.now.frames[level]
	if of.hidden || !s.language.CFamily() || f.Guessed {
		return notKnown
	}
	vaddr := f.Vaddr()
	code, err := d.code(s, function, of.name, vaddr)
	if err != nil {
		return notKnown
	}
	switch code.Type.Whole().Kind {
	case value.Structure, value.Array, value.Reference:
		return notShown
	}
	written, outcome := plan.Run(code.Code, &activation{p: p, d: d, level: level}, p.written[:0])
	p.written = written
	v, whole := code.Value(written)
	if outcome != plan.Got || !whole || len(code.Gone) > 0 {
		return notKnown
	}
	names := naming{p: p}
	text := v.Text(&names)
	if names.unsure {
		return v.Text(nil)
	}
	return text
}

// A parameter is one of a function. Hidden is one whose name is that of a variable of an inner block there.
type parameter struct {
	name   string
	hidden bool
}

// parameters are those of the functions at an address, the innermost function first. The object is locked.
func (o *debugObject) parameters(vaddr uint64) [][]parameter {
	blocks := o.data.ScopeAt(vaddr).Blocks
	list := [][]parameter{}
	end := len(blocks)
	for _, function := range o.object.Activations(vaddr) {
		at := slices.Index(blocks, function)
		if at < 0 {
			return append(list, make([][]parameter, len(blocks))...)
		}
		var params []parameter
		for e := range function.Children() {
			if e.Tag() == dwarf.TagFormalParameter {
				name := e.Name()
				hidden := slices.ContainsFunc(blocks[at+1:end], func(b debuginfo.Entry) bool { return declares(b, name) })
				params = append(params, parameter{name, hidden || name == ""})
			}
		}
		list, end = append(list, params), at
	}
	return list
}

// declares reports whether a variable of this name is directly in a block.
func declares(block debuginfo.Entry, name string) bool {
	for e := range block.Children() {
		if e.Tag() == dwarf.TagVariable && e.Name() == name {
			return true
		}
	}
	return false
}
