package session

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/unwind"
)

// Calls that are inlined are known by the debug data: where each begins, with which arguments. There is no return
// from them.

// inlined are the functions of which an inlined call begins at a place, the outermost first.
type inlined struct{ functions []*probedFunction }

// mostPatterned is the size of debug data that are searched for a pattern, which may take a second.
const mostPatterned = 100 << 20

// searchInlined probes the inlined calls of an object.
func (ps *probes) searchInlined(o *unwind.Object, want *probe) {
	file, meant := ps.fileOf(o), want.names.meant
	if file == nil {
		return
	}
	if !meant.Named() && file.data != nil && file.data.Size() > mostPatterned {
		ps.unseen(o, "inlined calls of functions of %s have no events: the debug data are too large to be searched for a pattern", filepath.Base(o.Path))
		return
	}
	var calls []expression.Inlined
	file.guarded(func() {
		if file.object != nil {
			calls = file.object.Inlined(meant)
		}
	})
	for _, c := range calls {
		if !ps.exists(o, c.Within) {
			continue
		}
		want.found = true
		switch {
		case want.kind == atReturns:
			ps.unseen(o, "inlined calls of %s have no event \"return\"", c.Name)
		case want.kind == atCalls && len(c.Ranges) > 1:
			// An unrolled loop is several calls, which the debug data do not tell from one in parts.
			ps.unseen(o, "an inlined call of %s has no event \"call\": its code is in several parts", c.Name)
		case want.kind == atCalls && ps.beginsAgain(o, &c):
			ps.unseen(o, "an inlined call of %s has no event \"call\": it begins with a loop", c.Name)
		default:
			ps.inline(o, want, c)
		}
	}
}

// unseen tells of calls of an object that have no events: of the program's at once, of a library's in the notes.
func (ps *probes) unseen(o *unwind.Object, format string, args ...any) {
	if o.Path == ps.p.exe {
		ps.p.tree.sayOnce(format, args...)
		return
	}
	ps.p.tally.note(fmt.Sprintf(format, args...) + " in " + filepath.Base(o.Path))
}

// inline probes an inlined call.
func (ps *probes) inline(o *unwind.Object, want *probe, c expression.Inlined) {
	at := ps.point(c.Entry + o.Bias)
	if at.inlined == nil {
		at.inlined = &inlined{}
	}
	here := at.inlined
	object := filepath.Base(o.Path)
	i := slices.IndexFunc(here.functions, func(f *probedFunction) bool { return f.name == c.Name })
	if i < 0 {
		i = len(here.functions)
		of := functionName{name: c.Name, object: object, vaddr: c.Entry, enter: c.Entry + o.Bias}
		here.functions = append(here.functions, &probedFunction{functionName: of, run: of.enter, inlined: true})
	}
	here.functions[i].wanted[want.kind] = true
}

// exists reports whether the object has the function that begins at an address by its debug data, by its symbols or
// call frame information: code of one that the linker has dropped must get no breakpoint.
func (ps *probes) exists(o *unwind.Object, function uint64) bool {
	begins := unwind.Frame{PC: function + o.Bias, Object: o, Exact: true}
	name, start := ps.unwinder.Symbol(begins)
	return name != "" && start == function || ps.unwinder.Begins(begins.PC)
}

// beginsAgain reports whether the code of an inlined call may jump to its beginning, as that of a loop.
func (ps *probes) beginsAgain(o *unwind.Object, c *expression.Inlined) bool {
	r := c.Ranges[0]
	return ps.leadsTo(r[0]+o.Bias, r[1]-r[0], c.Entry+o.Bias)
}

// inlinedHere is a thread at a place where inlined calls begin.
func (ps *probes) inlinedHere(th *thread, at *probePoint) {
	for _, f := range slices.Clone(at.inlined.functions) {
		ps.called(th, f, 0)
	}
}

// dropInlined takes out a function of which nothing is to be told any more.
func (ps *probes) dropInlined(f *probedFunction) {
	at := ps.points[f.enter]
	if at == nil || at.inlined == nil {
		return
	}
	at.inlined.functions = slices.DeleteFunc(at.inlined.functions, func(g *probedFunction) bool { return g == f })
	if len(at.inlined.functions) == 0 {
		at.inlined = nil
	}
	ps.drop(f.enter)
}

// inlinedCall are the arguments of a call that is inlined where an event's thread stands, and the function that it is
// inlined into.
func (p *process) inlinedCall(now *moment, name string) (args, from string) {
	if len(now.frames) == 0 {
		return "", ""
	}
	var c calls
	p.addCalls(&c, 0)
	i := slices.IndexFunc(c.list, func(of call) bool { return of.function == name })
	if i < 0 {
		return "", ""
	}
	if i+1 < len(c.list) {
		from = c.list[i+1].function
	}
	return p.callText(&c, c.list[i]).Arguments(), from
}
