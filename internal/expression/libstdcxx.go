package expression

import (
	"strings"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// libstdcxx recognizes types of GNU's library of C++.
func (c *compiler) libstdcxx(p place) *shown {
	switch t := p.typ; {
	case own(t, "_M_dataplus", "_M_string_length"):
		return gnuString(p)
	case own(t, "_M_dataplus"):
		return gnuSharedString(p)
	case own(t, "_M_len", "_M_str"):
		text, ok := member(p, "_M_str")
		w, kept := words(p, "_M_len", "_M_str")
		if ok && kept && isCharacter(text) {
			return textOf(w[0], w[1], false)
		}
	case base(t, "std::_Vector_base<"):
		impl, ok := member(p, "_M_impl")
		if !ok {
			return nil
		}
		start, ok := member(impl, "_M_start")
		w, kept := words(impl, "_M_start", "_M_finish", "_M_end_of_storage")
		if ok && kept && start.typ.Kind == value.Pointer {
			return vectorOf(start.typ.Elem, w[0], w[1], w[2])
		}
	case own(t, "_M_t"):
		return gnuUnique(p)
	case base(t, "std::__shared_ptr<"):
		return gnuShared(p, sharedPointer)
	case base(t, "std::__weak_ptr<"):
		return gnuShared(p, weakPointer)
	default:
		return gnuOptional(p)
	}
	return nil
}

// gnuString is a string that has room for a short text in itself.
func gnuString(p place) *shown {
	text, ok := member(p, "_M_dataplus", "_M_p")
	if !ok || !isCharacter(text) {
		return nil
	}
	at := word(text)
	length, kept := words(p, "_M_string_length")
	if at == nil || !kept {
		return nil
	}
	s := textOf(length[0], at, true)
	short, ok := member(p, "_M_local_buf")
	long, kept := words(p, "_M_allocated_capacity")
	if !ok || !kept || short.addr == nil || short.typ.Kind != value.Array {
		return s
	}
	return s.within(func(a *assembler) {
		a.local(1)
		a.push(short.addr)
		a.apply(plan.Eq)
		a.either(func(a *assembler) { a.number(uint64(short.typ.Count - 1)) }, func(a *assembler) { a.push(long[0]) })
	})
}

// gnuSharedString is a string of before GCC 5: a pointer behind its length, its capacity and the number of its users.
func gnuSharedString(p place) *shown {
	text, ok := member(p, "_M_dataplus", "_M_p")
	if !ok || !isCharacter(text) {
		return nil
	}
	at := word(text)
	if at == nil {
		return nil
	}
	before := func(n int64) []plan.Instr {
		return join(at, []plan.Instr{{Op: plan.Const, Arg: -n}, {Op: plan.Add}, {Op: plan.Load, Size: 8, Arg: 1}})
	}
	return textOf(before(24), at, true).within(func(a *assembler) { a.push(before(16)) })
}

// gnuUnique is a std::unique_ptr, whose pointer is the first part of a tuple.
func gnuUnique(p place) *shown {
	tuple, ok := member(p, "_M_t")
	if !ok {
		return nil
	}
	if inner, ok := member(tuple, "_M_t"); ok {
		tuple = inner
	}
	head, ok := inBase(tuple, "std::_Head_base<0", 0)
	if !ok {
		return nil
	}
	pointer, ok := member(head, "_M_head_impl")
	if !ok || pointer.typ.Kind != value.Pointer {
		return nil
	}
	at := word(pointer)
	if at == nil {
		return nil
	}
	part := p.typ.Fields[0].Type.Name
	return uniqueOf(templateArgument(part), part, pointer, at)
}

// inBase is the base class of a structure, or of its base classes, whose name begins so.
func inBase(p place, name string, depth int) (place, bool) {
	t := p.typ.Whole()
	if t.Kind != value.Structure || depth > mostNested {
		return place{}, false
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if !f.Base || f.Virtual {
			continue
		}
		q := p.at(f.Offset, f.Type)
		if strings.HasPrefix(f.Type.Name, name) {
			return q, true
		}
		if found, ok := inBase(q, name, depth+1); ok {
			return found, true
		}
	}
	return place{}, false
}

// gnuShared is a std::shared_ptr or weak_ptr, whose users are counted elsewhere.
func gnuShared(p place, name string) *shown {
	pointer, ok := member(p, "_M_ptr")
	counts, known := member(p, "_M_refcount", "_M_pi")
	if !ok || !known || pointer.typ.Kind != value.Pointer || counts.typ.Kind != value.Pointer {
		return nil
	}
	at, block := word(pointer), word(counts)
	if at == nil || block == nil || counts.typ.Elem.Whole().Kind != value.Structure {
		return nil
	}
	of := place{typ: counts.typ.Elem, addr: []plan.Instr{{Op: plan.CFA}}}
	use, ok := member(of, "_M_use_count")
	weak, known := member(of, "_M_weak_count")
	if !ok || !known || use.typ.Size != 4 || weak.typ.Size != 4 {
		return nil
	}
	count := func(a *assembler, counter place) {
		a.local(1)
		a.code = append(a.code, counter.addr[1:]...) // the way from the block
		a.probe(4)
		a.code = append(a.code, plan.Instr{Op: plan.Extend, Size: 4})
		isSet(1)(a)
		a.apply(plan.Mul) // there are none without a block
	}
	return sharedOf(name+"<"+templateArgument(p.typ.Fields[0].Type.Name)+">", pointer.typ, at, block, func(a *assembler) { count(a, use) }, func(a *assembler) {
		// All users together count as one that is weak.
		count(a, weak)
		isSet(2)(a)
		a.apply(plan.Sub)
	})
}

// gnuOptional is a std::optional.
func gnuOptional(p place) *shown {
	if !base(p.typ, "std::_Optional_base<") {
		return nil
	}
	payload, ok := member(p, "_M_payload")
	if !ok {
		return nil
	}
	inside, ok := member(payload, "_M_payload", "_M_value")
	engaged, kept := words(payload, "_M_engaged")
	if !ok || !kept {
		return nil
	}
	for i := range p.typ.Fields {
		if name := p.typ.Fields[i].Type.Name; strings.HasPrefix(name, "std::_Optional_base<") {
			return optionalOf("std::optional<"+templateArgument(name)+">", engaged[0], inside)
		}
	}
	return nil
}
