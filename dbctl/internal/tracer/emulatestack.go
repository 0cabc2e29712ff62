package tracer

import (
	"bytes"
	"encoding/binary"
	"os"
	"sync"
)

// shadowStacks reports whether the processor and the kernel have shadow stacks for programs.
var shadowStacks = sync.OnceValue(func() bool {
	info, err := os.ReadFile("/proc/cpuinfo")
	return err != nil || bytes.Contains(info, []byte(" user_shstk"))
})

// onStack does what needs no operand in memory but the stack, or none at all, and returns where
// it ends.
func (m *emulation) onStack(op byte, at int) (end int, ok bool) {
	r := m.regs
	switch {
	case op&0xf8 == 0x58: // pop
		value, ok := m.word(r.Rsp)
		if !ok {
			return 0, false
		}
		r.Rsp += 8
		*m.reg(op&7 | m.bit(rexB)) = value
	case op == 0xc9: // leave
		value, ok := m.word(r.Rbp)
		if !ok {
			return 0, false
		}
		r.Rsp, r.Rbp = r.Rbp+8, value
	case op == 0xe8 && !m.shadow: // call
		to := uint64(m.constant(at, 4))
		at += 4
		if !m.push(r.Rip + uint64(at)) {
			return 0, false
		}
		r.Rip += to
	case op == 0xc3 && !m.shadow: // ret
		back, ok := m.word(r.Rsp)
		const userHalf = 47
		if !ok || back>>userHalf != 0 {
			return 0, false // it would fault
		}
		r.Rsp += 8
		r.Rip = back - uint64(at)
	case op&0xf0 == 0x70: // a jump under a condition
		if m.holds(op & 0xf) {
			r.Rip += uint64(m.constant(at, 1))
		}
		at++
	case op == 0x98: // the lower half of rax, or of eax, widened
		m.set(0, signed(r.Rax, m.width()/2))
	case op == 0x99: // the sign of rax, or of eax, in rdx
		m.set(2, uint64(int64(r.Rax<<(64-m.width()))>>63))
	default:
		return 0, false
	}
	return at, true
}

func (m *emulation) push(value uint64) bool {
	if !m.store(m.regs.Rsp-8, value, 64) {
		return false
	}
	m.regs.Rsp -= 8
	return true
}

func (m *emulation) word(addr uint64) (uint64, bool) {
	var b [8]byte
	ok := m.load(addr, b[:])
	return binary.LittleEndian.Uint64(b[:]), ok
}

// put gives the operand that may be in memory a value.
func (m *emulation) put(o *operation, value uint64) bool {
	if o.memory {
		return m.store(o.addr, value, o.size)
	}
	m.set(o.rm, value)
	return true
}

// arithmetic is an operation by its number, its result and what the flags are then; turned: b comes first.
func (m *emulation) arithmetic(number byte, a, b uint64, turned bool, size int) (result, flags uint64, ok bool) {
	before := m.regs.Eflags
	defer func() { m.regs.Eflags = before }()
	if turned {
		a, b = b, a
	}
	switch number {
	case 0:
		result = m.plus(a, b, size)
	case 1:
		result = m.logic(a|b, size)
	case 4:
		result = m.logic(a&b, size)
	case 5:
		result = m.minus(a, b, size)
	case 6:
		result = m.logic(a^b, size)
	default:
		return 0, 0, false // with the carry
	}
	return result, m.regs.Eflags, true
}

func (m *emulation) plus(a, b uint64, size int) uint64 {
	a, b = cut(a, size), cut(b, size)
	result := cut(a+b, size)
	var more uint64
	if result < a {
		more |= flagCarry
	}
	if (a^b^result)>>4&1 != 0 {
		more |= flagAdjust
	}
	if (a^result)&(b^result)>>(size-1)&1 != 0 {
		more |= flagOverflow
	}
	return m.flags(result, more, size)
}

// holds reports whether a condition does, by its number.
func (m *emulation) holds(number byte) bool {
	is := func(flag uint64) bool { return m.regs.Eflags&flag != 0 }
	var yes bool
	switch number >> 1 {
	case 0:
		yes = is(flagOverflow)
	case 1:
		yes = is(flagCarry)
	case 2:
		yes = is(flagZero)
	case 3:
		yes = is(flagCarry | flagZero)
	case 4:
		yes = is(flagSign)
	case 5:
		yes = is(flagParity)
	case 6:
		yes = is(flagSign) != is(flagOverflow)
	case 7:
		yes = is(flagZero) || is(flagSign) != is(flagOverflow)
	}
	return yes != (number&1 != 0)
}
