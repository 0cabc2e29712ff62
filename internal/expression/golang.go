package expression

import (
	"debug/dwarf"
	"strings"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// golang recognizes Go's string and slices.
func (c *compiler) golang(p place) *shown {
	switch t := p.typ; {
	case len(t.Fields) == 2 && own(t, "str", "len"):
		text, ok := member(p, "str")
		w, kept := words(p, "len", "str")
		if ok && kept && text.typ.Kind == value.Pointer && text.typ.Elem.Size == 1 {
			return textOf(w[0], w[1], false)
		}
	case len(t.Fields) == 3 && own(t, "array", "len", "cap"):
		array, ok := member(p, "array")
		w, kept := words(p, "len", "array", "cap")
		if ok && kept && array.typ.Kind == value.Pointer {
			return sliceOf(value.AsSlice, t.Name, array.typ.Elem, w[0], w[1], w[2])
		}
	}
	return nil
}

// sliceOf is a sequence of a length, with a capacity unless that is nil.
func sliceOf(kind value.ViewKind, name string, elem *value.Type, length, begin, capacity []plan.Instr) *shown {
	if elem.Whole().Size == 0 {
		return nil
	}
	s := textOf(length, begin, false)
	s.kind, s.name, s.elem, s.begin = kind, name, elem, begin
	if capacity != nil {
		s.within(func(a *assembler) { a.push(capacity) })
	}
	return s
}

// rust recognizes Rust's &str, String and Vec.
func (c *compiler) rust(p place) *shown {
	t := p.typ
	name, _, generic := strings.Cut(t.Name, "<")
	name = name[strings.LastIndex(name, ":")+1:] // without its module
	switch {
	case name == "&str" && own(t, "data_ptr", "length"):
		w, kept := words(p, "length", "data_ptr")
		if kept {
			return textOf(w[0], w[1], false)
		}
	case name == "String" && own(t, "vec"):
		vec, ok := member(p, "vec")
		if !ok {
			return nil
		}
		if length, begin, capacity := rustVec(vec); begin != nil {
			return textOf(length, begin, false).within(func(a *assembler) { a.push(capacity) })
		}
	case name == "Vec" && generic && own(t, "buf", "len"):
		elem := c.types.parameter(t, "T")
		if length, begin, capacity := rustVec(p); begin != nil && elem != nil {
			return sliceOf(value.AsVec, "", elem, length, begin, capacity)
		}
	}
	return nil
}

// rustVec is where the length, the elements and the capacity of a Vec are; nil if that is not known.
func rustVec(p place) (length, begin, capacity []plan.Instr) {
	buf, ok := member(p, "buf")
	w, kept := words(p, "len")
	if !ok || !kept {
		return nil, nil, nil
	}
	pointer, ok := firstPointer(buf)
	holder, known := holding(buf, "cap")
	if !ok || !known {
		return nil, nil, nil
	}
	room, ok := member(holder, "cap")
	if inner, wrapped := member(room, "__0"); wrapped {
		room = inner
	}
	begin, capacity = word(pointer), word(room)
	if !ok || begin == nil || capacity == nil {
		return nil, nil, nil
	}
	return w[0], begin, capacity
}

// parameter is the type that a structure's template has as an argument; nil if it has none of this name.
func (ts *types) parameter(t *value.Type, name string) *value.Type {
	for e, known := range ts.known {
		if known != t || e.Tag() != dwarf.TagStructType {
			continue
		}
		for c := range e.Children() {
			if c.Tag() == dwarf.TagTemplateTypeParameter && c.Name() == name {
				return ts.typeOf(c)
			}
		}
	}
	return nil
}
