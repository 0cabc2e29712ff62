package data

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/value"
)

// A PlanField tells of values that are stored as they were in the program: their field, the description of
// their type, and what the program does not keep of them. Without a type they are texts.
type PlanField struct {
	Name string
	Type []byte // of value.Type.Describe
	Gone []value.Gap
}

// mostGone bounds the gaps of a value.
const mostGone = 1024

// AppendFields appends the section of a file of values that tells of its fields, which are numbered from 0.
// lists are functions that code is in, innermost first, if their arguments are evaluated.
func AppendFields(b []byte, fields []PlanField, lists [][]Called) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(fields)))
	for _, f := range fields {
		b = appendTyped(b, f)
	}
	if lists != nil {
		b = appendCalls(b, lists)
	}
	for (len(b)-start)%8 > 0 {
		b = append(b, 0)
	}
	return b
}

func appendTyped(b []byte, f PlanField) []byte {
	b = appendString(b, f.Name)
	b = appendString(b, string(f.Type))
	n := len(f.Gone)
	for _, g := range f.Gone {
		if g.Pointer {
			n++
		}
	}
	b = binary.AppendUvarint(b, uint64(n))
	for _, g := range f.Gone {
		b = binary.AppendUvarint(binary.AppendUvarint(b, g.Offset), g.Size)
		if g.Pointer { // it stands twice
			b = binary.AppendUvarint(binary.AppendUvarint(b, g.Offset), g.Size)
		}
	}
	return b
}

// readFields reads what AppendFields has made; before version 2 there were no lists of functions.
func readFields(section string, listed bool) ([]PlanField, [][]Called, bool) {
	c := cursor{rest: section}
	count := c.u32()
	var all []PlanField
	for range count {
		all = append(all, c.field())
		if c.bad {
			return nil, nil, false
		}
	}
	if !listed || strings.Trim(c.rest, "\x00") == "" {
		return all, nil, true
	}
	lists := c.calls()
	return all, lists, !c.bad
}

// field reads a field, of which the name alone may be there.
func (c *cursor) field() PlanField {
	f := PlanField{Name: c.kept()}
	if c.rest == "" {
		return f
	}
	f.Type = []byte(c.string())
	n := c.uvarint()
	if n > mostGone {
		c.fail()
		return f
	}
	for range n {
		g := value.Gap{Offset: c.uvarint(), Size: c.uvarint()}
		if last := len(f.Gone) - 1; last >= 0 && f.Gone[last] == g {
			f.Gone[last].Pointer = true
			continue
		}
		f.Gone = append(f.Gone, g)
	}
	return f
}

// A form is what values of a field are.
type form struct {
	typ   *value.Type
	gone  []value.Gap
	calls *calls // not nil: they are the arguments of frames, of these
}

// forms are what is known of the fields of a run while it is read.
type forms struct {
	given  []givenField       // as the file that is read numbers them
	ids    map[string]FieldID // by name: several of one name are one field
	of     []form             // of values that are not settled
	misfit map[FieldID]uint64 // values that don't have the size of their type
	names  map[uint64]string  // of what pointers lead to, as far as the file tells
	calls  calls              // of the samples in their order
}

// name keeps the name of what is at an address.
func (v *forms) name(addr uint64, name string) {
	if v.names == nil {
		v.names = map[uint64]string{}
	}
	v.names[addr] = name
}

type givenField struct {
	field  FieldID // 0: its values cannot be read, or are arguments
	form   uint32  // number of the form, from 1; 0: text
	unread bool    // its type cannot be read
}

// define adds a field that a file tells of.
func (r *Run) define(f PlanField) {
	v := &r.forms
	id := FieldID(0) // that of an argument has no name
	if f.Name != "" {
		id = r.fieldNamed(f.Name)
	}
	g := givenField{field: id}
	switch {
	case string(f.Type) == argumentsType:
		v.of = append(v.of, form{calls: &v.calls})
		g.form = uint32(len(v.of))
	case len(f.Type) > 0:
		typ, err := value.Described(f.Type)
		if err != nil {
			r.Damage = append(r.Damage, fmt.Errorf("%s: values of %s cannot be read: %w", r.Dir, cmp.Or(f.Name, "arguments"), err))
			v.given = append(v.given, givenField{unread: true})
			return
		}
		v.of = append(v.of, form{typ: typ, gone: f.Gone})
		g.form = uint32(len(v.of))
		if r.Types == nil {
			r.Types = map[FieldID][]*value.Type{}
		}
		if id > 0 {
			r.Types[id] = append(r.Types[id], typ)
		}
	}
	v.given = append(v.given, g)
}

// fieldNamed is the field of a name, of which there may be none yet.
func (r *Run) fieldNamed(name string) FieldID {
	v := &r.forms
	id, ok := v.ids[name]
	if !ok {
		if v.ids == nil {
			v.ids = map[string]FieldID{}
		}
		id = FieldID(len(r.Fields))
		v.ids[name] = id
		r.Fields = append(r.Fields, name)
	}
	return id
}

// valued adds a value to a sample whose values have these forms.
func (r *Run) valued(s *Sample, of []uint32, g givenField, written string) []uint32 {
	if g.field == 0 {
		return of
	}
	if g.form > 0 {
		f := r.forms.of[g.form-1]
		ok := false
		if f.calls != nil {
			ok, _ = f.calls.frames(cursor{rest: written}, func(uint32, cursor) {})
			written = argued(s.Node, written)
		} else {
			_, ok = value.Decode(f.typ, f.gone, []byte(written))
		}
		if !ok {
			if r.forms.misfit == nil {
				r.forms.misfit = map[FieldID]uint64{}
			}
			r.forms.misfit[g.field]++
			return of
		}
	}
	s.Fields = append(s.Fields, FieldValue{Field: g.field, Value: written})
	return append(of, g.form)
}

// settleValues makes texts of the values, now that all objects are known in which their pointers may lead.
func (r *Run) settleValues() {
	names := &pointees{given: r.forms.names, objects: r.Objects, start: r.Meta.Start}
	r.Packed.settle(func(n uint32, written string) (shown, raw string) {
		f := r.forms.of[n-1]
		if f.calls != nil {
			raw = r.textOfCalls(f.calls, written, names)
			return raw, raw
		}
		v, _ := value.Decode(f.typ, f.gone, []byte(written))
		if raw = v.Text(names); v.HasViews() {
			return v.Viewed(names), raw
		}
		return raw, raw
	})
	for _, id := range slices.Sorted(maps.Keys(r.forms.misfit)) {
		r.Damage = append(r.Damage, fmt.Errorf("%s: damaged: %d values of %s are shorter than their type", r.Dir, r.forms.misfit[id], r.Fields[id]))
	}
	r.forms = forms{}
}
