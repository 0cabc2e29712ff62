package expression

import (
	"debug/dwarf"
	"encoding/binary"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"

	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// Operators of DWARF's expressions.
const (
	dwAddr            = 0x03
	dwDeref           = 0x06
	dwConst1u         = 0x08
	dwConst1s         = 0x09
	dwConst2u         = 0x0a
	dwConst2s         = 0x0b
	dwConst4u         = 0x0c
	dwConst4s         = 0x0d
	dwConst8u         = 0x0e
	dwConst8s         = 0x0f
	dwConstu          = 0x10
	dwConsts          = 0x11
	dwDup             = 0x12
	dwDrop            = 0x13
	dwOver            = 0x14
	dwPick            = 0x15
	dwSwap            = 0x16
	dwRot             = 0x17
	dwAbs             = 0x19
	dwAnd             = 0x1a
	dwDiv             = 0x1b
	dwMinus           = 0x1c
	dwMod             = 0x1d
	dwMul             = 0x1e
	dwNeg             = 0x1f
	dwNot             = 0x20
	dwOr              = 0x21
	dwPlus            = 0x22
	dwPlusUconst      = 0x23
	dwShl             = 0x24
	dwShr             = 0x25
	dwShra            = 0x26
	dwXor             = 0x27
	dwBra             = 0x28
	dwEq              = 0x29
	dwGe              = 0x2a
	dwGt              = 0x2b
	dwLe              = 0x2c
	dwLt              = 0x2d
	dwNe              = 0x2e
	dwSkip            = 0x2f
	dwLit0            = 0x30
	dwReg0            = 0x50
	dwBreg0           = 0x70
	dwRegx            = 0x90
	dwFbreg           = 0x91
	dwBregx           = 0x92
	dwPiece           = 0x93
	dwDerefSize       = 0x94
	dwNop             = 0x96
	dwPushObject      = 0x97
	dwCall2           = 0x98
	dwCall4           = 0x99
	dwFormTLS         = 0x9b
	dwCallFrameCFA    = 0x9c
	dwBitPiece        = 0x9d
	dwImplicitValue   = 0x9e
	dwStackValue      = 0x9f
	dwImplicitPointer = 0xa0
	dwAddrx           = 0xa1
	dwConstx          = 0xa2
	dwEntryValue      = 0xa3
	dwConstType       = 0xa4
	dwRegvalType      = 0xa5
	dwDerefType       = 0xa6
	dwConvert         = 0xa8
	dwReinterpret     = 0xa9
	dwGNUPushTLS      = 0xe0
	dwGNUUninit       = 0xf0
	dwGNUImplicit     = 0xf2
	dwGNUEntryValue   = 0xf3
	dwGNUConstType    = 0xf4
	dwGNURegvalType   = 0xf5
	dwGNUDerefType    = 0xf6
	dwGNUConvert      = 0xf7
	dwGNUReinterpret  = 0xf9
	dwGNUAddrIndex    = 0xfb
	dwGNUConstIndex   = 0xfc
	dwGNUVariable     = 0xfd
)

// A locator translates one DWARF expression.
type locator struct {
	c     *compiler
	of    debuginfo.Entry // what the expression is of: its unit says what offsets and indices mean
	b     []byte
	p     int
	bad   bool
	code  []plan.Instr
	types []*value.Type // of the words on the stack, nil of addresses; kept for straight code alone

	object []plan.Instr // pushes the address of the object that a type is asked about; nil where there is none

	jumps bool
	parts []part
	// What the last operators made of the word on the stack, or instead of one.
	register  bool
	isValue   bool
	data      []byte
	synthetic debuginfo.Entry
	offset    int64
}

// locate returns where an expression says that a value of type t is.
func (c *compiler) locate(of debuginfo.Entry, expr []byte, t *value.Type) (place, error) {
	if len(expr) == 0 {
		return place{typ: t}, nil
	}
	l := &locator{c: c, of: of, b: expr}
	if err := l.all(); err != nil {
		return place{}, err
	}
	if l.bad {
		return place{}, refusef("a damaged location")
	}
	if l.parts != nil {
		return place{typ: t, parts: l.parts}, nil
	}
	q, err := l.part(t.Size)
	if err != nil {
		return place{}, err
	}
	if q.addr != nil {
		return place{typ: t, addr: q.addr}, nil
	}
	parts, err := l.wide([]part{q})
	return place{typ: t, parts: parts}, err
}

// part takes what was found so far for size bytes.
func (l *locator) part(size uint64) (part, error) {
	q := part{size: size}
	switch {
	case l.data != nil:
		q.data = l.data
		if uint64(len(q.data)) < size {
			q.data = append(append([]byte(nil), q.data...), make([]byte, size-uint64(len(q.data)))...)
		}
		q.data = q.data[:size]
	case l.synthetic.OK():
		q.synthetic, q.offset = l.synthetic, l.offset
	case l.register || l.isValue:
		if size > 8 && l.isValue {
			return part{}, refusef("a value of %d bytes on DWARF's stack", size)
		}
		if top := l.top(); l.isValue && top != nil && top.Kind == value.Float && top.Size == 4 {
			l.emit(plan.ToF32, 0)
		}
		q.word = l.code
	case len(l.code) > 0:
		q.addr = l.code
	}
	l.code, l.types, l.register, l.isValue, l.data, l.synthetic = nil, nil, false, false, nil, debuginfo.Entry{}
	return q, nil
}

// wide puts a part that is in a vector register together from its halves. Those of others hold no more than a
// word.
func (l *locator) wide(parts []part) ([]part, error) {
	q := parts[0]
	if q.word == nil || q.size <= 8 {
		return parts, nil
	}
	n := q.word[0].Arg
	if len(q.word) != 1 || q.word[0].Op != plan.Register || n < firstVector || n > lastVector || q.size > 16 {
		return nil, refusef("a value of %d bytes in a register", q.size)
	}
	high := part{size: q.size - 8, word: []plan.Instr{{Op: plan.High, Arg: n}}}
	q.size = 8
	return []part{q, high}, nil
}

// The vector registers xmm0 to xmm15 by their DWARF numbers.
const firstVector, lastVector = 17, 32

func (l *locator) emit(op plan.Op, arg int64) { l.code = append(l.code, plan.Instr{Op: op, Arg: arg}) }

func (l *locator) push(op plan.Op, arg int64) { l.pushTyped(plan.Instr{Op: op, Arg: arg}, nil) }

func (l *locator) pushTyped(i plan.Instr, t *value.Type) {
	l.code = append(l.code, i)
	l.types = append(l.types, t)
}

func (l *locator) top() *value.Type {
	if len(l.types) == 0 {
		return nil
	}
	return l.types[len(l.types)-1]
}

func (l *locator) pop() *value.Type {
	t := l.top()
	l.types = l.types[:max(len(l.types)-1, 0)]
	return t
}

func (l *locator) take(n uint64) []byte {
	if n > uint64(len(l.b)-l.p) {
		l.bad = true
		l.p = len(l.b)
		return make([]byte, min(n, 16))
	}
	l.p += int(n)
	return l.b[l.p-int(n) : l.p]
}

func (l *locator) u(n int) uint64 { return value.Number(l.take(uint64(n))) }

func (l *locator) s(n int) int64 {
	shift := 64 - 8*uint(n)
	return int64(l.u(n)<<shift) >> shift
}

func (l *locator) uleb() uint64 {
	v, n := binary.Uvarint(l.b[l.p:])
	if n <= 0 {
		l.bad = true
		l.p = len(l.b)
		return 0
	}
	l.p += n
	return v
}

func (l *locator) sleb() int64 {
	var v int64
	for shift := uint(0); ; {
		b := l.u(1)
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b < 0x80 || l.bad {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// typed is the type at an offset of the unit; 0 is that of addresses.
func (l *locator) typed(off uint64) (*value.Type, error) {
	if off == 0 {
		return nil, nil
	}
	t := l.c.types.of(l.of.Near(off))
	if !t.Scalar() {
		return nil, refusef("a location that calculates with %s", describe(t))
	}
	return t, nil
}

// mostNested bounds how far locations refer to others.
const mostNested = 8

// all translates the whole expression.
func (l *locator) all() error {
	starts := map[int]int{} // instruction by offset, for jumps
	type jump struct{ at, to int }
	var jumps []jump
	for l.p < len(l.b) && !l.bad {
		starts[l.p] = len(l.code)
		op := l.b[l.p]
		l.p++
		switch {
		case op == dwBra || op == dwSkip:
			by := int(l.s(2))
			if op == dwBra {
				l.pop()
				l.emit(plan.JumpZero, 1)
			}
			l.emit(plan.Jump, 0)
			jumps = append(jumps, jump{len(l.code) - 1, l.p + by})
			l.jumps = true
		case op == dwPiece || op == dwBitPiece:
			size := l.uleb()
			if op == dwBitPiece {
				if off := l.uleb(); off != 0 || size%8 != 0 {
					return refusef("a value that is put together from bits")
				}
				size /= 8
			}
			if len(jumps) > 0 || size > plan.Longest {
				return refusef("a location that is not understood")
			}
			q, err := l.part(size)
			if err != nil {
				return err
			}
			more, err := l.wide([]part{q})
			if err != nil {
				return err
			}
			l.parts = append(l.parts, more...)
			clear(starts)
		default:
			if err := l.one(op); err != nil {
				return err
			}
		}
	}
	starts[l.p] = len(l.code)
	for _, j := range jumps {
		to, ok := starts[j.to]
		if !ok {
			return refusef("a location that is not understood")
		}
		l.code[j.at].Arg = int64(to - j.at - 1)
	}
	if l.parts != nil && len(l.code) > 0 {
		return refusef("a location that is not understood")
	}
	return nil
}

// one translates an operator.
func (l *locator) one(op byte) error {
	switch {
	case op >= dwLit0 && op < dwReg0:
		l.push(plan.Const, int64(op-dwLit0))
		return nil
	case op >= dwReg0 && op < dwBreg0:
		l.inRegister(uint64(op - dwReg0))
		return nil
	case op >= dwBreg0 && op < dwRegx:
		l.push(plan.Register, int64(op-dwBreg0))
		l.plus(l.sleb())
		return nil
	}
	switch op {
	case dwAddr:
		l.push(plan.Address, int64(l.u(8)))
	case dwAddrx, dwGNUAddrIndex:
		l.push(plan.Address, int64(l.of.Indexed(l.uleb())))
	case dwConstx, dwGNUConstIndex:
		l.push(plan.Const, int64(l.of.Indexed(l.uleb())))
	case dwConst1u:
		l.push(plan.Const, int64(l.u(1)))
	case dwConst2u:
		l.push(plan.Const, int64(l.u(2)))
	case dwConst4u:
		l.push(plan.Const, int64(l.u(4)))
	case dwConst8u, dwConst8s:
		l.push(plan.Const, int64(l.u(8)))
	case dwConst1s:
		l.push(plan.Const, l.s(1))
	case dwConst2s:
		l.push(plan.Const, l.s(2))
	case dwConst4s:
		l.push(plan.Const, l.s(4))
	case dwConstu:
		l.push(plan.Const, int64(l.uleb()))
	case dwConsts:
		l.push(plan.Const, l.sleb())
	case dwRegx:
		l.inRegister(l.uleb())
	case dwBregx:
		l.push(plan.Register, int64(l.uleb()))
		l.plus(l.sleb())
	case dwFbreg:
		base, err := l.c.frameBase()
		if err != nil {
			return err
		}
		l.code = append(l.code, base...)
		l.types = append(l.types, nil)
		l.plus(l.sleb())
	case dwPushObject:
		if l.object == nil {
			return refusef("a location that is not understood")
		}
		l.code = append(l.code, l.object...)
		l.types = append(l.types, nil)
	case dwCallFrameCFA:
		l.push(plan.CFA, 0)
	case dwFormTLS, dwGNUPushTLS:
		// What is on the stack is the offset in the object's thread-local data.
		if n := len(l.code); n > 0 && (l.code[n-1].Op == plan.Const || l.code[n-1].Op == plan.Address) {
			l.code[n-1].Op = plan.Thread
		} else {
			return refusef("a thread-local variable at an offset that varies")
		}
	case dwStackValue:
		l.isValue = true
	case dwImplicitValue:
		n := l.uleb()
		l.data = l.take(n)
	case dwNop, dwGNUUninit:
	case dwEntryValue, dwGNUEntryValue:
		return l.entryValue()
	case dwImplicitPointer, dwGNUImplicit:
		off := l.u(l.of.OffsetSize())
		l.offset = l.sleb()
		if l.synthetic = l.of.At(off); !l.synthetic.OK() {
			return refusef("a pointer that the program does not keep")
		}
	case dwCall2, dwCall4:
		return l.call(l.u(map[byte]int{dwCall2: 2, dwCall4: 4}[op]))
	case dwGNUVariable:
		return refusef("a variable value in a location")
	default:
		return l.calculate(op)
	}
	return nil
}

func (l *locator) plus(n int64) {
	if n != 0 {
		l.emit(plan.Const, n)
		l.emit(plan.Add, 0)
	}
}

// inRegister says that the value is in a register. Vector registers hold more than a word.
func (l *locator) inRegister(n uint64) {
	l.push(plan.Register, int64(n))
	l.register = true
}

// entryValue translates what a register held when the function was entered.
func (l *locator) entryValue() error {
	n := l.uleb()
	b := l.take(n)
	in := &locator{c: l.c, of: l.of, b: b}
	op := in.u(1)
	switch {
	case len(b) == 1 && op >= dwReg0 && op < dwBreg0:
		l.push(plan.Entry, int64(op-dwReg0))
	case op == dwRegx:
		l.push(plan.Entry, int64(in.uleb()))
	default:
		return refusef("what memory held when the function was entered")
	}
	return nil
}

// call translates the location of another entry in the midst of this one.
func (l *locator) call(off uint64) error {
	if l.c.nested++; l.c.nested > mostNested {
		return refusef("locations that refer to each other")
	}
	defer func() { l.c.nested-- }()
	of := l.of.Near(off)
	expr := of.Block(dwarf.AttrLocation)
	in := &locator{c: l.c, of: of, b: expr, types: l.types}
	if err := in.all(); err != nil {
		return err
	}
	if in.bad || in.parts != nil || in.register || in.isValue || in.data != nil || in.synthetic.OK() {
		return refusef("a location that is not understood")
	}
	l.code = append(l.code, in.code...)
	l.types = in.types
	return nil
}
