package expression

import (
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// A kinship is how a class lies within another one.
type kinship struct {
	offset  uint64
	times   int  // it is a base so often; 0: it is none
	virtual bool // its place depends on the object
}

// baseOf is how the class t has the other as a base.
func baseOf(t, base *value.Type, depth int) (k kinship) {
	if depth > mostNested {
		return kinship{}
	}
	for i := range t.Whole().Fields {
		f := &t.Fields[i]
		if !f.Base {
			continue
		}
		in := kinship{times: 1}
		if f.Type.Name != base.Name {
			in = baseOf(f.Type, base, depth+1)
		}
		if in.times > 0 {
			k = kinship{offset: f.Offset + in.offset, times: k.times + in.times, virtual: k.virtual || in.virtual || f.Virtual}
		}
	}
	return k
}

// dynamic reports whether objects of the class tell what they are a part of, by which a debugger finds the whole.
func dynamic(t *value.Type, depth int) bool {
	for i := range t.Whole().Fields {
		f := &t.Fields[i]
		if f.Virtual || len(f.Name) > 5 && f.Name[:5] == "_vptr" || f.Base && depth < mostNested && dynamic(f.Type, depth+1) {
			return true
		}
	}
	return false
}

// between is how far a pointer is moved that is cast from one class to another: to a base in it.
func between(from, to *value.Type) (offset uint64, err error) {
	if from.Kind != value.Structure || to.Kind != value.Structure || from.Union || to.Union || from.Name == to.Name {
		return 0, nil
	}
	up, down := baseOf(from, to, 0), baseOf(to, from, 0)
	switch {
	case up.times == 1 && !up.virtual:
		return up.offset, nil
	case up.times == 0 && down.times == 1 && !down.virtual && down.offset == 0:
		return 0, nil
	case up.times == 0 && down.times == 0 && !dynamic(from, 0):
		return 0, nil
	}
	return 0, refusef("a cast between classes whose places depend on the object")
}

// castPointer makes a pointer to another class of one that leads to a class: to the part of the object that is of this
// class. One that leads nowhere stays so.
func castPointer(word []plan.Instr, from, to *value.Type) ([]plan.Instr, error) {
	offset, err := between(from.Elem.Whole(), to.Elem.Whole())
	if err != nil || offset == 0 {
		return word, err
	}
	return join(word, []plan.Instr{{Op: plan.Dup}, {Op: plan.JumpZero, Arg: 2}, {Op: plan.Const, Arg: int64(offset)}, {Op: plan.Add}}), nil
}

// castReference makes a reference to a class of an object: to it, or to the part of it that is of this class.
func (c *compiler) castReference(p place, t *value.Type) (place, error) {
	to := t.Elem.Whole()
	if p.addr == nil || p.typ.Kind != value.Structure || to.Kind != value.Structure || p.bits.size > 0 {
		return place{}, refusef("a cast to a reference")
	}
	offset, err := between(p.typ.Whole(), to)
	if err != nil {
		return place{}, err
	}
	if p.typ.Name != to.Name && baseOf(p.typ, to, 0).times == 0 && baseOf(to, p.typ, 0).times == 0 {
		return place{}, refusef("a cast to a reference")
	}
	return place{typ: t, word: p.at(offset, to).addr}, nil
}
