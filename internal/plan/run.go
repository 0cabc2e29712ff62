package plan

import (
	"encoding/binary"
	"math"
	"slices"
)

// A Frame is an activation of a function of a thread that stands still.
type Frame interface {
	// Register is what a register holds in this frame, by its DWARF number; false if the frames below it
	// do not tell.
	Register(n int) (uint64, bool)
	// High is the second half of a vector register.
	High(n int) (uint64, bool)
	// CFA is the canonical frame address, false where it is not known.
	CFA() (uint64, bool)
	// Entry is what a register held when the function of the frame was entered.
	Entry(n int) (uint64, bool)
	// Bias is the difference between the addresses of the process and those of the object.
	Bias() uint64
	// Thread is the address of the thread's copy of the thread-local variable at an offset in the object's.
	Thread(offset uint64) (uint64, bool)
	// Read reads memory, all of b or nothing.
	Read(b []byte, addr uint64) bool
}

const (
	mostSteps = 4096 // of a plan
	deepest   = 64   // words on its stack

	Longest = 1 << 16 // bytes of a value
)

// Run executes instructions in a frame, and appends what they write to out: the bytes of a value, and
// of each text its length in two bytes, and its bytes (see value.Decode). If the outcome is not Got,
// nothing is appended.
func Run(code []Instr, f Frame, out []byte) ([]byte, Outcome) {
	begin := len(out)
	out, why := run(code, f, out)
	if why != Got {
		out = out[:begin]
	}
	return out, why
}

func run(code []Instr, f Frame, out []byte) ([]byte, Outcome) {
	begin := len(out)
	var stack [deepest]uint64
	n := 0
	for pc, steps := 0, 0; pc < len(code); pc++ {
		if steps++; steps > mostSteps {
			return out, TooLong
		}
		i := code[pc]
		// The compiler counts the depth: see depthOf. Here only loops could go beyond it.
		if n > deepest-2 {
			return out, TooLong
		}
		if i.Op > End && i.Op <= lastExtended {
			var ok bool
			if n, ok = extended(i, stack[:], n); !ok {
				return out, TooLong
			}
			continue
		}
		if i.Op > End || i.Size > 8 || n < pops[i.Op] {
			return out, TooLong
		}
		switch i.Op {
		case Fail:
			return out, Outcome(i.Arg)
		case Const:
			stack[n] = uint64(i.Arg)
			n++
		case Address:
			stack[n] = uint64(i.Arg) + f.Bias()
			n++
		case Register, High, Entry, CFA, Thread:
			var ok bool
			why := NoRegister
			switch i.Op {
			case Register:
				stack[n], ok = f.Register(int(i.Arg))
			case High:
				stack[n], ok = f.High(int(i.Arg))
			case CFA:
				stack[n], ok = f.CFA()
			case Entry:
				stack[n], ok = f.Entry(int(i.Arg))
				why = NoEntry
			case Thread:
				stack[n], ok = f.Thread(uint64(i.Arg))
				why = NoThread
			}
			if !ok {
				return out, why
			}
			n++
		case Load:
			// What is read goes behind the output for a moment: a buffer here would be one of the heap.
			out = append(out, 0, 0, 0, 0, 0, 0, 0, 0)
			word := out[len(out)-8:]
			out = out[:len(out)-8]
			if !f.Read(word[:i.Size], stack[n-1]) {
				if i.Arg != 1 {
					return out, NoMemory
				}
				binary.LittleEndian.PutUint64(word, math.MaxUint64)
			}
			stack[n-1] = binary.LittleEndian.Uint64(word)
		case Extend:
			shift := 64 - 8*uint(i.Size)
			stack[n-1] = uint64(int64(stack[n-1]<<shift) >> shift)
		case Truncate:
			shift := 64 - 8*uint(i.Size)
			stack[n-1] = stack[n-1] << shift >> shift
		case Dup:
			stack[n] = stack[n-1]
			n++
		case Drop:
			n--
		case Swap:
			stack[n-1], stack[n-2] = stack[n-2], stack[n-1]
		case Pick:
			if i.Arg < 0 || i.Arg >= int64(n) {
				return out, TooLong
			}
			stack[n] = stack[n-1-int(i.Arg)]
			n++
		case Rotate:
			stack[n-1], stack[n-2], stack[n-3] = stack[n-2], stack[n-3], stack[n-1]
		case Jump, JumpZero:
			if i.Op == JumpZero {
				if n--; stack[n] != 0 {
					continue
				}
			}
			if i.Arg < int64(-1-pc) || i.Arg > int64(len(code)-1-pc) {
				return out, TooLong
			}
			pc += int(i.Arg)
		case Out:
			n--
			if len(out)-begin > Longest-8 {
				return out, TooLong
			}
			out = binary.LittleEndian.AppendUint64(out, stack[n])
			out = out[:len(out)-8+int(i.Size)]
		case OutMem:
			n--
			if i.Arg < 0 || i.Arg > Longest-int64(len(out)-begin) {
				return out, TooLong
			}
			at := len(out)
			out = longer(out, int(i.Arg))
			if !f.Read(out[at:], stack[n]) {
				return out, NoMemory
			}
		case OutGone:
			if i.Arg < 0 || i.Arg > Longest-int64(len(out)-begin) {
				return out, TooLong
			}
			out = longer(out, int(i.Arg))
		case OutText:
			n--
			if i.Arg < 0 || i.Arg > Longest-2-int64(len(out)-begin) {
				return out, TooLong
			}
			out = text(f, stack[n], int(i.Arg), i.width(), out)
		case OutBlock:
			n--
			if i.Arg < 0 || i.Arg >= unreadable || i.Arg > Longest-2-int64(len(out)-begin) {
				return out, TooLong
			}
			out, stack[n-1] = block(f, stack[n-1], int(min(stack[n], uint64(i.Arg))), out)
		case End:
			return out, Got
		case DivS, DivU, ModS, ModU:
			n--
			if stack[n] == 0 {
				return out, DivisionByZero
			}
			stack[n-1] = divide(i.Op, stack[n-1], stack[n])
		default:
			if pops[i.Op] == 1 {
				stack[n-1] = unaryOp(i.Op, stack[n-1])
				continue
			}
			n--
			stack[n-1] = binaryOp(i.Op, stack[n-1], stack[n])
		}
	}
	return out, Got
}

// longer appends n zeros.
func longer(out []byte, n int) []byte {
	at := len(out)
	out = slices.Grow(out, n)[:at+n]
	clear(out[at:])
	return out
}

// unreadable stands for the length of a text that cannot be read.
const unreadable = 0xffff

// text appends the length of the text at an address, and its bytes: up to most, and to a character of zeros, which is the
// last of them. Characters have so many bytes.
func text(f Frame, addr uint64, most, width int, out []byte) []byte {
	head := len(out)
	out = append(out, unreadable&0xff, unreadable>>8)
	if addr == 0 {
		return out
	}
	start := len(out)
	seen := start // up to here there is no character of zeros
	for len(out)-start < most {
		// No piece goes beyond a page, the next of which may not be there.
		n := min(64, most-(len(out)-start), int(4096-addr%4096))
		at := len(out)
		out = longer(out, n)
		if !f.Read(out[at:], addr) {
			out = out[:at]
			if at == start {
				return out
			}
			break
		}
		addr += uint64(n)
		ended := false
		for !ended && len(out)-seen >= width {
			ended = !slices.ContainsFunc(out[seen:seen+width], func(b byte) bool { return b != 0 })
			seen += width
		}
		if ended {
			break
		}
	}
	out = out[:seen]
	binary.LittleEndian.PutUint16(out[head:], uint16(len(out)-start))
	return out
}

// width is that of the characters of a text.
func (i *Instr) width() int {
	if i.Size == 2 || i.Size == 4 {
		return int(i.Size)
	}
	return 1
}

// block appends the length of what is at an address, and its bytes, all of them or none.
func block(f Frame, addr uint64, size int, out []byte) ([]byte, uint64) {
	at := len(out) + 2
	out = longer(binary.LittleEndian.AppendUint16(out, uint16(size)), size)
	if size > 0 && (addr == 0 || !f.Read(out[at:], addr)) {
		out = out[:at]
		binary.LittleEndian.PutUint16(out[at-2:], unreadable)
		return out, 0
	}
	return out, 1
}

// pops is how many words an instruction takes from the stack, or looks at.
var pops = [End + 1]int{
	Load: 1, Extend: 1, Truncate: 1, Dup: 1, Drop: 1, Swap: 2, Rotate: 3,
	Add: 2, Sub: 2, Mul: 2, DivS: 2, DivU: 2, ModS: 2, ModU: 2, Neg: 1, Not: 1,
	And: 2, Or: 2, Xor: 2, Shl: 2, ShrS: 2, ShrU: 2,
	Eq: 2, Ne: 2, LtS: 2, LtU: 2, LeS: 2, LeU: 2,
	FAdd: 2, FSub: 2, FMul: 2, FDiv: 2, FNeg: 1, FEq: 2, FNe: 2, FLt: 2, FLe: 2,
	FromS: 1, FromU: 1, ToS: 1, FromF32: 1, ToF32: 1, Round32: 1,
	JumpZero: 1, Out: 1, OutMem: 1, OutText: 1, OutBlock: 2,
}

func divide(op Op, a, b uint64) uint64 {
	switch op {
	case DivU:
		return a / b
	case ModU:
		return a % b
	case ModS:
		if int64(b) == -1 {
			return 0
		}
		return uint64(int64(a) % int64(b))
	}
	if int64(b) == -1 {
		return -a
	}
	return uint64(int64(a) / int64(b))
}

// whole is a number towards zero. What is beyond the range, or no number, becomes the end of the range.
func whole(d float64) uint64 {
	const end = 1 << 63
	switch {
	case d >= -end && d < end:
		return uint64(int64(d))
	case d < -end:
		return end
	}
	return end - 1
}

func unaryOp(op Op, a uint64) uint64 {
	d := math.Float64frombits(a)
	switch op {
	case Neg:
		return -a
	case Not:
		return ^a
	case FNeg:
		return math.Float64bits(-d)
	case FromS:
		return math.Float64bits(float64(int64(a)))
	case FromU:
		return math.Float64bits(float64(a))
	case ToS:
		return whole(d)
	case FromF32:
		return math.Float64bits(float64(math.Float32frombits(uint32(a))))
	case ToF32:
		return uint64(math.Float32bits(float32(d)))
	case Round32:
		return math.Float64bits(float64(float32(d)))
	}
	return 0
}

func binaryOp(op Op, a, b uint64) uint64 {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	switch op {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul:
		return a * b
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	case Shl:
		return a << b
	case ShrU:
		return a >> b
	case ShrS:
		return uint64(int64(a) >> b)
	case Eq:
		return truth(a == b)
	case Ne:
		return truth(a != b)
	case LtS:
		return truth(int64(a) < int64(b))
	case LtU:
		return truth(a < b)
	case LeS:
		return truth(int64(a) <= int64(b))
	case LeU:
		return truth(a <= b)
	case FAdd, FSub, FMul, FDiv:
		return calculate(op, a, b)
	case FEq:
		return truth(x == y)
	case FNe:
		return truth(x != y)
	case FLt:
		return truth(x < y)
	case FLe:
		return truth(x <= y)
	}
	return 0
}

// calculate is a number with a fraction. Of two that are no numbers the first is kept, on any machine.
func calculate(op Op, a, b uint64) uint64 {
	const quiet = 1 << 51
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	switch {
	case math.IsNaN(x):
		return a | quiet
	case math.IsNaN(y):
		return b | quiet
	case op == FAdd:
		x += y
	case op == FSub:
		x -= y
	case op == FMul:
		x *= y
	default:
		x /= y
	}
	return math.Float64bits(x)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
