// Package expression compiles expressions of C and C++, and plain ones of Fortran, Ada, Go and Rust, to plans, by the
// debug data of an object.
package expression

import (
	"debug/dwarf"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
	"slices"

	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// An Object is the debug data of one object, for expressions in its functions. It is used by one
// goroutine at a time.
type Object struct {
	data  *debuginfo.Data
	types *types
	sites sites
}

// NewObject is the Object of debug data.
func NewObject(d *debuginfo.Data) *Object {
	return &Object{data: d, types: &types{data: d, known: make(map[debuginfo.Entry]*value.Type), outlying: make(map[*value.Field]debuginfo.Entry), described: make(map[*value.Type]debuginfo.Entry), functions: make(map[*value.Type]debuginfo.Entry)}}
}

// A Code is an expression for one stretch of a function's code.
type Code struct {
	Type      *value.Type
	Low, High uint64 // the addresses of the object for which it holds
	Code      []plan.Instr
	Gone      []value.Gap // what the program does not keep of the value
	// Lacking is set where gdb shows more than the value's members: a string or slice of Go's or Rust's by what it
	// holds, or static members of a string or container, which are not known. A view of it has all.
	Lacking bool
}

// Value is what the code has written in a frame.
func (c *Code) Value(written []byte) (value.Value, bool) {
	return value.Decode(c.Type, c.Gone, written)
}

// A compiler makes the Code of an expression at one address.
type compiler struct {
	object *Object
	types  *types
	blocks []debuginfo.Entry // of the activation, outermost first
	unit   debuginfo.Entry
	whole  debuginfo.Entry // the function that is not inlined, which has the frame base
	pc     uint64
	low    uint64
	high   uint64
	nested int
	parts  int // of values that printable has looked at
	source string
	// dialect is that of the function's language, nil of C and C++ and where no function is known.
	dialect *dialect
	lacking bool // see Code

	outermost *expression // the whole of it
}

func (c *compiler) data() *debuginfo.Data { return c.object.data }

// cxx reports whether the function is in C++.
func (c *compiler) cxx() bool { return c.unit.Language() == debuginfo.CPlusPlus }

// Activations are the functions that the code at an address belongs to, the innermost inlined one
// first.
func (o *Object) Activations(pc uint64) []debuginfo.Entry { return activations(o.data.ScopeAt(pc)) }

func activations(s debuginfo.Scope) []debuginfo.Entry {
	var fs []debuginfo.Entry
	for i := len(s.Blocks) - 1; i >= 0; i-- {
		if i == 0 || s.Blocks[i].Tag() == dwarf.TagInlinedSubroutine {
			fs = append(fs, s.Blocks[i])
		}
	}
	return fs
}

// Compile makes the code of an expression at an address of the object, in the activation of
// this number, 0 for the innermost inlined function. A *Refusal says why it can't be had natively.
func (o *Object) Compile(source string, pc uint64, activation int) (*Code, error) {
	c := &compiler{object: o, types: o.types, pc: pc, source: source}
	s := o.data.ScopeAt(pc)
	c.low, c.high = s.Low, s.High
	end := len(s.Blocks)
	for i := len(s.Blocks) - 1; i >= 0; i-- {
		if i > 0 && s.Blocks[i].Tag() != dwarf.TagInlinedSubroutine {
			continue
		}
		if activation == 0 {
			c.blocks = s.Blocks[i:end]
			break
		}
		activation--
		end = i
	}
	if len(c.blocks) > 0 {
		c.whole = s.Blocks[0]
		c.unit = c.whole.Unit()
	} else {
		c.unit = o.data.UnitAt(pc)
	}
	if c.unit.OK() {
		l := c.unit.Language()
		if c.dialect = dialects[l]; c.dialect == nil && !l.CFamily() {
			return nil, refusef("the function is in a language whose expressions dbctl does not evaluate")
		}
	}
	e, err := parse(source, c.dialect, c.isType)
	if err != nil {
		return nil, err
	}
	c.outermost = e
	p, err := c.expression(e)
	if err != nil {
		return nil, err
	}
	return c.finish(p)
}

// finish makes the code of a value.
func (c *compiler) finish(p place) (*Code, error) {
	if c.dialect != nil {
		var err error
		if p, err = c.dereferenced(p); err != nil {
			return nil, err
		}
		if err := c.plain(p.typ, 1, 0); err != nil {
			return nil, err
		}
	}
	t := p.typ.Whole()
	if t.Kind == value.Array && t.Size == 0 && p.addr != nil && c.dialect == nil {
		// As gdb shows it: nothing is known to be in it.
		p = place{typ: pointerTo(t.Elem), word: p.addr}
		t = p.typ
	}
	if t.Kind == value.Function && p.addr != nil && c.dialect == nil {
		var err error
		if p, err = c.functionValue(p); err != nil {
			return nil, err
		}
		t = p.typ
	}
	code := &Code{Low: c.low, High: c.high}
	var instrs []plan.Instr
	if err := c.printable(t, 0); err != nil {
		return nil, err
	}
	switch {
	case t.Kind == value.Function && p.word == nil:
		return nil, refusef("a function")
	case t.Kind == value.Incomplete && p.addr != nil:
		instrs = join(p.addr, []plan.Instr{{Op: plan.Drop}})
	case t.Kind == value.Void:
		return nil, refusef("a value of type void")
	case t.Size > plan.Longest:
		return nil, refusef("a value of %d bytes", t.Size)
	case p.gone():
		instrs = append(instrs, plan.Instr{Op: plan.OutGone, Arg: int64(t.Size)})
	default:
		out, err := p.out()
		if err != nil {
			return nil, err
		}
		instrs = append(instrs, out...)
	}
	outer := &outliers{c: c, end: t.Size, places: make(map[*value.Field]place), most: mostText + 1} // with the zero behind
	t, err := outer.shape(p, t, 0, 0)
	if err != nil {
		return nil, err
	}
	instrs = append(instrs, outer.code...)
	p.typ = t
	texts, err := outer.texts(p, new(int))
	if err != nil {
		return nil, err
	}
	views := &viewer{c: c, places: outer.places, most: mostText}
	typ, contents := views.outermost(p, min(mostViewCode, mostPlanCode-len(instrs)-len(texts)))
	code.Type = c.shown(typ)
	instrs = append(append(instrs, contents...), texts...)
	if t.Size > plan.Longest {
		return nil, refusef("a value of %d bytes", t.Size)
	}
	code.Code = append(instrs, plan.Instr{Op: plan.End})
	code.Gone, code.Lacking = gaps(instrs), outer.lacking || c.lacking
	if c.dialect != nil && len(code.Gone) > 0 && (t.Kind == value.Structure || t.Kind == value.Array) {
		return nil, refusef("the program does not keep all members") // which gdb shows in other ways
	}
	for _, g := range code.Gone {
		if g.Pointer && refers(t, g.Offset, 0) {
			return nil, refusef("a reference that the program does not keep")
		}
	}
	return code, nil
}

// refers reports whether there is a reference at an offset of values of the type.
func refers(t *value.Type, at uint64, depth int) bool {
	t.Whole()
	switch {
	case t.Kind == value.Reference:
		return at == 0
	case t.Kind == value.Array && t.Elem.Size > 0:
		return refers(t.Elem, at%t.Elem.Size, depth)
	case t.Kind == value.Structure && depth < mostNested:
		return slices.ContainsFunc(t.Fields, func(f value.Field) bool { return f.Offset <= at && refers(f.Type, at-f.Offset, depth+1) })
	}
	return false
}

// gaps are the runs of bytes that instructions write for what the program does not keep.
func gaps(instrs []plan.Instr) []value.Gap {
	var gone []value.Gap
	at := uint64(0)
	for _, i := range instrs {
		switch i.Op {
		case plan.Out:
			at += uint64(i.Size)
		case plan.OutMem:
			at += uint64(i.Arg)
		case plan.OutGone:
			gone = append(gone, value.Gap{Offset: at, Size: uint64(i.Arg), Pointer: i.Size > 0})
			at += uint64(i.Arg)
		}
	}
	return gone
}

// mostParts bounds how many members of members a value has: damaged types may be within themselves.
const mostParts = 1 << 14

// printable refuses types that can't be shown as gdb shows them.
func (c *compiler) printable(t *value.Type, depth int) error {
	t.Whole()
	switch t.Kind {
	case value.Unknown:
		return refusef("%s", describe(t))
	case value.Float:
		if t.Size != 4 && t.Size != 8 && t.Size != 16 && t != halfType && t != bfloat16Type && t != x87Type || t.Name == "_Float128" || t.Name == "__float128" {
			return refusef("a floating-point number of %d bytes", t.Size)
		}
	case value.Integer, value.Enumeration, value.Boolean:
		if t.Size > 16 || t.Size > 8 && t.Kind != value.Integer {
			return refusef("a number of %d bytes", t.Size)
		}
	case value.Character:
		return c.printableWide(t)
	case value.Pointer:
		if t.Elem.Kind == value.Character {
			return c.printableWide(t.Elem)
		}
	case value.Array:
		return c.printable(t.Elem, depth)
	case value.Structure:
		if c.parts += len(t.Fields); depth > mostHops || c.parts > mostParts {
			return refusef("a value of too many members")
		}
		for i := range t.Fields {
			f := &t.Fields[i]
			if size := f.Type.Whole().Size; !f.Static && !f.Virtual && f.BitSize == 0 && (f.Offset > t.Size || size > t.Size-f.Offset) {
				return refusef("a member that is not within %s", describe(t))
			}
			if err := c.printable(f.Type, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// printableWide refuses wide characters that gdb knows by another name, or in another language than C and C++.
func (c *compiler) printableWide(t *value.Type) error {
	switch {
	case !t.Wide || c.dialect != nil && c.dialect.language == value.Rust:
		return nil
	case c.dialect != nil || !t.WideText():
		return refusef("a character of type %s", describe(t))
	}
	return nil
}

// at chooses of a list the location at the pc, and narrows the code to where it does not change.
func (c *compiler) at(list []debuginfo.Location) ([]byte, bool) {
	var expr []byte
	found := false
	for _, l := range list {
		if l.Low <= c.pc && c.pc < l.High && !found {
			expr, found = l.Expr, true
		}
		for _, edge := range []uint64{l.Low, l.High} {
			if edge <= c.pc {
				c.low = max(c.low, edge)
			} else {
				c.high = min(c.high, edge)
			}
		}
	}
	return expr, found
}

// framePointer is the DWARF number of rbp.
const framePointer = 6

// ownFramePointer fails if what rbp holds, which is on the stack, is not where the function saved its caller's: the
// prologue has not set it yet, or the epilogue has restored the caller's.
var ownFramePointer = []plan.Instr{
	{Op: plan.CFA}, {Op: plan.Const, Arg: -16}, {Op: plan.Add}, {Op: plan.Pick, Arg: 1},
	{Op: plan.Ne}, {Op: plan.JumpZero, Arg: 1}, {Op: plan.Fail, Arg: int64(plan.NoRegister)},
}

// frameBase returns instructions that push the frame base of the function.
func (c *compiler) frameBase() ([]plan.Instr, error) {
	if c.nested++; c.nested > mostNested {
		return nil, refusef("locations that refer to each other")
	}
	defer func() { c.nested-- }()
	expr, ok := c.at(c.whole.Locations(dwarf.AttrFrameBase))
	if !ok {
		return nil, refusef("a function without a frame base")
	}
	l := &locator{c: c, of: c.whole, b: expr}
	if err := l.all(); err != nil {
		return nil, err
	}
	if l.bad || l.parts != nil || l.data != nil || len(l.code) == 0 {
		return nil, refusef("a frame base that is not understood")
	}
	if len(expr) == 1 && expr[0] == dwReg0+framePointer {
		return append(l.code, ownFramePointer...), nil
	}
	return l.code, nil
}

// variable returns where a variable is.
func (c *compiler) variable(v variable) (place, error) {
	if v.enum != nil {
		return place{typ: v.typ, word: []plan.Instr{{Op: plan.Const, Arg: v.enum.Value}}}, nil
	}
	if v.field != "" {
		this, err := c.name("this")
		if err != nil {
			return place{}, err
		}
		object, err := c.deref(this)
		if err != nil {
			return place{}, err
		}
		return c.selectField(object, v.field)
	}
	if v.member {
		return place{}, refusef("a function of a class")
	}
	if v.begin != 0 {
		return place{typ: c.types.of(v.entry), addr: []plan.Instr{{Op: plan.Address, Arg: int64(v.begin)}}}, nil
	}
	t := c.types.typeOf(v.entry)
	if v.gone && !v.moved {
		return place{typ: t}, nil
	}
	p, err := c.placeOf(v.entry, t)
	if err == nil && v.moved {
		return c.deref(p)
	}
	return p, err
}

// beforeStored reports whether the pc is in the function's prologue and a parameter is one that the prologue
// stores where its location says, as without optimization; and narrows the code to one side of its end.
func (c *compiler) beforeStored(e debuginfo.Entry, list []debuginfo.Location) bool {
	if e.Tag() != dwarf.TagFormalParameter || !c.whole.OK() || len(list) != 1 || list[0].High != debuginfo.Always {
		return false
	}
	expr := list[0].Expr
	if len(expr) == 0 || expr[0] != dwFbreg {
		return false
	}
	// What counts upwards from the canonical frame address, the caller has stored.
	if base := c.whole.Block(dwarf.AttrFrameBase); len(base) == 1 && base[0] == dwCallFrameCFA && (&locator{b: expr[1:]}).sleb() >= 0 {
		return false
	}
	low, high := c.extent()
	body := c.data().Body(low)
	if c.nests() {
		body = max(body, c.data().SecondLine(low, high))
	}
	if low <= c.pc && c.pc < body {
		c.high = min(c.high, body)
		return true
	}
	if c.pc >= body {
		c.low = max(c.low, body)
	}
	return false
}

// extent is where the code of the function begins and ends.
func (c *compiler) extent() (low, high uint64) {
	low = debuginfo.Always
	c.whole.Ranges(func(from, to uint64) {
		if from < low {
			low, high = from, to
		}
	})
	return low, high
}

// nests reports whether there are functions in the function: where they may use its parameters, it copies these to
// where their locations say, in the code of its first line but behind its prologue.
func (c *compiler) nests() bool { return nests(c.whole, 0) }

func nests(block debuginfo.Entry, depth int) bool {
	for e := range block.Children() {
		switch e.Tag() {
		case dwarf.TagSubprogram:
			if !e.Flag(dwarf.AttrDeclaration) {
				return true
			}
		case dwarf.TagLexDwarfBlock:
			if depth < mostNested && nests(e, depth+1) {
				return true
			}
		}
	}
	return false
}

func (c *compiler) placeOf(e debuginfo.Entry, t *value.Type) (place, error) {
	if list := e.Locations(dwarf.AttrLocation); list != nil {
		if c.dialect != nil && c.dialect.language == value.Go {
			if there, err := c.storedByGo(e, list); !there || err != nil {
				return place{typ: t}, err
			}
		}
		expr, ok := c.at(list)
		if !ok || c.beforeStored(e, list) {
			return place{typ: t}, nil
		}
		return c.locate(e, expr, t)
	}
	if v, _, ok := e.Const(dwarf.AttrConstValue); ok {
		if !t.Scalar() || t.Kind == value.Float {
			return place{}, refusef("a constant of another form")
		}
		return place{typ: t, word: join([]plan.Instr{{Op: plan.Const, Arg: int64(v)}}, fit(t))}, nil
	}
	if b := e.Block(dwarf.AttrConstValue); b != nil {
		if t.Size > plan.Longest {
			return place{}, refusef("a value of %d bytes", t.Size)
		}
		data := make([]byte, t.Size)
		copy(data, b)
		return place{typ: t, parts: []part{{size: t.Size, data: data}}}, nil
	}
	return place{typ: t}, nil
}
