package expression

import (
	"debug/dwarf"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
	"slices"
	"strings"
)

// tagged returns which kinds of types a word before a type's name means.
func tagged(word string) func(dwarf.Tag) bool {
	return func(t dwarf.Tag) bool {
		switch word {
		case "struct", "class":
			return record(t)
		case "union":
			return t == dwarf.TagUnionType
		case "enum":
			return t == dwarf.TagEnumerationType
		}
		// In C the names behind struct, union and enum are of their own.
		return true
	}
}

// dereferenced is what a reference refers to; other places stay as they are.
func (c *compiler) dereferenced(p place) (place, error) {
	if p.typ.Kind != value.Reference {
		return p, nil
	}
	addr, err := p.loadReference()
	return place{typ: p.typ.Elem, addr: addr}, err
}

// loadReference pushes the address that a reference holds.
func (p place) loadReference() ([]plan.Instr, error) {
	return place{typ: dataPointer, addr: p.addr, word: p.word, parts: p.parts}.load()
}

// deref is what a pointer leads to.
func (c *compiler) deref(p place) (place, error) {
	p, err := c.dereferenced(p)
	if err != nil {
		return place{}, err
	}
	switch p.typ.Kind {
	case value.Pointer:
		if p.isSynthetic() {
			return c.kept(p)
		}
		addr, err := p.load()
		return place{typ: p.typ.Elem, addr: addr}, err
	case value.Array:
		if !p.typ.Vector && c.dialect == nil {
			return p.at(0, p.typ.Elem), nil
		}
	case value.Integer:
		if c.dialect != nil {
			break
		}
		// gdb takes a number for the address of a long.
		addr, err := p.load()
		return place{typ: longType, addr: addr}, err
	case value.Function:
		return p, nil
	}
	return place{}, &Refusal{Why: "Attempt to take contents of a non-pointer value."}
}

// kept is what a pointer leads to that the program does not keep, while it keeps that.
func (c *compiler) kept(p place) (place, error) {
	if c.nested++; c.nested > mostNested {
		return place{}, refusef("locations that refer to each other")
	}
	defer func() { c.nested-- }()
	q := p.parts[0]
	of, err := c.placeOf(q.synthetic, c.types.typeOf(q.synthetic))
	if err != nil {
		return place{}, err
	}
	if q.offset < 0 || uint64(q.offset)+p.typ.Elem.Size > of.typ.Size {
		return place{}, refusef("a pointer behind what it points to")
	}
	if of.word != nil {
		return place{typ: p.typ.Elem, word: of.word}, nil
	}
	return of.at(uint64(q.offset), p.typ.Elem), nil
}

// selectField is a member of a structure.
func (c *compiler) selectField(p place, name string) (place, error) {
	t := p.typ.Whole()
	if t.Kind != value.Structure {
		if t.Kind == value.Unknown {
			return place{}, refusef("%s", describe(t))
		}
		return place{}, &Refusal{Why: "Attempt to extract a component of a value that is not a structure."}
	}
	steps, ok := field(t, name)
	if path := pathOf(name); len(path) > 1 {
		last := len(path) - 1
		steps, ok = qualified(t, strings.Join(path[:last], "::"), path[last], 0)
		if slices.ContainsFunc(steps, func(f *value.Field) bool { return f.Virtual }) {
			return place{}, refusef("a qualified member of a virtual base class") // gdb takes it from another place
		}
	}
	if !ok {
		return place{}, &Refusal{Why: "There is no member named " + name + "."}
	}
	for _, f := range steps {
		if f.Static {
			q, err := c.static(f)
			if fails(p.addr) {
				q = place{typ: q.typ, addr: p.addr}
			}
			return q, err
		}
		if f.Virtual {
			var err error
			if p, err = c.virtualBase(p, f); err != nil {
				return place{}, err
			}
			continue
		}
		if f.BitSize > 0 {
			p.bits = bits{f.BitOffset, f.BitSize}
			p.typ = f.Type
			return p, nil
		}
		p = p.at(f.Offset, f.Type)
		f.Type.Whole()
	}
	return p, nil
}

// qualified finds a member of the base class, or of the class itself, that is named before it.
func qualified(t *value.Type, class, name string, depth int) ([]*value.Field, bool) {
	t.Whole()
	if t.Name == class || strings.HasSuffix(t.Name, "::"+class) {
		return field(t, name)
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Base && depth < mostNested {
			if steps, ok := qualified(f.Type, class, name, depth+1); ok {
				return append([]*value.Field{f}, steps...), true
			}
		}
	}
	return nil, false
}

// field finds a member, those of anonymous structures and base classes included, as the way to it.
func field(t *value.Type, name string) ([]*value.Field, bool) { return fieldWithin(t, name, 0) }

func fieldWithin(t *value.Type, name string, depth int) ([]*value.Field, bool) {
	t.Whole()
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Name == name && !f.Base {
			return []*value.Field{f}, true
		}
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if (f.Name == "" || f.Base) && f.Type.Kind == value.Structure && f.Type != t && depth < mostNested {
			if steps, ok := fieldWithin(f.Type, name, depth+1); ok {
				return append([]*value.Field{f}, steps...), true
			}
		}
	}
	return nil, false
}

// index is an element of an array or of what a pointer leads to.
func (c *compiler) index(p, n place) (place, error) {
	p, err := c.dereferenced(p)
	if err != nil {
		return place{}, err
	}
	if n, err = c.dereferenced(n); err != nil {
		return place{}, err
	}
	if !n.typ.Integral() {
		return place{}, refusef("an index that is not an integer")
	}
	i, err := n.load()
	if err != nil {
		return place{}, err
	}
	var base []plan.Instr
	switch {
	case p.typ.Kind == value.Pointer:
		base, err = p.load()
	case p.typ.Kind == value.Array && p.addr != nil:
		base = p.addr
		if p.typ.Lower != 0 {
			i = join(i, []plan.Instr{{Op: plan.Const, Arg: p.typ.Lower}, {Op: plan.Sub}})
		}
	case p.typ.Kind == value.Array:
		at := i[0].Arg - p.typ.Lower
		if len(i) > 1 && !isConst(i) || i[0].Op != plan.Const || at < 0 || at >= p.typ.Count {
			return place{}, refusef("an element of an array that is not in memory")
		}
		e := p.typ.Elem.Whole()
		return p.at(uint64(at)*e.Size, e), nil
	default:
		return place{}, &Refusal{Why: "cannot subscript something of type `" + p.typ.Name + "'"}
	}
	if err != nil {
		return place{}, err
	}
	e := p.typ.Elem.Whole()
	if e.Size == 0 {
		return place{}, refusef("elements of unknown size")
	}
	return place{typ: e, addr: join(base, i, []plan.Instr{{Op: plan.Const, Arg: int64(e.Size)}, {Op: plan.Mul}, {Op: plan.Add}})}, nil
}

// isConst reports whether instructions push a number of the source, brought to the size of its type.
func isConst(code []plan.Instr) bool {
	return len(code) == 2 && code[0].Op == plan.Const && code[1].Op == plan.Extend && code[0].Arg == int64(int32(code[0].Arg))
}

// prefix applies an operator before its operand.
func (c *compiler) prefix(op string, p place) (place, error) {
	switch op {
	case "*":
		return c.deref(p)
	case "&":
		p, err := c.dereferenced(p)
		if err != nil {
			return place{}, err
		}
		if p.addr == nil || p.bits.size > 0 {
			return place{}, &Refusal{Why: "Attempt to take address of value not located in memory."}
		}
		return place{typ: pointerTo(p.typ), word: p.addr}, nil
	}
	p, err := c.dereferenced(p)
	if err != nil {
		return place{}, err
	}
	if c.dialect != nil {
		if err := c.dialect.operands(op, p); err != nil {
			return place{}, err
		}
	}
	if op == "!" {
		test, err := c.condition(p)
		t := intType
		if c.cxx() || c.dialect != nil {
			t = boolType
		}
		return place{typ: t, word: join(test, []plan.Instr{{Op: plan.Const}, {Op: plan.Eq}})}, err
	}
	if isExtended(p.typ) {
		switch word, err := c.extended(p); {
		case op == "+":
			return place{typ: p.typ, word: word}, err
		case op == "-":
			return place{typ: p.typ, word: join([]plan.Instr{{Op: plan.Const}, {Op: plan.Const}}, word, []plan.Instr{{Op: plan.XSub}})}, err
		}
		return place{}, refusef("~ of a number with a fraction")
	}
	if p, err = c.operand(p); err != nil {
		return place{}, err
	}
	switch {
	case op == "+":
	case op == "-" && p.typ.Kind == value.Float:
		// As gdb does: the sign of zero stays.
		p.word = join([]plan.Instr{{Op: plan.Const}}, p.word, []plan.Instr{{Op: plan.FSub}})
	case op == "-":
		p.word = join(p.word, []plan.Instr{{Op: plan.Neg}}, fit(p.typ))
	case p.typ.Kind == value.Float:
		return place{}, refusef("~ of a number with a fraction")
	default:
		p.word = join(p.word, []plan.Instr{{Op: plan.Not}}, fit(p.typ))
	}
	return p, nil
}

// operand loads a number for an operator that gdb lets the type of an enumeration through, and of a wide character where
// that has a type of its own.
func (c *compiler) operand(p place) (place, error) {
	n, err := c.number(p)
	if k := p.typ.Kind; err == nil && (k == value.Enumeration || k == value.Character && c.cxx()) && p.typ.Size >= 4 {
		n.typ = p.typ
	}
	return n, err
}

// number loads a number and promotes it as C does: whole numbers that are smaller than an int to one.
func (c *compiler) number(p place) (place, error) {
	p, err := c.dereferenced(p)
	if err != nil {
		return place{}, err
	}
	if !p.typ.Scalar() || p.typ.Kind == value.Pointer {
		return place{}, refusef("arithmetic with %s", describe(p.typ))
	}
	word, err := p.load()
	if err != nil {
		return place{}, err
	}
	t := p.typ
	if t.Kind != value.Float {
		switch {
		case t.Size < 4:
			t = intType
		case t.Kind != value.Integer || t.Size == 4 || t.Size == 8:
			t = sized(t.Size, t.Signed)
		}
	}
	return place{typ: t, word: word}, nil
}

func sized(size uint64, signed bool) *value.Type {
	switch {
	case size <= 4 && signed:
		return intType
	case size <= 4:
		return uintType
	case signed:
		return longType
	}
	return ulongType
}

// promoted brings two numbers to one type, as C's operators do.
func (c *compiler) promoted(a, b place) (place, place, error) {
	if a.typ.Kind == value.Pointer && b.typ.Kind == value.Pointer {
		x, err := a.load()
		if err != nil {
			return a, b, err
		}
		y, err := b.load()
		return place{typ: a.typ, word: x}, place{typ: a.typ, word: y}, err
	}
	a, err := c.number(a)
	if err != nil {
		return a, b, err
	}
	if b, err = c.number(b); err != nil {
		return a, b, err
	}
	var t *value.Type
	switch x, y := a.typ, b.typ; {
	case c.dialect != nil && (x.Kind == value.Float || y.Kind == value.Float):
		t = doubleType
	case x.Kind == value.Float && y.Kind == value.Float:
		t = x
		if y.Size > x.Size {
			t = y
		}
	case x.Kind == value.Float:
		t = x
	case y.Kind == value.Float:
		t = y
	default:
		size := max(x.Size, y.Size)
		// The unsigned type wins unless the signed one is larger.
		unsigned := !x.Signed && x.Size == size || !y.Signed && y.Size == size
		if c.dialect != nil {
			size = 8 // gdb calculates so in all languages but C's
		}
		t = sized(size, !unsigned)
	}
	a.word, b.word = join(a.word, conversion(a.typ, t)), join(b.word, conversion(b.typ, t))
	a.typ, b.typ = t, t
	return a, b, nil
}

// condition pushes 1 where a value is not zero, else 0.
func (c *compiler) condition(p place) ([]plan.Instr, error) {
	p, err := c.dereferenced(p)
	if err != nil {
		return nil, err
	}
	if k := p.typ.Kind; k == value.Function || k == value.Array && c.dialect == nil {
		p = decay(p)
	}
	zero := []plan.Instr{{Op: plan.Const}}
	switch {
	case isExtended(p.typ):
		word, err := c.extended(p)
		return join(word, zero, zero, []plan.Instr{{Op: plan.XNe}}), err
	case p.typ.Kind == value.Integer && p.typ.Size == 16:
		word, err := p.halves(ulongType)
		return join(word, []plan.Instr{{Op: plan.Or}}, zero, []plan.Instr{{Op: plan.Ne}}), err
	case !p.typ.Scalar():
		return nil, refusef("a condition that is %s", describe(p.typ))
	}
	word, err := p.load()
	if err != nil {
		return nil, err
	}
	if p.typ.Kind == value.Float {
		return join(word, []plan.Instr{{Op: plan.Const}, {Op: plan.FNe}}), nil
	}
	return join(word, []plan.Instr{{Op: plan.Const}, {Op: plan.Ne}}), nil
}

// cast makes a value of another type.
func (c *compiler) cast(p place, t *value.Type) (place, error) {
	p, err := c.dereferenced(p)
	if err != nil {
		return place{}, err
	}
	if p.typ.Kind == value.Function {
		p = decay(p)
	}
	switch {
	case t.Kind == value.Unknown:
		return place{}, refusef("%s", describe(t))
	case t.Kind == value.Reference:
		return c.castReference(p, t)
	case p.typ.Bits && (t.Kind != value.Integer || t.Size != p.typ.Size):
		return place{}, refusef("a cast of a register of flags")
	case p.typ.Kind == value.Array && t.Kind == value.Pointer && p.addr != nil:
		word, err := c.castPointer(p.addr, pointerTo(p.typ.Elem), t)
		return place{typ: t, word: word}, err
	case t.Kind == value.Structure && p.typ.Kind == value.Structure && t.Name == p.typ.Name:
		return p, nil
	case isExtended(t) || isExtended(p.typ):
		return c.castExtended(p, t)
	case !t.Scalar() || !p.typ.Scalar():
		return place{}, refusef("a cast of %s", describe(p.typ))
	}
	word, err := p.load()
	if err != nil {
		return place{}, err
	}
	if p.typ.Kind == value.Float && t.Kind == value.Pointer || p.typ.Kind == value.Pointer && t.Kind == value.Float {
		return place{}, refusef("a cast of %s", describe(p.typ))
	}
	if p.typ.Kind == value.Pointer && t.Kind == value.Pointer {
		word, err = c.castPointer(word, p.typ, t)
		return place{typ: t, word: word}, err
	}
	return place{typ: t, word: join(word, conversion(p.typ, t))}, nil
}
