package path

import (
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// Label names an instruction as Flat does: FILE:LINE, OBJECT:SYMBOL, FILE, OBJECT
// or OBJECT:0xADDRESS, with the fall-backs where that is not known.
func (in *Instruction) Label(g Granularity, templates bool) string {
	f := frame{object: in.Object, addr: in.Vaddr}
	if len(in.Frames) > 0 {
		innermost := in.Frames[0]
		f.function, f.file, f.line = innermost.Func, innermost.File, innermost.Line
	}
	if !templates {
		f.function = withoutTemplates(f.function)
	}
	return f.label(g)
}

// Objects returns the objects of each run in turn; one may come several times.
func (rs *Runs) Objects() []data.Object {
	var all []data.Object
	for _, r := range rs.all {
		all = append(all, r.Objects[1:]...)
	}
	return all
}

// Start returns when the first of the runs with samples began, the zero time if
// none has any.
func (rs *Runs) Start() time.Time {
	var first time.Time
	for _, r := range rs.all {
		if r.Packed.Len() > 0 && (first.IsZero() || r.Header.Start.Before(first)) {
			first = r.Header.Start
		}
	}
	return first
}
