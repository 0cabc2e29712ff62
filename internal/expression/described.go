package expression

import (
	"debug/dwarf"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// tagStringType is a text of Fortran.
const tagStringType dwarf.Tag = 0x12

// text makes t a text of Fortran, if its length is known.
func (ts *types) text(t *value.Type, e debuginfo.Entry) {
	size, _, ok := e.Const(dwarf.AttrByteSize)
	if !ok || e.Has(dwarf.AttrStringLength) || e.Has(dwarf.AttrDataLocation) || e.Has(dwarf.AttrType) {
		*t = *refused("a string of variable length")
		return
	}
	t.Kind, t.Count, t.Lower, t.Size = value.Array, int64(size), 1, size
	t.Elem = &value.Type{Kind: value.Character, Name: "character", Size: 1}
}

// describedElement is an element of an array of which the program, not the debug data, knows where it is or what
// bounds it has: a pointer, an allocatable or assumed-shape array of Fortran, an array whose bounds are variables.
func (c *compiler) describedElement(p place, e debuginfo.Entry, indices []place) (place, error) {
	if p.addr == nil {
		return place{}, refusef("an element of an array that is not in memory")
	}
	elem := p.typ.Elem.Whole()
	if elem.Size == 0 || c.types.isDescribed(elem) || e.Has(dwarf.AttrStride) || e.Has(dwarf.AttrStrideSize) || e.Has(dwarf.AttrRank) {
		return place{}, refusef("elements of unknown size")
	}
	code := p.addr
	for _, attr := range []dwarf.Attr{dwarf.AttrAllocated, dwarf.AttrAssociated} {
		if e.Has(attr) {
			there, err := c.asked(e, attr, p.addr)
			if err != nil {
				return place{}, err
			}
			code = join(there, []plan.Instr{{Op: plan.JumpZero, Arg: 1}, {Op: plan.Jump, Arg: 1}, {Op: plan.Fail, Arg: int64(plan.OutOfBounds)}}, code)
		}
	}
	if e.Has(dwarf.AttrDataLocation) {
		at, err := c.asked(e, dwarf.AttrDataLocation, p.addr)
		if err != nil {
			return place{}, err
		}
		code = join(code[:len(code)-len(p.addr)], at)
	}
	var dims []debuginfo.Entry
	for d := range e.Children() {
		if d.Tag() == dwarf.TagSubrangeType {
			dims = append(dims, d)
		}
	}
	if len(dims) != len(indices) {
		return place{}, refusef("%d indices of an array of %d dimensions", len(indices), len(dims))
	}
	// The dimension whose elements lie beside each other comes first.
	stride := []plan.Instr{{Op: plan.Const, Arg: int64(elem.Size)}}
	for k := range dims {
		if e.Language() != debuginfo.Fortran {
			k = len(dims) - 1 - k
		}
		d := dims[k]
		lower := []plan.Instr{{Op: plan.Const, Arg: lowest(d)}}
		var err error
		if d.Has(dwarf.AttrLowerBound) {
			if lower, err = c.asked(d, dwarf.AttrLowerBound, p.addr); err != nil {
				return place{}, err
			}
		}
		var count []plan.Instr
		switch {
		case d.Has(dwarf.AttrCount):
			count, err = c.asked(d, dwarf.AttrCount, p.addr)
		case d.Has(dwarf.AttrUpperBound):
			if count, err = c.asked(d, dwarf.AttrUpperBound, p.addr); err == nil {
				count = join(count, lower, []plan.Instr{{Op: plan.Sub}, {Op: plan.Const, Arg: 1}, {Op: plan.Add}})
			}
		default:
			err = refusef("an array of unknown length")
		}
		if err != nil {
			return place{}, err
		}
		step := stride
		if d.Has(attrByteStride) {
			if step, err = c.asked(d, attrByteStride, p.addr); err != nil {
				return place{}, err
			}
		} else {
			stride = join(stride, count, []plan.Instr{{Op: plan.Mul}})
		}
		i, err := indices[k].load()
		if err != nil {
			return place{}, err
		}
		code = join(code, i, lower, []plan.Instr{{Op: plan.Sub}}, within(count), step, []plan.Instr{{Op: plan.Mul}, {Op: plan.Add}})
	}
	return place{typ: elem, addr: code}, nil
}

const attrByteStride dwarf.Attr = 0x51

func (ts *types) isDescribed(t *value.Type) bool { _, ok := ts.described[t]; return ok }

// asked pushes what an attribute of a type says of the object at an address: a number, the value of an expression or
// of a variable.
func (c *compiler) asked(e debuginfo.Entry, attr dwarf.Attr, object []plan.Instr) ([]plan.Instr, error) {
	if v, _, ok := e.Const(attr); ok {
		return []plan.Instr{{Op: plan.Const, Arg: signed(int64(v), e)}}, nil
	}
	if of := e.Ref(attr); of.OK() {
		p, err := c.placeOf(of, c.types.typeOf(of))
		if err != nil {
			return nil, err
		}
		if !p.typ.Integral() {
			return nil, refusef("an array that is not understood")
		}
		return p.load()
	}
	expr := e.Block(attr)
	if expr == nil {
		list := e.Locations(attr)
		if list == nil {
			return nil, refusef("an array that is not understood")
		}
		ok := false
		if expr, ok = c.at(list); !ok {
			return []plan.Instr{{Op: plan.Fail, Arg: int64(plan.OptimizedOut)}, {Op: plan.Const}}, nil
		}
	}
	l := &locator{c: c, of: e, b: expr, object: object}
	if err := l.all(); err != nil {
		return nil, err
	}
	if l.bad || l.parts != nil || l.data != nil || len(l.code) == 0 || l.synthetic.OK() {
		return nil, refusef("an array that is not understood")
	}
	return l.code, nil
}
