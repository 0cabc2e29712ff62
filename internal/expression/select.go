package expression

import (
	"strings"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// selected is a variable of a dialect with its members and indices.
func (c *compiler) selected(x *postfix) (place, error) {
	p, rest, err := c.first(x)
	for i := 0; err == nil && i < len(rest); i++ {
		s := &rest[i]
		switch {
		case s.Call && !c.dialect.brackets:
			return place{}, refusef("a call of a function")
		case s.Call:
			p, err = c.element(p, s.Args)
		case s.Index != nil:
			p, err = c.element(p, []expression{*s.Index})
		case s.Member == "all" && c.dialect.language == value.Ada:
			p, err = c.deref(p)
		default:
			if p, err = c.dereferenced(p); err == nil && p.typ.Kind == value.Pointer {
				p, err = c.deref(p)
			}
			if err == nil {
				p, err = c.selectField(p, s.Member)
			}
		}
	}
	return p, err
}

// first is what a run of members and indices begins with, and those of them that are left: a name with that of its
// package before it is one name, unless there is a variable with the name of the package.
func (c *compiler) first(x *postfix) (place, []suffix, error) {
	if name := x.Primary.Name; c.dialect.language == value.Go && (name == "len" || name == "cap") && len(x.Suffixes) > 0 && len(x.Suffixes[0].Args) == 1 {
		p, err := c.lengthOf(name, &x.Suffixes[0].Args[0])
		return p, x.Suffixes[1:], err
	}
	p, err := c.primary(&x.Primary)
	if err == nil || c.dialect.joint == "" || x.Primary.Name == "" || err.Error() != unknown(x.Primary.Name).Error() {
		return p, x.Suffixes, err
	}
	name := x.Primary.Name
	for i := range x.Suffixes {
		s := &x.Suffixes[i]
		if s.Member == "" {
			break
		}
		name += c.dialect.joint + s.Member
		for _, full := range c.qualifiedBy([]string{name}) {
			if v, ok := c.outside(full); ok {
				p, err := c.variable(v)
				return p, x.Suffixes[i+1:], err
			}
		}
	}
	return place{}, nil, err
}

// element is the element of an array at some indices, one of each dimension.
func (c *compiler) element(p place, at []expression) (place, error) {
	p, err := c.dereferenced(p)
	if err != nil {
		return place{}, err
	}
	if p.typ.Kind == value.Pointer && c.dialect.brackets {
		if p, err = c.deref(p); err != nil {
			return place{}, err
		}
	}
	var indices []place
	for i := range at {
		n, err := c.expression(&at[i])
		if err != nil {
			return place{}, err
		}
		if !n.typ.Integral() || n.typ.Kind == value.Boolean && c.dialect.language != value.Ada {
			return place{}, refusef("an index that is not an integer")
		}
		indices = append(indices, n)
	}
	t := p.typ.Whole()
	switch {
	case t.Kind == value.Unknown:
		return place{}, refusef("%s", describe(t))
	case t.Kind == value.Structure:
		return c.sliced(p, indices)
	case t.Kind != value.Array || t.Elem.Kind == value.Character && c.dialect.language == value.Fortran:
		return place{}, refusef("an index of %s", describe(t))
	}
	if d, ok := c.types.described[t]; ok {
		return c.describedElement(p, d, indices)
	}
	for i := range indices {
		n := indices[i]
		if c.dialect.language == value.Fortran {
			n = indices[len(indices)-1-i] // the first one counts within the last one
		}
		if p.typ.Whole().Kind != value.Array {
			return place{}, refusef("more indices than dimensions")
		}
		if p, err = c.bounded(p, n); err != nil {
			return place{}, err
		}
	}
	if c.dialect.language == value.Fortran && p.typ.Kind == value.Array && p.typ.Elem.Kind != value.Character {
		return place{}, refusef("fewer indices than dimensions")
	}
	return p, nil
}

// bounded is an element of an array whose bounds are known.
func (c *compiler) bounded(p, n place) (place, error) {
	if p.addr == nil || p.typ.Count < 0 {
		return place{}, refusef("an element of an array that is not in memory")
	}
	i, err := n.load()
	if err != nil {
		return place{}, err
	}
	i = append(i, plan.Instr{Op: plan.Const, Arg: p.typ.Lower}, plan.Instr{Op: plan.Sub})
	return element(p.typ.Elem, p.addr, i, []plan.Instr{{Op: plan.Const, Arg: p.typ.Count}})
}

// within ends the plan unless the word on the stack is from 0 on and less than a number.
func within(count []plan.Instr) []plan.Instr {
	fail := []plan.Instr{{Op: plan.JumpZero, Arg: 1}, {Op: plan.Jump, Arg: 1}, {Op: plan.Fail, Arg: int64(plan.OutOfBounds)}}
	return join([]plan.Instr{{Op: plan.Dup}}, count, []plan.Instr{{Op: plan.LtS}}, fail,
		[]plan.Instr{{Op: plan.Const}, {Op: plan.Pick, Arg: 1}, {Op: plan.LeS}}, fail)
}

// sliced is an element of a slice or a string, which are structures.
func (c *compiler) sliced(p place, indices []place) (place, error) {
	data, length := "", "len"
	switch t := p.typ; {
	case c.dialect.language == value.Go && strings.HasPrefix(t.Name, "[]"):
		data = "array"
	case c.dialect.language == value.Go && t.Name == "string":
		data = "str"
	case c.dialect.language == value.Rust && strings.HasPrefix(t.Name, "&") && strings.Contains(t.Name, "["):
		data, length = "data_ptr", "length"
	case c.dialect.language == value.Ada && len(t.Fields) == 2 && t.Fields[0].Name == "P_ARRAY" && t.Fields[1].Name == "P_BOUNDS":
		return c.besideBounds(p, indices)
	default:
		return place{}, refusef("an index of %s", describe(t))
	}
	pointer, err := c.selectField(p, data)
	if err != nil {
		return place{}, err
	}
	count, err := c.selectField(p, length)
	if err != nil {
		return place{}, err
	}
	if len(indices) != 1 || pointer.typ.Kind != value.Pointer {
		return place{}, refusef("an index of %s", describe(p.typ))
	}
	i, err := indices[0].load()
	if err != nil {
		return place{}, err
	}
	base, err := pointer.load()
	if err != nil {
		return place{}, err
	}
	n, err := count.load()
	if err != nil {
		return place{}, err
	}
	return element(pointer.typ.Elem, base, i, n)
}

// element is the one of a number, from 0, of as many as there are from an address on.
func element(typ *value.Type, first, number, count []plan.Instr) (place, error) {
	e := typ.Whole()
	if e.Size == 0 {
		return place{}, refusef("elements of unknown size")
	}
	return place{typ: e, addr: join(first, number, within(count), []plan.Instr{{Op: plan.Const, Arg: int64(e.Size)}, {Op: plan.Mul}, {Op: plan.Add}})}, nil
}

// lengthOf is the length or capacity of a slice or string of Go.
func (c *compiler) lengthOf(name string, of *expression) (place, error) {
	p, err := c.expression(of)
	if err != nil {
		return place{}, err
	}
	if !strings.HasPrefix(p.typ.Name, "[]") && (p.typ.Name != "string" || name == "cap") {
		return place{}, refusef("%s of %s", name, describe(p.typ))
	}
	return c.selectField(p, name)
}

// besideBounds is an element of an array of Ada whose bounds lie beside it.
func (c *compiler) besideBounds(p place, indices []place) (place, error) {
	array, err := c.selectField(p, "P_ARRAY")
	if err != nil {
		return place{}, err
	}
	bounds, err := c.selectField(p, "P_BOUNDS")
	if err != nil {
		return place{}, err
	}
	if array.typ.Kind != value.Pointer || array.typ.Elem.Kind != value.Array || array.typ.Elem.Elem.Kind == value.Array || len(indices) != 1 {
		return place{}, refusef("an index of %s", describe(p.typ))
	}
	if bounds, err = c.deref(bounds); err != nil {
		return place{}, err
	}
	var of [2][]plan.Instr
	for i, name := range []string{"LB0", "UB0"} {
		b, err := c.selectField(bounds, name)
		if err != nil {
			return place{}, err
		}
		if of[i], err = b.load(); err != nil {
			return place{}, err
		}
	}
	base, err := array.load()
	if err != nil {
		return place{}, err
	}
	i, err := indices[0].load()
	if err != nil {
		return place{}, err
	}
	e := array.typ.Elem.Elem.Whole()
	if e.Size == 0 {
		return place{}, refusef("elements of unknown size")
	}
	count := join(of[1], of[0], []plan.Instr{{Op: plan.Sub}, {Op: plan.Const, Arg: 1}, {Op: plan.Add}})
	return place{typ: e, addr: join(base, i, of[0], []plan.Instr{{Op: plan.Sub}}, within(count), []plan.Instr{{Op: plan.Const, Arg: int64(e.Size)}, {Op: plan.Mul}, {Op: plan.Add}})}, nil
}

// calculate applies a binary operator of a dialect.
func (c *compiler) calculate(op string, a, b place) (place, error) {
	if err := c.dialect.operands(op, a, b); err != nil {
		return place{}, err
	}
	if op == "&&" || op == "||" {
		return c.logic(op, a, b)
	}
	a, b, err := c.promoted(a, b)
	if err != nil {
		return place{}, err
	}
	return c.apply(op, a, b)
}

// shown is the type of a value in the form of the function's language.
func (c *compiler) shown(t *value.Type) *value.Type {
	if c.dialect == nil {
		return t
	}
	own := *t
	own.Language = c.dialect.language
	return &own
}

// mostElements is how many numbers a value of Fortran may have: of more, gdb shows the first ones in its own way.
const mostElements = 200

// plain refuses types, of which the value has a number, that are shown in a way that is not the value's own.
func (c *compiler) plain(t *value.Type, number int64, depth int) error {
	language := c.dialect.language
	t.Whole()
	if depth > mostHops {
		return refusef("a value of too many members")
	}
	switch t.Kind {
	case value.Array:
		if c.types.isDescribed(t) {
			return refusef("an array of variable length")
		}
		if t.Lower != 1 && language == value.Ada && !t.Named && t.Elem.Kind == value.Character {
			return refusef("a string whose lowest index is not 1")
		}
		if number *= max(t.Count, 1); t.Elem.Kind != value.Character && language == value.Fortran && (number > mostElements || t.Count > mostElements) {
			return refusef("an array of more than %d elements", mostElements)
		}
		return c.plain(t.Elem, number, depth+1)
	case value.Structure:
		switch {
		case language == value.Go && t.Name == "string":
			c.lacking = true
		case language == value.Rust && len(t.Fields) == 2 && t.Fields[0].Name == "data_ptr" && t.Fields[1].Name == "length":
			c.lacking = true
		case language == value.Ada && len(t.Fields) == 0:
			return refusef("a record without components")
		case language == value.Ada && t.Fields[0].Name == "P_ARRAY":
			return refusef("an array whose bounds are stored beside it")
		case language == value.Ada && strings.HasPrefix(t.Fields[0].Name, "_"):
			return refusef("a tagged record")
		case language == value.Fortran && len(t.Fields) == 0:
			return refusef("a value without members")
		}
		for i := range t.Fields {
			if err := c.plain(t.Fields[i].Type, number, depth+1); err != nil {
				return err
			}
		}
	case value.Incomplete, value.MemberPointer:
		return refusef("%s", describe(t))
	case value.Character:
		if t.Size > 1 && language != value.Rust {
			return refusef("a wide character")
		}
	case value.Reference:
		return refusef("a member that is a reference")
	case value.Integer:
		if language == value.Ada && t.Name == "system__address" {
			return refusef("an address of Ada")
		}
	case value.Pointer:
		if t.Elem.Kind == value.Character && (language == value.Ada || language == value.Fortran) {
			return refusef("a pointer to characters")
		}
	}
	return nil
}
