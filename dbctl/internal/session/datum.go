package session

import (
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/pct/data"
)

// A datum is the value of an expression: bytes of the program, a text, or both; or the calls of a path.
type datum struct {
	text    string // as a debugger shows it, where that is wanted or all that there is
	by      *compiled
	written string // by it, unless that is nil
	calls   *calls // whose arguments are put in their form when the thread runs again
}

// compiled is the code of an expression, and the description of its type; nil if that has none.
type compiled struct {
	code        *expression.Code
	description []byte
}

// shows reports whether the text of a value is wanted while its program runs, and not only in reports.
func shows(sinks []machine.Sink) bool {
	for _, s := range sinks {
		if s.Kind != machine.Field {
			return true
		}
	}
	return false
}

// showsAll reports whether it is wanted of all values.
func (t *tree) showsAll() bool { return t.rec != nil || t.cfg.Eval == Both }

// A fieldKey tells fields of a run apart: values of one name may be of several types.
type fieldKey struct {
	name string
	by   *compiled // nil: texts
}

// field is the number of a field, by its name and the type of this value.
func (r *run) field(w *data.Writer, name string, v datum) data.FieldID {
	if v.calls != nil {
		return w.ArgumentsField()
	}
	key := fieldKey{name, v.by}
	id, ok := r.fields[key]
	if !ok {
		if v.by == nil || v.by.description == nil {
			id = w.Field(name)
		} else {
			id = w.TypedField(data.PlanField{Name: name, Type: v.by.description, Gone: v.by.code.Gone})
		}
		r.fields[key] = id
	}
	return id
}

// value is what a file of samples has of a datum.
func (r *run) value(w *data.Writer, v datum) string {
	switch {
	case v.calls != nil:
		return r.frames(w, v.calls)
	case v.by == nil:
		return v.text
	}
	r.name(w, v.by.code, v.written)
	return v.written
}

// name keeps the names of what pointers in a value lead to.
func (r *run) name(w *data.Writer, code *expression.Code, written string) {
	if leads(code.Type) && r.p.unwinder != nil {
		if shown, ok := code.Value([]byte(written)); ok {
			shown.Text(&pointees{r: r, w: w, names: naming{p: r.p}})
		}
	}
}

// leads reports whether a value of the type may have pointers that are shown with what they lead to.
func leads(t *value.Type) bool {
	switch t.Kind {
	case value.Pointer:
		return !t.IsText()
	case value.Structure, value.Array, value.Function, value.MemberPointer:
		return true
	}
	return false
}

// pointees keep the names of what pointers lead to with the samples, once each: later the files may be others.
type pointees struct {
	r     *run
	w     *data.Writer
	names naming
}

func (p *pointees) Function(addr uint64) string { return p.Data(addr) }

func (p *pointees) Data(addr uint64) string {
	if p.r.pointees[addr] {
		return ""
	}
	if name := p.names.Data(addr); name != "" {
		p.r.pointees[addr] = true
		p.w.Pointee(addr, name)
	}
	return ""
}
