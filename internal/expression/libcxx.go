package expression

import (
	"strings"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// libcxx recognizes types of LLVM's library of C++.
func (c *compiler) libcxx(p place) *shown {
	switch t := p.typ; {
	case own(t, "__r_") || own(t, "__rep_"):
		return llvmString(p)
	case own(t, "__data", "__size"):
		return llvmView(p, "__data", "__size")
	case own(t, "__data_", "__size_") && len(t.Fields) <= 3:
		return llvmView(p, "__data_", "__size_")
	case (own(t, "__begin_") || base(t, "std::__vector_base<")) && !own(t, "__first_"):
		return llvmVector(p)
	case own(t, "__ptr_", "__cntrl_"):
		return llvmShared(p)
	case own(t, "__ptr_"):
		pointer, ok := firstPointer(p)
		if !ok {
			return nil
		}
		if at := word(pointer); at != nil {
			pair := p.typ.Fields[0].Type.Name
			return uniqueOf(strings.TrimRight(templateArgument(pair), " *"), pair, pointer, at)
		}
		return nil
	default:
		return llvmOptional(p)
	}
}

// mostVisited bounds how many members firstPointer looks at.
const mostVisited = 64

// firstPointer is the first of the members of a structure that is a pointer, which may be in others.
func firstPointer(p place) (place, bool) {
	return search(p, func(t *value.Type) bool { return t.Kind == value.Pointer }, new(int))
}

// holding is the innermost structure in which a member of this name is, which may be in others.
func holding(p place, name string) (place, bool) {
	return search(p, func(t *value.Type) bool {
		_, ok := field(t, name)
		return ok
	}, new(int))
}

// search looks for a type in a place and the members of its structures, in their order.
func search(p place, wanted func(*value.Type) bool, visited *int) (place, bool) {
	t := p.typ.Whole()
	if wanted(t) {
		return p, true
	}
	if t.Kind != value.Structure {
		return place{}, false
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if *visited++; *visited > mostVisited {
			return place{}, false
		}
		if f.Static || f.Virtual || f.BitSize > 0 {
			continue
		}
		if q, ok := search(p.at(f.Offset, f.Type), wanted, visited); ok {
			return q, true
		}
	}
	return place{}, false
}

// llvmString is a string that has room for a short text in itself: the lowest bit tells whether the text is elsewhere.
func llvmString(p place) *shown {
	rep, ok := holding(p, "__l")
	if !ok || rep.addr == nil {
		return nil
	}
	long, ok := member(rep, "__l")
	short, known := member(rep, "__s")
	if !ok || !known {
		return nil
	}
	text, ok := member(long, "__data_")
	inside, known := member(short, "__data_")
	w, kept := words(long, "__size_", "__data_")
	if !ok || !known || !kept || !isCharacter(text) || inside.typ.Kind != value.Array || inside.typ.Elem.Size != 1 ||
		!sameCode(inside.addr, join(rep.addr, offsetBy(1))) || !sameCode(w[0], join(rep.addr, offsetBy(8), []plan.Instr{{Op: plan.Load, Size: 8}})) {
		return nil // another layout
	}
	const first, isLong, length, address = 0, 1, 2, 3
	all := []func(*assembler){
		func(a *assembler) { a.push(join(rep.addr, []plan.Instr{{Op: plan.Load, Size: 8}})) },
		func(a *assembler) {
			a.local(first)
			a.number(1)
			a.apply(plan.And)
		},
		func(a *assembler) {
			a.local(isLong)
			a.either(func(a *assembler) { a.push(w[0]) }, func(a *assembler) {
				a.local(first)
				a.number(0xff)
				a.apply(plan.And)
				a.number(1)
				a.apply(plan.ShrU)
			})
		},
		func(a *assembler) {
			a.local(isLong)
			a.either(func(a *assembler) { a.push(w[1]) }, func(a *assembler) { a.push(inside.addr) })
		},
	}
	return textAt(all, length, address, true).within(func(a *assembler) {
		a.local(isLong)
		a.either(func(a *assembler) { a.local(first) }, func(a *assembler) { a.number(uint64(inside.typ.Count - 1)) })
	})
}

// sameCode reports whether two runs of instructions are equal.
func sameCode(a, b []plan.Instr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func llvmView(p place, data, size string) *shown {
	text, ok := member(p, data)
	w, kept := words(p, size, data)
	if !ok || !kept || !isCharacter(text) {
		return nil
	}
	return textOf(w[0], w[1], false)
}

func llvmVector(p place) *shown {
	begin, ok := member(p, "__begin_")
	w, kept := words(p, "__begin_", "__end_")
	if !ok || !kept || begin.typ.Kind != value.Pointer {
		return nil
	}
	for _, name := range []string{"__end_cap_", "__cap_"} {
		end, ok := member(p, name)
		if !ok {
			continue
		}
		if end, ok = firstPointer(end); !ok {
			return nil
		}
		if room := word(end); room != nil {
			return vectorOf(begin.typ.Elem, w[0], w[1], room)
		}
	}
	return nil
}

// llvmShared is a std::shared_ptr or weak_ptr, whose users are counted elsewhere, less one.
func llvmShared(p place) *shown {
	pointer, ok := member(p, "__ptr_")
	w, kept := words(p, "__ptr_", "__cntrl_")
	counts, known := member(p, "__cntrl_")
	if !ok || !kept || !known || pointer.typ.Kind != value.Pointer || counts.typ.Kind != value.Pointer {
		return nil
	}
	name, own := sharedPointer, brief(p.typ.Name)
	if strings.HasPrefix(own, weakPointer) {
		name = weakPointer
	}
	if strings.HasPrefix(own, name+"<") { // and not that of a typedef
		name += "<" + templateArgument(own) + ">"
	}
	of := place{typ: counts.typ.Elem, addr: []plan.Instr{{Op: plan.CFA}}}
	owners, ok := member(of, "__shared_owners_")
	weak, known := member(of, "__shared_weak_owners_")
	if !ok || !known || owners.typ.Size != 8 || weak.typ.Size != 8 {
		// The compiler left the counts to the library's own debug data.
		if strings.HasPrefix(name, weakPointer) {
			return nil
		}
		return pointerOf(name, targetOf(pointer.typ), w[0])
	}
	count := func(a *assembler, counter place) {
		a.local(1)
		a.code = append(a.code, counter.addr[1:]...) // the way from the block
		a.probe(8)
	}
	return sharedOf(name, pointer.typ, w[0], w[1], func(a *assembler) {
		count(a, owners) // -1 of a block that is not there
		a.number(1)
		a.apply(plan.Add)
	}, func(a *assembler) {
		// All users together count as one that is weak.
		count(a, weak)
		a.number(1)
		a.apply(plan.Add)
		isSet(2)(a)
		a.apply(plan.Sub)
		isSet(1)(a)
		a.apply(plan.Mul)
	})
}

// llvmOptional is a std::optional.
func llvmOptional(p place) *shown {
	of := ""
	for i := range p.typ.Fields {
		f := &p.typ.Fields[i]
		switch {
		case f.Static:
		case !f.Base:
			return nil
		case strings.HasPrefix(brief(f.Type.Name), "std::__optional_"):
			of = templateArgument(f.Type.Name)
		}
	}
	if of == "" {
		return nil
	}
	inside, ok := member(p, "__val_")
	engaged, kept := words(p, "__engaged_")
	if !ok || !kept {
		return nil
	}
	return optionalOf("std::optional<"+of+">", engaged[0], inside)
}
