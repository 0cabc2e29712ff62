package expression

import (
	"strings"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// isExtended reports whether a type is one of numbers of 80 bits. A word of such a place is two.
func isExtended(t *value.Type) bool {
	return t.Kind == value.Float && (t.Size == 16 && !strings.Contains(t.Name, "128") || t.Size == 10)
}

// extended pushes a number as one of 80 bits.
func (c *compiler) extended(p place) ([]plan.Instr, error) {
	if !isExtended(p.typ) {
		p, err := c.number(p)
		if err != nil {
			return nil, err
		}
		op := plan.XFromU
		switch {
		case p.typ.Kind == value.Float:
			op = plan.XFromF
		case p.typ.Signed:
			op = plan.XFromS
		}
		return join(p.word, []plan.Instr{{Op: op}}), nil
	}
	if p.word != nil {
		return p.word, nil
	}
	return p.halves(int16Type)
}

// halves pushes the first 8 bytes, and what is behind them as an unsigned number of the type's size.
func (p place) halves(upper *value.Type) ([]plan.Instr, error) {
	low, err := p.at(0, ulongType).load()
	if err != nil {
		return nil, err
	}
	high, err := p.at(8, upper).raw(upper.Size)
	return join(low, high, []plan.Instr{{Op: plan.Truncate, Size: uint8(upper.Size)}}), err
}

// operateExtended applies an operator to two numbers, of which one has 80 bits.
func (c *compiler) operateExtended(op string, a, b place) (place, error) {
	code, ok := map[string]plan.Op{
		"+": plan.XAdd, "-": plan.XSub, "*": plan.XMul, "/": plan.XDiv,
		"==": plan.XEq, "!=": plan.XNe, "<": plan.XLt, "<=": plan.XLe, ">": plan.XLt, ">=": plan.XLe,
	}[op]
	if !ok {
		return place{}, refusef("%s of numbers with a fraction", op)
	}
	x, err := c.extended(a)
	if err != nil {
		return place{}, err
	}
	y, err := c.extended(b)
	if err != nil {
		return place{}, err
	}
	if op[0] == '>' {
		x, y = y, x
	}
	t := c.truthType()
	if !comparison(op) {
		if t = a.typ; !isExtended(t) || isExtended(b.typ) && b.typ.Size > t.Size {
			t = b.typ
		}
	}
	return place{typ: t, word: join(x, y, []plan.Instr{{Op: code}})}, nil
}

// castExtended makes of a number one of another type, one of which has 80 bits.
func (c *compiler) castExtended(p place, t *value.Type) (place, error) {
	if p.typ.Kind == value.Pointer || !isExtended(t) && (!t.Scalar() || t.Kind == value.Pointer) {
		return place{}, refusef("a cast of %s", describe(p.typ))
	}
	word, err := c.extended(p)
	switch {
	case isExtended(t):
	case t.Kind == value.Float:
		word = join(word, []plan.Instr{{Op: plan.XToF, Size: uint8(t.Size)}})
	default:
		word = join(word, []plan.Instr{{Op: plan.XToS}}, conversion(longType, t))
	}
	return place{typ: t, word: word}, err
}

// longDouble is a number of the source.
func longDouble(text string) (place, error) {
	mantissa, exponent, ok := plan.Extended(text)
	if !ok {
		return place{}, refusef("%s is no number", text)
	}
	return place{typ: longDoubleType, word: []plan.Instr{{Op: plan.Const, Arg: int64(mantissa)}, {Op: plan.Const, Arg: int64(exponent)}}}, nil
}
