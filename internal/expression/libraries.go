package expression

import (
	"strings"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// recognized is what a structure at a place, or a reference to one, stands for by the names and types of its
// members; nil if it is shown with them.
func (c *compiler) recognized(p place) *shown {
	t := p.typ.Whole()
	switch {
	case t.Kind == value.Reference && t.Elem.Whole().Kind == value.Structure:
		return c.referred(p)
	case t.Kind != value.Structure || t.Union:
		return nil
	}
	switch c.unit.Language() {
	case debuginfo.CPlusPlus:
		for _, known := range []func(*compiler, place) *shown{(*compiler).libstdcxx, (*compiler).libcxx} {
			if s := known(c, p); s != nil {
				return s
			}
		}
	case debuginfo.Rust:
		return c.rust(p)
	case debuginfo.Go:
		return c.golang(p)
	}
	return nil
}

// referred is what a reference refers to, if that stands for something else.
func (c *compiler) referred(p place) *shown {
	addr, err := p.loadReference()
	if err != nil || c.recognized(place{typ: p.typ.Elem, addr: addr}) == nil {
		return nil
	}
	if c.nested++; c.nested > mostNested {
		return nil
	}
	defer func() { c.nested-- }()
	return referenceTo(p.typ.Elem, addr)
}

// referenceTo is a reference to something at an address.
func referenceTo(elem *value.Type, addr []plan.Instr) *shown {
	return &shown{
		kind: value.AsReference, elem: elem, begin: addr, words: []int{1},
		locals: locals(addr, []plan.Instr{{Op: plan.Const, Arg: 1}}),
		holds:  func(a *assembler) { a.local(0) },
	}
}

// locals are those that instructions push.
func locals(codes ...[]plan.Instr) []func(*assembler) {
	var all []func(*assembler)
	for _, code := range codes {
		all = append(all, func(a *assembler) { a.push(code) })
	}
	return all
}

// textOf is a text whose length and address are known; ends means that a zero byte must stand behind it.
func textOf(length, address []plan.Instr, ends bool) *shown {
	return textAt(locals(length, address), 0, 1, ends)
}

// textAt is a text whose length and address are two of the locals.
func textAt(locals []func(*assembler), length, address int, ends bool) *shown {
	return &shown{
		kind: value.AsText, words: []int{length}, at: address, locals: locals,
		holds: func(a *assembler) {
			a.local(length)
			a.number(mostLength)
			a.apply(plan.LeU)
			if ends {
				a.local(length)
				a.local(address)
				a.apply(plan.Add)
				a.probe(1)
				a.number(0)
				a.apply(plan.Eq, plan.And)
			}
		},
	}
}

// within adds to what must hold that the length is no more than a capacity.
func (s *shown) within(capacity func(a *assembler)) *shown {
	before := s.holds
	s.holds = func(a *assembler) {
		before(a)
		a.local(s.words[0])
		capacity(a)
		a.apply(plan.LeU, plan.And)
	}
	return s
}

// vectorOf is a sequence between two addresses, with room up to a third.
func vectorOf(elem *value.Type, begin, end, room []plan.Instr) *shown {
	size := elem.Whole().Size
	if size == 0 {
		return nil
	}
	s := &shown{kind: value.AsVector, elem: elem, begin: begin, words: []int{3, 4}, locals: locals(begin, end, room)}
	for upper := 1; upper <= 2; upper++ {
		s.locals = append(s.locals, func(a *assembler) {
			a.local(upper)
			a.local(0)
			a.apply(plan.Sub)
			a.number(size)
			a.apply(plan.DivU)
		})
	}
	s.holds = func(a *assembler) {
		a.local(0)
		a.local(1)
		a.apply(plan.LeU)
		a.local(1)
		a.local(2)
		a.apply(plan.LeU, plan.And)
		a.local(4)
		a.number(mostLength)
		a.apply(plan.LeU, plan.And)
		for n, upper := range []int{1, 2} {
			// The number of elements is a whole one.
			a.local(3 + n)
			a.number(size)
			a.apply(plan.Mul)
			a.local(0)
			a.apply(plan.Add)
			a.local(upper)
			a.apply(plan.Eq, plan.And)
		}
	}
	return s
}

// optionalOf is a value that may be there, as a byte says.
func optionalOf(name string, engaged []plan.Instr, inside place) *shown {
	return &shown{
		kind: value.AsOptional, name: name, elem: inside.typ, words: []int{0}, inside: &inside, locals: locals(engaged),
		holds: func(a *assembler) {
			a.local(0)
			a.number(1)
			a.apply(plan.LeU)
		},
	}
}

// isSet is the local that tells whether another one is not zero.
func isSet(n int) func(*assembler) {
	return func(a *assembler) {
		a.local(n)
		a.number(0)
		a.apply(plan.Ne)
	}
}

// targetOf is the type of what a pointer leads to, nil if that cannot be shown.
func targetOf(pointer *value.Type) *value.Type {
	switch e := pointer.Elem.Whole(); e.Kind {
	case value.Unknown, value.Void, value.Function:
		return nil
	default:
		return e
	}
}

// uniqueOf is a pointer that owns what it leads to: something, or an array of unknown length, as the name of
// a member's type tells.
func uniqueOf(of, member string, pointer place, address []plan.Instr) *shown {
	elem := targetOf(pointer.typ)
	if strings.Contains(member, "default_delete<"+of+"[]>") || strings.Contains(member, "default_delete<"+of+" []>") {
		of, elem = of+" []", nil
	}
	return pointerOf("std::unique_ptr<"+of+">", elem, address)
}

// pointerOf is a pointer that owns what it leads to.
func pointerOf(name string, elem *value.Type, address []plan.Instr) *shown {
	return &shown{
		kind: value.AsPointer, name: name, elem: elem, begin: address, words: []int{1, 0},
		locals: append(locals(address), isSet(0)),
		holds:  func(a *assembler) { a.number(1) },
	}
}

// The names of pointers whose users are counted.
const sharedPointer, weakPointer = "std::shared_ptr", "std::weak_ptr"

// sharedOf is a pointer that owns what it leads to together with others, or knows it as long as these do. use and weak
// push how many there are, 0 where there is no block that counts them; weak may use the local 2, which is use.
func sharedOf(name string, pointer *value.Type, address, block []plan.Instr, use, weak func(*assembler)) *shown {
	s := &shown{
		kind: value.AsShared, name: name, elem: targetOf(pointer), begin: address, words: []int{4, 0, 2, 3},
		locals: append(locals(address, block), use, weak, func(a *assembler) {
			// What has no users any more is gone; without counts there may be something.
			isSet(0)(a)
			isSet(2)(a)
			a.local(1)
			a.number(0)
			a.apply(plan.Eq, plan.Or, plan.And)
		}),
	}
	least := int64(1)
	if strings.HasPrefix(name, weakPointer) {
		least = 0
	}
	s.holds = func(a *assembler) {
		// There are no counts, or there are users.
		a.local(1)
		a.number(0)
		a.apply(plan.Eq)
		a.number(uint64(least))
		a.local(2)
		a.apply(plan.LeS)
		a.number(0)
		a.local(3)
		a.apply(plan.LeS, plan.And)
		a.local(2)
		a.local(3)
		a.apply(plan.Or)
		a.number(0)
		a.apply(plan.Ne, plan.And, plan.Or)
	}
	return s
}

// templateArgument is the first argument of a template in the name of a type, as it is written.
func templateArgument(name string) string {
	_, rest, _ := strings.Cut(name, "<")
	depth := 0
	for i, r := range rest {
		switch r {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			if depth--; depth < 0 {
				return brief(strings.TrimSpace(rest[:i]))
			}
		case ',':
			if depth == 0 {
				return brief(rest[:i])
			}
		}
	}
	return ""
}

// inline are the namespaces of the libraries that programs do not name.
var inline = strings.NewReplacer("std::__cxx11::", "std::", "std::__1::", "std::")

// brief writes a type of the library as programs do.
func brief(name string) string {
	name = inline.Replace(name)
	return strings.ReplaceAll(name, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string")
}

// own reports whether a structure has members of these names itself, not by base classes.
func own(t *value.Type, names ...string) bool {
	for _, name := range names {
		found := false
		for i := range t.Fields {
			found = found || t.Fields[i].Name == name && !t.Fields[i].Base
		}
		if !found {
			return false
		}
	}
	return true
}

// base reports whether a structure has no members but those of a base class whose name begins so.
func base(t *value.Type, name string) bool {
	found := false
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.Static:
		case !f.Base:
			return false
		case strings.HasPrefix(brief(f.Type.Name), name):
			found = true
		}
	}
	return found
}

// isCharacter reports whether a pointer leads to characters of one byte.
func isCharacter(p place) bool {
	return p.typ.Kind == value.Pointer && p.typ.IsText() && !p.typ.Elem.Wide
}
