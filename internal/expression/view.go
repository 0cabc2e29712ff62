package expression

import (
	"slices"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// Bounds of what is written for views. They leave a plan steps for the value itself.
const (
	mostViewCode    = 3000 // instructions of all views of a value
	mostPlanCode    = 3800 // instructions of a value with its views
	mostElementSize = 2048 // bytes of one element, and of all elements of a sequence
	mostElementText = 64   // characters of texts in elements
	mostLength      = 1 << 40
)

// shown is what a structure of a library stands for: how its content is found. Its members are read once, as locals
// on the stack, of which those behind may use those before.
type shown struct {
	kind   value.ViewKind
	name   string
	elem   *value.Type // of the elements; nil: characters, or no elements
	locals []func(a *assembler)
	holds  func(a *assembler) // pushes whether the members are consistent
	words  []int              // locals that are written; the first is the number of elements
	at     int                // the local that is the address of the elements
	begin  []plan.Instr       // pushes it as well, without locals, for views in elements
	inside *place             // the only element, which lies in the structure itself
	any    bool               // of a reference: what it refers to is shown even if that has no view
}

// assembler puts instructions together that have locals on the stack below them.
type assembler struct {
	code  []plan.Instr
	depth int // words on the stack, from the first local on
}

// push adds instructions that push one word.
func (a *assembler) push(code []plan.Instr) {
	a.code = append(a.code, code...)
	a.depth++
}

func (a *assembler) number(n uint64) { a.push([]plan.Instr{{Op: plan.Const, Arg: int64(n)}}) }

// local pushes a local.
func (a *assembler) local(n int) { a.push([]plan.Instr{{Op: plan.Pick, Arg: int64(a.depth - 1 - n)}}) }

// apply adds operators of two operands.
func (a *assembler) apply(ops ...plan.Op) {
	for _, op := range ops {
		a.code = append(a.code, plan.Instr{Op: op})
		a.depth--
	}
}

// either pops a condition, and adds one of two runs that push a word.
func (a *assembler) either(yes, no func(a *assembler)) {
	y, n := &assembler{depth: a.depth - 1}, &assembler{depth: a.depth - 1}
	yes(y)
	no(n)
	a.code = join(a.code, jumpZero(len(y.code)+1), y.code, jump(len(n.code)), n.code)
}

// probe makes of an address the number there, -1 where it cannot be read.
func (a *assembler) probe(size uint64) {
	a.code = append(a.code, plan.Instr{Op: plan.Load, Size: uint8(size), Arg: 1})
}

// viewer finds the views in a value, and makes the instructions that write their contents.
type viewer struct {
	c      *compiler
	places map[*value.Field]place // of members that are elsewhere
	most   int64                  // characters of a text
}

// outermost is value for what no other value has in it: of a reference, what it refers to is shown.
func (v *viewer) outermost(p place, room int) (*value.Type, []plan.Instr) {
	t, code := v.value(p, room)
	if t.Kind != value.Reference || t.View != nil {
		return t, code
	}
	addr := word(place{typ: dataPointer, addr: p.addr, word: p.word, parts: p.parts})
	if addr == nil {
		return t, code
	}
	s := referenceTo(t.Elem, addr)
	s.any = true
	elem, shown := v.content(s, room)
	if shown == nil {
		return t, code
	}
	own := *t
	own.View = &value.View{Kind: s.kind, Elem: elem}
	return &own, shown
}

// value returns the type of what is at a place with the views in it, and the instructions that write their contents:
// no more than so many.
func (v *viewer) value(p place, room int) (*value.Type, []plan.Instr) {
	t := p.typ.Whole()
	if s := v.c.recognized(p); s != nil {
		if elem, code := v.content(s, room); code != nil {
			own := *t
			own.View = &value.View{Kind: s.kind, Name: s.name, Elem: elem}
			return &own, code
		}
	}
	if t.Kind != value.Structure || t.Union {
		return t, nil
	}
	own, all := t, []plan.Instr(nil)
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.BitSize > 0 || f.Static {
			continue
		}
		q, known := v.places[f]
		if !known {
			q = p.at(f.Offset, f.Type)
		}
		q.typ = f.Type
		typ, code := v.value(q, room-len(all))
		if len(code) == 0 {
			continue
		}
		if own == t {
			copied := *t
			copied.Fields = slices.Clone(t.Fields)
			own = &copied
		}
		own.Fields[i].Type = typ
		all = append(all, code...)
	}
	return own, all
}

// content returns the type of a view's elements, and the instructions that write its content; nil if they are too many.
func (v *viewer) content(s *shown, room int) (*value.Type, []plan.Instr) {
	a := &assembler{}
	for _, l := range s.locals {
		l(a)
	}
	locals := a.depth
	s.holds(a)
	b := &assembler{depth: locals}
	for _, w := range s.words {
		b.local(w)
		b.code = append(b.code, plan.Instr{Op: plan.Out, Size: 8})
		b.depth--
	}
	elem := (*value.Type)(nil)
	if s.kind == value.AsText || s.elem != nil {
		const frame = 12
		var elements []plan.Instr
		elem, elements = v.elements(s, locals, room-len(a.code)-len(b.code)-frame-locals)
		if elements == nil && s.kind != value.AsPointer && s.kind != value.AsShared {
			return nil, nil
		}
		if elements != nil {
			b.local(s.words[0])
			b.code = join(b.code, jumpZero(len(elements)), elements)
		}
	}
	code := join(a.code, jumpZero(len(b.code)+1), b.code, jump(2), []plan.Instr{{Op: plan.Const, Arg: -1}, {Op: plan.Out, Size: 8}})
	for range locals {
		code = append(code, plan.Instr{Op: plan.Drop})
	}
	if len(code) > room {
		return nil, nil
	}
	return elem, code
}

// fewestElements is how many elements of a sequence must have room with the views in them.
const fewestElements = 3

// elements returns the type of the elements that there are, and the instructions that write them; nil if that cannot be.
func (v *viewer) elements(s *shown, locals, room int) (*value.Type, []plan.Instr) {
	if s.elem == nil {
		a := &assembler{depth: locals}
		v.block(a, s, 1, uint64(v.most))
		return nil, append(a.code, plan.Instr{Op: plan.Drop})
	}
	elem, ok := v.c.elementType(s.elem, 0)
	if !ok || elem.Size == 0 || elem.Size > mostElementSize {
		return nil, nil
	}
	most, fewest := min(value.MostElements, mostElementSize/elem.Size), fewestElements
	if s.inside != nil || s.kind == value.AsReference || s.kind == value.AsPointer || s.kind == value.AsShared {
		most, fewest = 1, 1
	}
	const around, each = 16, 4 // instructions besides the elements' own: once, and of each
	element := func(i uint64) (*value.Type, []plan.Instr, bool) {
		p := place{typ: elem, addr: join(s.begin, []plan.Instr{{Op: plan.Const, Arg: int64(i * elem.Size)}, {Op: plan.Add}})}
		if s.inside != nil {
			p = *s.inside
			p.typ = elem
		}
		return v.element(p, (room-around)/fewest-each)
	}
	typed, code, ok := element(0)
	if !ok || s.kind == value.AsReference && typed.View == nil && !s.any {
		return nil, nil
	}
	var rest []plan.Instr
	if len(code) > 0 {
		most = min(most, uint64((room-around)/(len(code)+each)))
		for i := most; i > 0; i-- {
			_, code, _ := element(i - 1)
			t := &assembler{depth: locals}
			t.number(i - 1)
			t.local(s.words[0])
			t.apply(plan.LtU)
			rest = join(t.code, jumpZero(len(code)+len(rest)), code, rest)
		}
	}
	a := &assembler{depth: locals}
	if !v.block(a, s, elem.Size, most) {
		return nil, nil
	}
	if len(rest) == 0 {
		return typed, append(a.code, plan.Instr{Op: plan.Drop})
	}
	return typed, join(a.code, jumpZero(len(rest)), rest)
}

// block adds the instructions that write the bytes of the elements, and push whether they could be read; it reports
// false if the program does not keep them.
func (v *viewer) block(a *assembler, s *shown, size, most uint64) bool {
	if s.inside != nil {
		out, err := s.inside.out()
		if err != nil || slices.ContainsFunc(out, lacks) {
			return false
		}
		a.code = append(a.code, plan.Instr{Op: plan.Const, Arg: int64(size)}, plan.Instr{Op: plan.Out, Size: 2})
		a.code = append(a.code, out...)
		a.number(1)
		return true
	}
	a.local(s.at)
	a.local(s.words[0])
	if size > 1 {
		a.number(size)
		a.apply(plan.Mul)
	}
	a.code = append(a.code, plan.Instr{Op: plan.OutBlock, Arg: int64(size * most)})
	a.depth--
	return true
}

// element returns the type of an element with the views in it, and the instructions that write what stands behind
// the bytes of the elements: no more than so many. There are none of views if these are too many.
func (v *viewer) element(p place, room int) (*value.Type, []plan.Instr, bool) {
	inner := &viewer{c: v.c, most: mostElementText}
	n := 0
	texts, err := (&outliers{c: v.c, most: mostElementText}).texts(p, &n)
	if err != nil || len(texts) > max(0, room) {
		return nil, nil, false
	}
	typ, code := inner.value(p, room-len(texts))
	return typ, append(code, texts...), true
}

// elementType is the type of elements without what lies outside of them; false where that is more than static members.
func (c *compiler) elementType(t *value.Type, depth int) (*value.Type, bool) {
	if depth == 0 && c.printable(t, 0) != nil || depth > mostHops {
		return nil, false
	}
	switch t.Whole(); {
	case t.Kind == value.Void || t.Kind == value.Function:
		return nil, false
	case !outlying(t, 0):
		return t, true
	case t.Kind != value.Structure:
		return nil, false
	}
	own := *t
	own.Fields = nil
	for i := range t.Fields {
		f := t.Fields[i]
		if f.Static {
			continue
		}
		if f.Virtual {
			return nil, false
		}
		if f.BitSize == 0 {
			var ok bool
			if f.Type, ok = c.elementType(f.Type, depth+1); !ok {
				return nil, false
			}
		}
		own.Fields = append(own.Fields, f)
	}
	return &own, true
}

// lacks reports whether an instruction is for what the program does not keep.
func lacks(i plan.Instr) bool {
	return i.Op == plan.OutGone || i.Op == plan.Fail && i.Arg == int64(plan.OptimizedOut)
}

// word returns instructions that push a number of the program; nil if it is not kept.
func word(p place) []plan.Instr {
	code, err := p.load()
	if err != nil || len(code) == 0 || slices.ContainsFunc(code, lacks) {
		return nil
	}
	return code
}

// member is a member of a structure, through those named before it, which may be in base classes; false if there is
// none that has a place in it.
func member(p place, names ...string) (place, bool) {
	for _, name := range names {
		if p.typ.Whole().Kind != value.Structure {
			return place{}, false
		}
		steps, ok := field(p.typ, name)
		if !ok {
			return place{}, false
		}
		for _, f := range steps {
			if f.Static || f.Virtual || f.BitSize > 0 {
				return place{}, false
			}
			p = p.at(f.Offset, f.Type)
			f.Type.Whole()
		}
	}
	return p, true
}

// words are the words of members of a structure; false if one of them is not there, or not kept.
func words(p place, names ...string) ([][]plan.Instr, bool) {
	var all [][]plan.Instr
	for _, name := range names {
		q, ok := member(p, name)
		if !ok {
			return nil, false
		}
		code := word(q)
		if code == nil {
			return nil, false
		}
		all = append(all, code)
	}
	return all, true
}
