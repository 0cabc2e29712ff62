package unwind

import "math/bits"

// DWARF operations that are used by name; the others stand in eval.
const (
	opDeref = 0x06
	opBreg0 = 0x70
)

const (
	maxExprSteps = 1000 // branches may lead back
	maxExprStack = 64
)

// eval runs a DWARF expression on the registers of a frame. initial, if push
// is set, is on the stack at first.
func (s *state) eval(m *window, expr []byte, push bool, initial uint64) (uint64, bool) {
	var (
		buf [maxExprStack]uint64
		st  = buf[:0]
		c   = cursor{b: expr}
	)
	if push {
		st = append(st, initial)
	}
	pop := func() uint64 {
		if len(st) == 0 {
			c.bad = true
			return 0
		}
		v := st[len(st)-1]
		st = st[:len(st)-1]
		return v
	}
	reg := func(r uint64) uint64 {
		if r >= numRegs || s.known>>r&1 == 0 {
			c.bad = true
			return 0
		}
		return s.reg[r]
	}
	load := func(addr uint64, size uint) uint64 {
		v, ok := m.load(addr)
		if !ok || size == 0 || size > 8 {
			c.bad = true
			return 0
		}
		return v << (64 - 8*size) >> (64 - 8*size)
	}
	pick := func(n uint64) uint64 {
		if n >= uint64(len(st)) {
			c.bad = true
			return 0
		}
		return st[len(st)-1-int(n)]
	}
	jump := func(d int16) {
		p := c.p + int(d)
		if p < 0 || p > len(expr) {
			c.bad = true
			return
		}
		c.p = p
	}
	truth := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	for steps := 0; !c.done(); steps++ {
		if steps == maxExprSteps || len(st) >= maxExprStack-1 {
			return 0, false
		}
		var v uint64
		switch op := c.u8(); op {
		case 0x03, 0x0e, 0x0f: // addr, const8u, const8s
			v = c.u64()
		case opDeref:
			v = load(pop(), 8)
		case 0x08: // const1u
			v = uint64(c.u8())
		case 0x09: // const1s
			v = uint64(int8(c.u8()))
		case 0x0a: // const2u
			v = uint64(c.u16())
		case 0x0b: // const2s
			v = uint64(int16(c.u16()))
		case 0x0c: // const4u
			v = uint64(c.u32())
		case 0x0d: // const4s
			v = uint64(int32(c.u32()))
		case 0x10: // constu
			v = c.uleb()
		case 0x11: // consts
			v = uint64(c.sleb())
		case 0x12: // dup
			v = pick(0)
		case 0x13: // drop
			pop()
			continue
		case 0x14: // over
			v = pick(1)
		case 0x15: // pick
			v = pick(uint64(c.u8()))
		case 0x16: // swap
			a, b := pop(), pop()
			st = append(st, a)
			v = b
		case 0x17: // rot
			a, b, d := pop(), pop(), pop()
			st = append(st, a, d)
			v = b
		case 0x19: // abs
			v = pop()
			if int64(v) < 0 {
				v = -v
			}
		case 0x1a: // and
			v = pop() & pop()
		case 0x1b: // div, signed
			b, a := pop(), pop()
			if b == 0 {
				return 0, false
			}
			v = uint64(int64(a) / int64(b))
		case 0x1c: // minus
			b, a := pop(), pop()
			v = a - b
		case 0x1d: // mod, unsigned
			b, a := pop(), pop()
			if b == 0 {
				return 0, false
			}
			_, v = bits.Div64(0, a, b)
		case 0x1e: // mul
			v = pop() * pop()
		case 0x1f: // neg
			v = -pop()
		case 0x20: // not
			v = ^pop()
		case 0x21: // or
			v = pop() | pop()
		case 0x22: // plus
			v = pop() + pop()
		case 0x23: // plus_uconst
			v = pop() + c.uleb()
		case 0x24: // shl
			b, a := pop(), pop()
			v = a << b
		case 0x25: // shr
			b, a := pop(), pop()
			v = a >> b
		case 0x26: // shra
			b, a := pop(), pop()
			v = uint64(int64(a) >> b)
		case 0x27: // xor
			v = pop() ^ pop()
		case 0x28: // bra
			d := int16(c.u16())
			if pop() != 0 {
				jump(d)
			}
			continue
		case 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e: // eq, ge, gt, le, lt, ne
			b, a := int64(pop()), int64(pop())
			v = truth([...]bool{a == b, a >= b, a > b, a <= b, a < b, a != b}[op-0x29])
		case 0x2f: // skip
			jump(int16(c.u16()))
			continue
		case 0x92: // bregx
			v = reg(c.uleb()) + uint64(c.sleb())
		case 0x94: // deref_size
			size := uint(c.u8())
			v = load(pop(), size)
		case 0x96: // nop
			continue
		default:
			switch {
			case op >= 0x30 && op <= 0x4f: // lit0 to lit31
				v = uint64(op - 0x30)
			case op >= opBreg0 && op <= 0x8f:
				v = reg(uint64(op-opBreg0)) + uint64(c.sleb())
			default:
				return 0, false
			}
		}
		st = append(st, v)
	}
	if c.bad || len(st) == 0 {
		return 0, false
	}
	return st[len(st)-1], true
}
