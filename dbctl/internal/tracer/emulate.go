package tracer

import (
	"encoding/binary"
	"math/bits"

	"golang.org/x/sys/unix"
)

// Emulate does in a thread's registers, and in its memory, what the instruction at
// their Rip does: those with which functions begin. It's for a breakpoint that stays
// where it is, so that no other thread misses it. code is what is below the breakpoint.
//
// It reports false, and has changed nothing, where the instruction is none that it
// knows; where reading or writing would fault; and where the thread steps itself. Calls
// and returns are not done where a shadow stack would have to know of them.
func (t *Tracer) Emulate(tid int, code []byte, regs *unix.PtraceRegs) bool {
	const trapFlag = 0x100
	if regs.Eflags&trapFlag != 0 {
		return false
	}
	m := emulation{
		regs: regs, code: code,
		load: func(addr uint64, b []byte) bool { return read(tid, addr, b) == len(b) },
		store: func(addr, value uint64, size int) bool {
			return write(tid, addr, binary.LittleEndian.AppendUint64(nil, value)[:size/8]) == nil
		},
		shadow: shadowStacks(),
	}
	return m.run()
}

// emulation is one instruction.
type emulation struct {
	regs   *unix.PtraceRegs
	code   []byte
	rex    byte
	load   func(addr uint64, b []byte) bool
	store  func(addr, value uint64, size int) bool // size in bits
	shadow bool                                    // there may be a shadow stack
}

// The bits of a REX prefix, which say more of the operands.
const (
	rexB = 1 << iota
	rexX
	rexR
	rexW
)

// codeLength is that of the longest instruction.
const codeLength = 15

// marks do nothing: what a jump or a call may lead to, and room for patches.
var marks = []string{
	"\xf3\x0f\x1e\xfa", "\x90", "\x66\x90", "\x0f\x1f\x00", "\x0f\x1f\x40\x00", "\x0f\x1f\x44\x00\x00", "\x66\x0f\x1f\x44\x00\x00",
}

func (m *emulation) run() bool {
	for _, mark := range marks {
		if len(m.code) >= len(mark) && string(m.code[:len(mark)]) == mark {
			m.regs.Rip += uint64(len(mark))
			return true
		}
	}
	at := 0
	if len(m.code) > 0 && m.code[0]&0xf0 == 0x40 {
		m.rex, at = m.code[0], 1
	}
	if len(m.code) < codeLength { // of which the end may be another's
		return false
	}
	op := m.code[at]
	at++
	switch {
	case op&0xf8 == 0x50: // push
		if !m.push(*m.reg(op&7 | m.bit(rexB))) {
			return false
		}
	case op&0xf8 == 0xb8 && m.rex&rexW == 0: // mov of a constant
		*m.reg(op&7 | m.bit(rexB)) = uint64(m.constant(at, 4)) & 0xffffffff
		at += 4
	case op == 0xe9, op == 0xeb: // jmp
		size := 4
		if op == 0xeb {
			size = 1
		}
		m.regs.Rip += uint64(m.constant(at, size))
		at += size
	default:
		end, ok := m.onStack(op, at)
		if !ok {
			end, ok = m.withOperand(op, at)
		}
		if !ok {
			return false
		}
		at = end
	}
	m.regs.Rip += uint64(at)
	return true
}

// withOperand does those that have a ModRM byte, and returns where they end.
func (m *emulation) withOperand(op byte, at int) (end int, ok bool) {
	wide := op == 0x0f // another byte of the operation follows
	if wide {
		op = m.code[at]
		at++
	}
	o := operation{op: op, size: m.width(), from: m.width()}
	switch {
	case wide && op == 0xb6, wide && op == 0xbe: // movzx and movsx, of a byte
		o.from = 8
	case wide && op == 0xb7, wide && op == 0xbf:
		o.from = 16
	case wide && op&0xf0 == 0x80: // a jump under a condition
		if m.holds(op & 0xf) {
			m.regs.Rip += uint64(m.constant(at, 4))
		}
		return at + 4, true
	case wide:
		return 0, false
	case op == 0x63: // movsxd
		o.from = 32
	case op == 0x38, op == 0x3a, op == 0x84, op == 0x80, op == 0x88, op == 0xc6:
		o.size, o.from = 8, 8
	}
	o.wide = wide
	modrm := m.code[at]
	at++
	o.number = modrm >> 3 & 7
	o.reg = o.number | m.bit(rexR)
	o.memory = modrm>>6 != 3
	if o.memory {
		if o.addr, at, ok = m.address(modrm, at); !ok {
			return 0, false
		}
	} else if o.rm = modrm&7 | m.bit(rexB); o.from == 8 && m.rex == 0 && o.rm > 3 {
		return 0, false // the second byte of a register
	}
	size := 0 // of the constant
	switch op {
	case 0x80, 0x83, 0xc6:
		size = 1
	case 0x81, 0xc7:
		size = 4
	}
	if size > 0 && !wide {
		o.constant = uint64(m.constant(at, size))
		at += size
	}
	if m.relative(modrm) {
		o.addr += m.regs.Rip + uint64(at) // from the end of the instruction
	}
	return at, m.operate(&o)
}

// relative reports whether an operand's address counts from the instruction.
func (m *emulation) relative(modrm byte) bool { return modrm&0xc7 == 0x05 }

// operation is what is done with which operands.
type operation struct {
	op         byte
	wide       bool
	size, from int  // bits of the result, and of the operand that may be in memory
	reg, rm    byte // registers
	number     byte // without the prefix: it chooses among the operations of some codes
	memory     bool
	addr       uint64
	constant   uint64
}

func (m *emulation) operate(o *operation) bool {
	switch {
	case o.wide:
	case o.op == 0x8d: // lea
		if o.memory {
			m.set(o.reg, o.addr)
		}
		return o.memory
	case o.op == 0x89: // mov
		return m.put(o, *m.reg(o.reg))
	case o.op == 0x88 && (m.rex != 0 || o.reg <= 3) && o.memory:
		return m.put(o, *m.reg(o.reg))
	case o.op == 0xc6 && o.memory && o.number == 0, o.op == 0xc7 && o.number == 0:
		return m.put(o, o.constant)
	}
	a, ok := m.operand(o)
	if !ok {
		return false
	}
	b := *m.reg(o.reg)
	switch {
	case o.wide && o.op < 0xbe, !o.wide && o.op == 0x8b: // movzx, mov
		m.set(o.reg, a)
	case o.wide: // movsx
		m.set(o.reg, signed(a, o.from))
	case o.op == 0x63: // movsxd
		m.set(o.reg, signed(a, o.from))
	case o.op < 0x38 && o.op&4 == 0 && o.op&1 != 0: // one that gives a result
		result, flags, ok := m.arithmetic(o.op>>3, a, b, o.op&2 != 0, o.size)
		if !ok {
			return false
		}
		if o.op&2 != 0 {
			m.set(o.reg, result)
		} else if !m.put(o, result) {
			return false
		}
		m.regs.Eflags = flags
	case o.op == 0x85: // test
		m.logic(a&b, o.size)
	case o.op == 0x84 && (m.rex != 0 || o.reg <= 3):
		m.logic(a&b, o.size)
	case o.op == 0x39, o.op == 0x38 && (m.rex != 0 || o.reg <= 3): // cmp
		m.minus(a, b, o.size)
	case o.op == 0x3b, o.op == 0x3a && (m.rex != 0 || o.reg <= 3):
		m.minus(b, a, o.size)
	case o.op == 0x80, o.op == 0x81, o.op == 0x83: // with a constant
		switch {
		case o.number == 7: // cmp
			m.minus(a, o.constant, o.size)
		case o.size == 8:
			return false
		default:
			result, flags, ok := m.arithmetic(o.number, a, o.constant, false, o.size)
			if !ok || !m.put(o, result) {
				return false
			}
			m.regs.Eflags = flags
		}
	default:
		return false
	}
	return true
}

// operand is the one that may be in memory.
func (m *emulation) operand(o *operation) (uint64, bool) {
	if !o.memory {
		return cut(*m.reg(o.rm), o.from), true
	}
	var b [8]byte
	ok := m.load(o.addr, b[:o.from/8])
	return binary.LittleEndian.Uint64(b[:]), ok
}

func signed(v uint64, bits int) uint64 {
	return uint64(int64(v<<(64-bits)) >> (64 - bits))
}

// address is that of an operand in memory, or what is to be added to where the
// instruction ends.
func (m *emulation) address(modrm byte, at int) (addr uint64, end int, ok bool) {
	mod, rm := modrm>>6, modrm&7
	far := mod == 2
	switch {
	case rm == 4:
		sib := m.code[at]
		at++
		if index := sib>>3&7 | m.bit(rexX); index != 4 {
			addr = *m.reg(index) << (sib >> 6)
		}
		if sib&7 == 5 && mod == 0 {
			return 0, 0, false
		}
		addr += *m.reg(sib&7 | m.bit(rexB))
	case m.relative(modrm):
		far = true
	default:
		addr = *m.reg(rm | m.bit(rexB))
	}
	switch {
	case mod == 1:
		addr += uint64(m.constant(at, 1))
		at++
	case far:
		addr += uint64(m.constant(at, 4))
		at += 4
	}
	return addr, at, true
}

// bit is what a bit of the prefix adds to the number of a register.
func (m *emulation) bit(which byte) byte {
	if m.rex&which != 0 {
		return 8
	}
	return 0
}

func (m *emulation) width() int {
	if m.rex&rexW != 0 {
		return 64
	}
	return 32
}

// cut leaves the lower bits of a value.
func cut(v uint64, bits int) uint64 { return v << (64 - bits) >> (64 - bits) }

// set gives a register a value; a narrow one clears its upper half.
func (m *emulation) set(number byte, v uint64) { *m.reg(number) = cut(v, m.width()) }

func (m *emulation) reg(number byte) *uint64 {
	r := m.regs
	return [...]*uint64{
		&r.Rax, &r.Rcx, &r.Rdx, &r.Rbx, &r.Rsp, &r.Rbp, &r.Rsi, &r.Rdi,
		&r.R8, &r.R9, &r.R10, &r.R11, &r.R12, &r.R13, &r.R14, &r.R15,
	}[number]
}

// constant is a signed one in the instruction.
func (m *emulation) constant(at, size int) int64 {
	if size == 1 {
		return int64(int8(m.code[at]))
	}
	return int64(int32(binary.LittleEndian.Uint32(m.code[at:])))
}

// The flags that arithmetic sets.
const (
	flagCarry    = 1 << 0
	flagParity   = 1 << 2
	flagAdjust   = 1 << 4
	flagZero     = 1 << 6
	flagSign     = 1 << 7
	flagOverflow = 1 << 11
	allFlags     = flagCarry | flagParity | flagAdjust | flagZero | flagSign | flagOverflow
)

func (m *emulation) logic(result uint64, size int) uint64 { return m.flags(result, 0, size) }

func (m *emulation) minus(a, b uint64, size int) uint64 {
	a, b = cut(a, size), cut(b, size)
	result := cut(a-b, size)
	var more uint64
	if a < b {
		more |= flagCarry
	}
	if (a^b^result)>>4&1 != 0 {
		more |= flagAdjust
	}
	if (a^b)&(a^result)>>(size-1)&1 != 0 {
		more |= flagOverflow
	}
	return m.flags(result, more, size)
}

// flags sets those of a result, and more.
func (m *emulation) flags(result, more uint64, size int) uint64 {
	result = cut(result, size)
	if result == 0 {
		more |= flagZero
	}
	if result>>(size-1) != 0 {
		more |= flagSign
	}
	if bits.OnesCount8(uint8(result))%2 == 0 {
		more |= flagParity
	}
	m.regs.Eflags = m.regs.Eflags&^allFlags | more
	return result
}
