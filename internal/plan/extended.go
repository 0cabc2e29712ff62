package plan

import (
	"math"
	"math/big"
)

// Operators on numbers of 80 bits, as the x87 calculates. Such a number is two words: its mantissa, and above it its sign
// and exponent. The C library does not know them.
const (
	XAdd Op = iota + End + 1
	XSub
	XMul
	XDiv
	XEq // push one word, 1 or 0
	XNe
	XLt
	XLe
	XFromS // whole number to 80 bits
	XFromU // unsigned number to 80 bits
	XFromF // double to 80 bits
	XToS   // 80 bits to a whole number, towards zero
	XToF   // 80 bits to a double, as precise as a float where Size is 4

	lastExtended = XToF
)

// extended executes one of them on a stack of n words, and returns how many there are then; false if there are too few.
func extended(i Instr, stack []uint64, n int) (int, bool) {
	two := func(at int) x87 { return x87{stack[at], uint16(stack[at+1])} }
	put := func(at int, x x87) int {
		stack[at], stack[at+1] = x.mantissa, uint64(x.exponent)
		return at + 2
	}
	switch {
	case i.Op <= XLe && n < 4, n < 1, i.Op >= XToS && n < 2:
		return n, false
	case i.Op <= XDiv:
		return put(n-4, calculateX87(i.Op, two(n-4), two(n-2))), true
	case i.Op <= XLe:
		stack[n-4] = compareX87(i.Op, two(n-4), two(n-2))
		return n - 3, true
	}
	switch i.Op {
	case XFromS:
		return put(n-1, rounded(new(big.Float).SetInt64(int64(stack[n-1])))), true
	case XFromU:
		return put(n-1, rounded(new(big.Float).SetUint64(stack[n-1]))), true
	case XFromF:
		return put(n-1, widened(stack[n-1])), true
	case XToS:
		stack[n-2] = two(n - 2).whole()
	default:
		stack[n-2] = two(n - 2).double(i.Size == 4)
	}
	return n - 1, true
}

// An x87 is a number of 80 bits.
type x87 struct {
	mantissa uint64
	exponent uint16 // and the sign, its highest bit
}

const (
	integerBit = 1 << 63 // of a mantissa
	quietBit   = 1 << 62
	signBit    = 1 << 15
	largest    = 0x7fff // of exponents: of infinity and of what is no number
	bias       = 16383
	lowest     = 1 - bias // exponent of the smallest number with a whole mantissa
	precise    = 200      // bits of what is calculated, more than decide how it is rounded
)

// noNumber is what comes of a calculation without a meaning.
var noNumber = x87{integerBit | quietBit, signBit | largest}

func infinity(negative bool) x87 { return x87{integerBit, largest | sign(negative)} }

func sign(negative bool) uint16 {
	if negative {
		return signBit
	}
	return 0
}

func (x x87) negative() bool { return x.exponent&signBit != 0 }

// isNaN reports whether it is no number.
func (x x87) isNaN() bool { return x.exponent&largest == largest && x.mantissa<<1 != 0 }

func (x x87) isInf() bool { return x.exponent&largest == largest && x.mantissa<<1 == 0 }

// invalid reports whether the processor does not know what it is.
func (x x87) invalid() bool { return x.exponent&largest != 0 && x.mantissa&integerBit == 0 }

// float is a finite number.
func (x x87) float() *big.Float {
	f := new(big.Float).SetPrec(precise).SetUint64(x.mantissa)
	f.SetMantExp(f, max(int(x.exponent&largest), 1)-bias-63)
	if x.negative() {
		f.Neg(f)
	}
	return f
}

// rounded is the nearest number of 80 bits.
func rounded(f *big.Float) x87 {
	negative := f.Signbit()
	if f.Sign() == 0 {
		return x87{0, sign(negative)}
	}
	f = new(big.Float).SetPrec(precise).Abs(f)
	bits := 64
	if exponent := f.MantExp(nil) - 1; exponent < lowest {
		bits -= lowest - exponent
	}
	if bits < 1 {
		half := new(big.Float).SetMantExp(big.NewFloat(1), lowest-64)
		if f.Cmp(half) <= 0 {
			return x87{0, sign(negative)}
		}
		return x87{1, sign(negative)}
	}
	f.SetPrec(uint(bits))
	exponent := max(f.MantExp(nil)-1, lowest)
	if exponent > bias {
		return infinity(negative)
	}
	mantissa, _ := new(big.Float).SetMantExp(f, 63-exponent).Uint64()
	if mantissa&integerBit == 0 {
		exponent-- // of those that are too small for a leading one
	}
	return x87{mantissa, uint16(exponent+bias) | sign(negative)}
}

// calculateX87 is what the processor makes of two numbers.
func calculateX87(op Op, a, b x87) x87 {
	switch {
	case a.invalid() || b.invalid():
		return noNumber
	case a.isNaN() || b.isNaN():
		return quiet(a, b)
	}
	if op == XSub {
		op = XAdd
		b.exponent ^= signBit
	}
	negative := a.negative() != b.negative()
	zero := func(x x87) bool { return x.mantissa == 0 }
	switch {
	case op == XAdd && a.isInf() && b.isInf() && negative, op == XMul && (a.isInf() && zero(b) || zero(a) && b.isInf()),
		op == XDiv && (a.isInf() && b.isInf() || zero(a) && zero(b)):
		return noNumber
	case op == XAdd && a.isInf():
		return a
	case op == XAdd && b.isInf():
		return b
	case op == XDiv && b.isInf():
		return x87{0, sign(negative)}
	case a.isInf() || b.isInf() || op == XDiv && zero(b):
		return infinity(negative)
	}
	f := new(big.Float).SetPrec(precise)
	switch op {
	case XAdd:
		f.Add(a.float(), b.float())
	case XMul:
		f.Mul(a.float(), b.float())
	default:
		f.Quo(a.float(), b.float())
	}
	return rounded(f)
}

// quiet is what comes of a calculation with what is no number: of two, the quiet one, or that with the larger mantissa.
func quiet(a, b x87) x87 {
	signals := func(x x87) bool { return x.mantissa&quietBit == 0 }
	switch {
	case !a.isNaN():
		a = b
	case !b.isNaN():
	case signals(a) != signals(b):
		if signals(a) {
			a = b
		}
	case b.mantissa > a.mantissa || b.mantissa == a.mantissa && a.negative():
		a = b
	}
	a.mantissa |= quietBit
	return a
}

func compareX87(op Op, a, b x87) uint64 {
	if a.isNaN() || b.isNaN() || a.invalid() || b.invalid() {
		return truth(op == XNe)
	}
	order := func(x x87) *big.Float {
		if x.isInf() {
			return new(big.Float).SetInf(x.negative())
		}
		return x.float()
	}
	cmp := order(a).Cmp(order(b))
	switch op {
	case XEq:
		return truth(cmp == 0)
	case XNe:
		return truth(cmp != 0)
	case XLt:
		return truth(cmp < 0)
	}
	return truth(cmp <= 0)
}

// widened is a double.
func widened(v uint64) x87 {
	d := math.Float64frombits(v)
	switch {
	case math.IsNaN(d):
		return x87{integerBit | quietBit | v<<11, largest | sign(v>>63 != 0)}
	case math.IsInf(d, 0):
		return infinity(d < 0)
	}
	return rounded(new(big.Float).SetFloat64(d))
}

// whole is the number towards zero. What is beyond the range, or no number, becomes the end of the range.
func (x x87) whole() uint64 {
	const end = 1 << 63
	switch {
	case x.isNaN() || x.invalid():
		return end - 1
	case x.isInf() && x.negative():
		return end
	case x.isInf():
		return end - 1
	}
	v, _ := x.float().Int64() // which is at most the end of the range
	return uint64(v)
}

// double is the nearest double, or what the nearest float is as a double.
func (x x87) double(short bool) uint64 {
	switch {
	case x.invalid():
		return 0xfff8 << 48
	case x.isNaN():
		kept := (x.mantissa | quietBit) << 1 >> 12
		if short {
			kept &^= 1<<29 - 1
		}
		return uint64(sign(x.negative()))<<48 | 0x7ff<<52 | kept
	case x.isInf():
		return math.Float64bits(math.Inf(1 - 2*int(sign(x.negative())>>15)))
	case short:
		f, _ := x.float().Float32()
		return math.Float64bits(float64(f))
	}
	f, _ := x.float().Float64()
	return math.Float64bits(f)
}

// Extended is the number of 80 bits that is nearest to one in decimal: two words, as the operators have them.
func Extended(text string) (mantissa, exponent uint64, ok bool) {
	f, _, err := big.ParseFloat(text, 10, precise, big.ToNearestEven)
	if err != nil {
		return 0, 0, false
	}
	x := rounded(f)
	return x.mantissa, uint64(x.exponent), true
}
