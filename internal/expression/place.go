package expression

import (
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// A place says where a value of a type is, by instructions that leave one word on the stack. One of
// addr, word and parts is set; none of a value that the program does not keep.
type place struct {
	typ   *value.Type
	addr  []plan.Instr // its address
	word  []plan.Instr // the value itself, a number that has no address; a double where it is one with a fraction; see isExtended
	parts []part       // what it is put together from, the lowest byte first
	bits  bits         // of a bit-field
}

// bits are those of a bit-field within the place of its structure.
type bits struct{ offset, size uint64 }

// A part is a run of a value's bytes that are together in memory, in a word, or are always the same.
// None of these: the program does not keep them.
type part struct {
	size uint64
	addr []plan.Instr
	word []plan.Instr
	from uint64 // the bytes of the word begin at this one
	data []byte
	// synthetic is a pointer that is not kept, to something that is: the entry of that, and the offset in it.
	synthetic debuginfo.Entry
	offset    int64
}

func (p *part) gone() bool { return p.addr == nil && p.word == nil && p.data == nil }

// slice returns the parts of size bytes from offset on.
func slice(parts []part, offset, size uint64) []part {
	var out []part
	for _, p := range parts {
		if offset >= p.size {
			offset -= p.size
			continue
		}
		if size == 0 {
			break
		}
		n := min(size, p.size-offset)
		q := p
		q.size = n
		switch {
		case p.addr != nil:
			q.addr = join(p.addr, offsetBy(offset))
		case p.word != nil:
			q.from += offset
		case p.data != nil:
			q.data = p.data[offset : offset+n]
		case offset > 0 || n < p.size:
			q.synthetic = debuginfo.Entry{}
		}
		out = append(out, q)
		size -= n
		offset = 0
	}
	if size > 0 {
		out = append(out, part{size: size})
	}
	return out
}

// join returns one run of instructions behind another.
func join(runs ...[]plan.Instr) []plan.Instr {
	var all []plan.Instr
	for _, r := range runs {
		all = append(all, r...)
	}
	return all
}

// offsetBy adds to the address on the stack.
func offsetBy(n uint64) []plan.Instr {
	if n == 0 {
		return nil
	}
	return []plan.Instr{{Op: plan.Const, Arg: int64(n)}, {Op: plan.Add}}
}

// at returns the place of type t at an offset of p.
func (p place) at(offset uint64, t *value.Type) place {
	switch {
	case p.addr != nil:
		return place{typ: t, addr: join(p.addr, offsetBy(offset))}
	case p.parts != nil:
		return place{typ: t, parts: slice(p.parts, offset, t.Size)}
	}
	return place{typ: t}
}

// gone reports whether the program keeps nothing of the value.
func (p place) gone() bool {
	if p.addr != nil || p.word != nil {
		return false
	}
	for i := range p.parts {
		if !p.parts[i].gone() || p.parts[i].synthetic.OK() {
			return false
		}
	}
	return true
}

// load returns instructions that push the value of a number, with the sign and size of its type; a double
// where it is one with a fraction.
func (p place) load() ([]plan.Instr, error) {
	if !p.typ.Scalar() {
		return nil, refusef("%s is no number", describe(p.typ))
	}
	if p.word != nil {
		return p.word, nil
	}
	if p.bits.size > 0 {
		return p.loadBits()
	}
	raw, err := p.raw(p.typ.Size)
	if err != nil {
		return nil, err
	}
	return join(raw, fit(p.typ)), nil
}

// fit makes a word from the bytes of a number.
func fit(t *value.Type) []plan.Instr {
	switch {
	case t.Kind == value.Float && t.Size == 4:
		return []plan.Instr{{Op: plan.FromF32}}
	case t.Kind == value.Float || t.Size == 8:
		return nil
	case t.Signed:
		return []plan.Instr{{Op: plan.Extend, Size: uint8(t.Size)}}
	}
	return []plan.Instr{{Op: plan.Truncate, Size: uint8(t.Size)}}
}

// raw returns instructions that push the first size bytes, at most 8, the others zero.
func (p place) raw(size uint64) ([]plan.Instr, error) {
	if p.addr != nil {
		return join(p.addr, []plan.Instr{{Op: plan.Load, Size: uint8(size)}}), nil
	}
	var code []plan.Instr
	at := uint64(0)
	for _, q := range slice(p.parts, 0, size) {
		var one []plan.Instr
		switch {
		case q.addr != nil:
			one = join(q.addr, []plan.Instr{{Op: plan.Load, Size: uint8(q.size)}})
		case q.word != nil:
			one = q.word
			if q.from > 0 {
				one = join(one, []plan.Instr{{Op: plan.Const, Arg: int64(8 * q.from)}, {Op: plan.ShrU}})
			}
			one = join(one, []plan.Instr{{Op: plan.Truncate, Size: uint8(min(q.size, 8))}})
		case q.data != nil:
			one = []plan.Instr{{Op: plan.Const, Arg: int64(value.Number(q.data))}}
		case q.synthetic.OK():
			return nil, refusef("a pointer that the program does not keep")
		default:
			return []plan.Instr{{Op: plan.Fail, Arg: int64(plan.OptimizedOut)}, {Op: plan.Const}}, nil
		}
		if at > 0 {
			one = join(one, []plan.Instr{{Op: plan.Const, Arg: int64(8 * at)}, {Op: plan.Shl}, {Op: plan.Or}})
		}
		code = append(code, one...)
		at += q.size
	}
	if len(code) == 0 {
		return []plan.Instr{{Op: plan.Fail, Arg: int64(plan.OptimizedOut)}, {Op: plan.Const}}, nil
	}
	return code, nil
}

// loadBits pushes the value of a bit-field, which may lie across the words of its structure.
func (p place) loadBits() ([]plan.Instr, error) {
	first := p.bits.offset / 8
	size := (p.bits.offset+p.bits.size+7)/8 - first
	if size > 8 {
		return nil, refusef("a bit-field of more than 8 bytes")
	}
	raw, err := place{typ: p.typ, addr: p.addr, parts: p.parts}.at(first, &value.Type{Size: size}).raw(size)
	if err != nil {
		return nil, err
	}
	shift := plan.ShrU
	if p.typ.Signed && p.typ.Kind != value.Boolean {
		shift = plan.ShrS
	}
	return join(raw, []plan.Instr{
		{Op: plan.Const, Arg: int64(64 - p.bits.size - p.bits.offset%8)}, {Op: plan.Shl},
		{Op: plan.Const, Arg: int64(64 - p.bits.size)}, {Op: shift},
	}), nil
}

// out returns instructions that append the bytes of the value.
func (p place) out() ([]plan.Instr, error) {
	switch {
	case p.word != nil:
		code := p.word
		if isExtended(p.typ) {
			return join(code, []plan.Instr{{Op: plan.Swap}, {Op: plan.Out, Size: 8}, {Op: plan.Out, Size: uint8(p.typ.Size - 8)}}), nil
		}
		if p.typ.Kind == value.Float && p.typ.Size == 4 {
			code = join(code, []plan.Instr{{Op: plan.ToF32}})
		}
		return join(code, []plan.Instr{{Op: plan.Out, Size: uint8(p.typ.Size)}}), nil
	case p.bits.size > 0:
		code, err := p.load()
		return join(code, []plan.Instr{{Op: plan.Out, Size: uint8(p.typ.Size)}}), err
	case p.addr != nil:
		return join(p.addr, []plan.Instr{{Op: plan.OutMem, Arg: int64(p.typ.Size)}}), nil
	}
	var code []plan.Instr
	for _, q := range slice(p.parts, 0, p.typ.Size) {
		switch {
		case q.addr != nil:
			code = append(join(code, q.addr), plan.Instr{Op: plan.OutMem, Arg: int64(q.size)})
		case q.word != nil:
			if q.from >= 8 {
				code = append(code, plan.Instr{Op: plan.OutGone, Arg: int64(q.size)})
				continue
			}
			code = join(code, q.word)
			if q.from > 0 {
				code = append(code, plan.Instr{Op: plan.Const, Arg: int64(8 * q.from)}, plan.Instr{Op: plan.ShrU})
			}
			n := min(q.size, 8-q.from)
			code = append(code, plan.Instr{Op: plan.Out, Size: uint8(n)})
			if n < q.size {
				code = append(code, plan.Instr{Op: plan.OutGone, Arg: int64(q.size - n)})
			}
		case q.data != nil:
			for b := q.data; len(b) > 0; b = b[min(8, len(b)):] {
				code = append(code, plan.Instr{Op: plan.Const, Arg: int64(value.Number(b))}, plan.Instr{Op: plan.Out, Size: uint8(min(8, len(b)))})
			}
		default:
			code = append(code, plan.Instr{Op: plan.OutGone, Arg: int64(q.size)})
			if q.synthetic.OK() {
				code[len(code)-1].Size = 1
			}
		}
	}
	return code, nil
}

// isSynthetic reports whether the value is a pointer that the program does not keep, to what it keeps.
func (p place) isSynthetic() bool { return len(p.parts) == 1 && p.parts[0].synthetic.OK() }

// describe names a type in a message.
func describe(t *value.Type) string {
	switch {
	case t.Kind == value.Unknown:
		return t.Name
	case t.Kind == value.Incomplete:
		return "the incomplete type " + t.Name
	case t.Kind == value.MemberPointer:
		return "a pointer to a member"
	case t.Name != "":
		return "a value of type " + t.Name
	}
	return "a value of a type without a name"
}
