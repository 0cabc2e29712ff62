package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// long is a whole number of more than 8 bytes, in decimal.
func long(b []byte, signed bool) string {
	b = slices.Clone(b)
	slices.Reverse(b)
	n := new(big.Int).SetBytes(b)
	if signed && len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n.String()
}

// extended is a number of the x87, of 10 bytes and some that do not count, as C's %Lg prints it with 21
// digits.
func extended(b []byte) string {
	mantissa, exponent := binary.LittleEndian.Uint64(b), int(binary.LittleEndian.Uint16(b[8:]))
	sign := ""
	if exponent&0x8000 != 0 {
		sign = "-"
		exponent &= 0x7fff
	}
	if exponent == 0x7fff {
		if mantissa<<1 == 0 {
			return sign + "inf"
		}
		return fmt.Sprintf("%snan(%#016x)", sign, mantissa)
	}
	if exponent == 0 {
		exponent = 1 // of numbers that are too small for a leading one
	}
	f := new(big.Float).SetUint64(mantissa)
	f.SetMantExp(f, exponent-16383-63)
	if f.Sign() == 0 {
		return sign + "0"
	}
	const digits = 21
	s := f.Text('e', digits-1)
	at := strings.IndexByte(s, 'e')
	var exp int
	fmt.Sscanf(s[at+1:], "%d", &exp)
	if exp >= -4 && exp < digits {
		s = f.Text('f', digits-1-exp)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return sign + s
	}
	m := s[:at]
	if strings.Contains(m, ".") {
		m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
	}
	return fmt.Sprintf("%s%se%+03d", sign, m, exp)
}

// BFloat16 is the name of numbers of two bytes that are the upper half of a float. Others of two bytes are those of IEEE.
const BFloat16 = "bfloat16"

// short writes a number with a fraction of two bytes.
func (p *printer) short(t *Type, v uint64) {
	mantissa, bias, digits := uint64(10), 15, 5
	if t.Name == BFloat16 {
		mantissa, bias, digits = 7, 127, 4
	}
	negative, exponent, fraction := v>>15&1 == 1, int(v&0x7fff>>mantissa), v&(1<<mantissa-1)
	f := 0.0
	switch exponent {
	case 0x7fff >> mantissa:
		if fraction != 0 {
			p.nan(negative, fraction)
			return
		}
		f = math.Inf(1)
	case 0:
		f = math.Ldexp(float64(fraction), 1-bias-int(mantissa))
	default:
		f = math.Ldexp(float64(fraction|1<<mantissa), exponent-bias-int(mantissa))
	}
	if negative {
		f = -f
	}
	p.general(f, digits)
}
