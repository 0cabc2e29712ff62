package expression

import (
	"debug/dwarf"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// outliers is what is shown with an object and lies outside of it: static members, virtual base classes,
// and the addresses of arrays without elements. Their bytes are written behind the object's, and the type
// of the value says where.
type outliers struct {
	c      *compiler
	code   []plan.Instr // writes them
	end    uint64       // of the bytes so far
	places map[*value.Field]place
	bases  []string // virtual base classes that are there already
	most   int64    // characters of a text
	// lacking is set where a static member is left out of a structure that is shown as something else.
	lacking bool
}

// shape returns the type of the value of a place, whose bytes begin at base, with the places of outliers.
func (o *outliers) shape(p place, t *value.Type, base uint64, depth int) (*value.Type, error) {
	if !outlying(t, 0) {
		return t, nil
	}
	if t.Kind == value.Array || depth > mostHops {
		return nil, refusef("an array of objects with static members or virtual base classes")
	}
	own := *t
	own.Fields = make([]value.Field, 0, len(t.Fields)) // which places refers to
	for i := range t.Fields {
		f := t.Fields[i]
		q := place{}
		var err error
		switch {
		case f.Virtual:
			if q, err = o.base(p, &t.Fields[i], &f, base, depth); err == nil && f.Type == nil {
				continue
			}
		case f.Static:
			end, code := o.end, len(o.code)
			if q, err = o.static(&t.Fields[i], &f, base); err != nil && o.c.recognized(p) != nil {
				o.end, o.code, o.lacking = end, o.code[:code], true
				continue // people do not see it
			}
		case f.Type.Kind == value.Array && f.Type.Size == 0:
			if p.addr == nil {
				return nil, refusef("an array without elements that is not in memory")
			}
			f.Type = pointerTo(f.Type.Elem)
			q = place{typ: f.Type, word: p.at(f.Offset, f.Type).addr}
			f.Offset, err = o.put(q, base)
		case f.BitSize == 0:
			q = p.at(f.Offset, f.Type)
			f.Type, err = o.shape(q, f.Type, base+f.Offset, depth+1)
		}
		if err != nil {
			return nil, err
		}
		own.Fields = append(own.Fields, f)
		o.places[&own.Fields[len(own.Fields)-1]] = q
	}
	if depth == 0 {
		own.Size = o.end
	}
	return &own, nil
}

// put writes a value behind the others, and returns where that is from base on.
func (o *outliers) put(p place, base uint64) (uint64, error) {
	at := o.end - base
	size := p.typ.Size
	o.end += size
	if p.gone() {
		o.code = append(o.code, plan.Instr{Op: plan.OutGone, Arg: int64(size)})
		return at, nil
	}
	code, err := p.out()
	o.code = append(o.code, code...)
	return at, err
}

func (o *outliers) static(of, f *value.Field, base uint64) (place, error) {
	q, err := o.c.static(of)
	if err != nil {
		return place{}, err
	}
	switch f.Type = q.typ.Whole(); f.Type.Kind {
	case value.Structure, value.Array, value.Unknown, value.Void, value.Function:
		return place{}, refusef("a static member that is no number")
	}
	f.Offset, err = o.put(q, base)
	return q, err
}

// base writes a virtual base class, once: the type of another time is nil.
func (o *outliers) base(p place, of, f *value.Field, base uint64, depth int) (place, error) {
	for _, known := range o.bases {
		if known == f.Type.Name {
			f.Type = nil
			return place{}, nil
		}
	}
	o.bases = append(o.bases, f.Type.Name)
	q, err := o.c.virtualBase(p, of)
	if err != nil {
		return place{}, err
	}
	if f.Offset, err = o.put(q, base); err != nil {
		return place{}, err
	}
	f.Type, err = o.shape(q, f.Type, base+f.Offset, depth+1)
	return q, err
}

// outlying reports whether something is shown with a value of the type that is not in its bytes.
func outlying(t *value.Type, depth int) bool {
	switch t.Whole(); t.Kind {
	case value.Array:
		return t.Size > 0 && outlying(t.Elem, depth)
	case value.Structure:
		for i := range t.Fields {
			f := &t.Fields[i]
			f.Type.Whole()
			if f.Static || f.Virtual || f.Type.Kind == value.Array && f.Type.Size == 0 || depth < mostNested && outlying(f.Type, depth+1) {
				return true
			}
		}
	}
	return false
}

// static is where a static member is.
func (c *compiler) static(f *value.Field) (place, error) {
	e := c.types.outlying[f]
	if e.Has(dwarf.AttrConstValue) {
		return c.placeOf(e, f.Type)
	}
	if path := e.Path(); len(path) > 0 {
		if v, ok := c.outside(path); ok && !v.gone && v.entry.OK() {
			return c.variable(v)
		}
	}
	return place{}, refusef("a static member that another object may have")
}

// virtualBase is where a virtual base class of an object is, as its table of virtual functions says.
func (c *compiler) virtualBase(p place, f *value.Field) (place, error) {
	e := c.types.outlying[f]
	expr := e.Block(dwarf.AttrDataMemberLoc)
	if p.addr == nil || len(expr) == 0 {
		return place{}, refusef("a virtual base class of an object that is not in memory")
	}
	l := &locator{c: c, of: e, b: expr, code: p.addr[:len(p.addr):len(p.addr)], types: []*value.Type{nil}}
	if err := l.all(); err != nil {
		return place{}, err
	}
	if l.bad || l.jumps || l.parts != nil || l.data != nil || l.register || l.isValue {
		return place{}, refusef("a virtual base class whose place is not understood")
	}
	return place{typ: f.Type.Whole(), addr: l.code}, nil
}

// fails reports whether instructions end at once.
func fails(code []plan.Instr) bool { return len(code) > 0 && code[0].Op == plan.Fail }

// mostText is how much of a text is read: as much as gdb shows.
const mostText = value.MostText

// texts returns instructions that append what the pointers to characters lead to, in their order in the
// value.
func (o *outliers) texts(p place, n *int) ([]plan.Instr, error) {
	t := p.typ.Whole()
	var all []plan.Instr
	add := func(q place) error {
		if *n >= mostText {
			return nil
		}
		code, err := o.texts(q, n)
		all = append(all, code...)
		return err
	}
	switch t.Kind {
	case value.Pointer:
		if !t.IsText() || p.gone() || p.isSynthetic() {
			return nil, nil
		}
		*n++
		code, err := p.load()
		width := int64(t.Elem.Size)
		if width == 1 {
			return append(code[:len(code):len(code)], plan.Instr{Op: plan.OutText, Arg: o.most}), err
		}
		return append(code[:len(code):len(code)], plan.Instr{Op: plan.OutText, Size: uint8(width), Arg: o.most * width}), err
	case value.Structure:
		for i := range t.Fields {
			f := &t.Fields[i]
			if f.BitSize > 0 {
				continue
			}
			q, known := o.places[f]
			if !known {
				q = p.at(f.Offset, f.Type)
			}
			q.typ = f.Type
			if err := add(q); err != nil {
				return nil, err
			}
		}
	case value.Array:
		if pointers(t.Elem, 0) {
			for i := range min(t.Count, mostText) {
				if err := add(p.at(uint64(i)*t.Elem.Size, t.Elem)); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// pointers reports whether there are pointers to characters in a value of the type.
func pointers(t *value.Type, depth int) bool {
	t.Whole()
	switch {
	case depth == mostNested:
		return true
	case t.Kind == value.Pointer:
		return t.IsText()
	case t.Kind == value.Array:
		return pointers(t.Elem, depth+1)
	case t.Kind == value.Structure:
		for i := range t.Fields {
			if pointers(t.Fields[i].Type, depth+1) {
				return true
			}
		}
	}
	return false
}
