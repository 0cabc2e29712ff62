package expression

import (
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
	"strconv"
	"strings"
)

// instructions of the binary operators on two numbers of one type.
var instructions = map[string]struct{ signed, unsigned, float plan.Op }{
	"+": {plan.Add, plan.Add, plan.FAdd}, "-": {plan.Sub, plan.Sub, plan.FSub}, "*": {plan.Mul, plan.Mul, plan.FMul},
	"/": {plan.DivS, plan.DivU, plan.FDiv}, "%": {plan.ModS, plan.ModU, plan.Fail},
	"&": {plan.And, plan.And, plan.Fail}, "|": {plan.Or, plan.Or, plan.Fail}, "^": {plan.Xor, plan.Xor, plan.Fail},
	"==": {plan.Eq, plan.Eq, plan.FEq}, "!=": {plan.Ne, plan.Ne, plan.FNe},
	"<": {plan.LtS, plan.LtU, plan.FLt}, "<=": {plan.LeS, plan.LeU, plan.FLe},
	">": {plan.LtS, plan.LtU, plan.FLt}, ">=": {plan.LeS, plan.LeU, plan.FLe}, // with the operands in the other order
}

// operate applies a binary operator.
func (c *compiler) operate(op string, a, b place) (place, error) {
	var err error
	if op == "@" {
		return c.repeat(a, b)
	}
	if a, err = c.dereferenced(a); err != nil {
		return place{}, err
	}
	if b, err = c.dereferenced(b); err != nil {
		return place{}, err
	}
	if c.dialect != nil {
		return c.calculate(op, a, b)
	}
	// An array stands for the address of its first element.
	a, b = decay(a), decay(b)
	switch op {
	case "&&", "||":
		return c.logic(op, a, b)
	case "<<", ">>":
		return c.shift(op, a, b)
	case "+", "-":
		if a.typ.Kind == value.Pointer || b.typ.Kind == value.Pointer {
			return c.move(op, a, b)
		}
	case "==", "!=", "<", "<=", ">", ">=":
		if a.typ.Kind == value.Pointer && b.typ.Integral() {
			b, err = c.cast(b, a.typ)
		} else if b.typ.Kind == value.Pointer && a.typ.Integral() {
			a, err = c.cast(a, b.typ)
		}
		if err != nil {
			return place{}, err
		}
	}
	booleans := a.typ.Kind == value.Boolean && b.typ.Kind == value.Boolean
	if booleans && strings.Contains("+ - * / % < <= > >=", op) {
		return place{}, &Refusal{Why: "Invalid operation on booleans."}
	}
	boolean := a.typ
	if a.typ.Kind == value.Pointer || b.typ.Kind == value.Pointer {
		if !comparison(op) {
			return place{}, refusef("arithmetic with pointers")
		}
	}
	if isExtended(a.typ) || isExtended(b.typ) {
		return c.operateExtended(op, a, b)
	}
	if a, b, err = c.promoted(a, b); err != nil {
		return place{}, err
	}
	r, err := c.apply(op, a, b)
	if booleans && !comparison(op) {
		r.typ = boolean // not promoted, as the debugger does
	}
	return r, err
}

// apply applies an operator to two numbers of one type.
func (c *compiler) apply(op string, a, b place) (place, error) {
	i := instructions[op]
	t := a.typ
	code := i.unsigned
	switch {
	case t.Kind == value.Float:
		code = i.float
	case t.Signed:
		code = i.signed
	}
	if code == plan.Fail {
		return place{}, refusef("%s of numbers with a fraction", op)
	}
	word := join(a.word, b.word)
	if op[0] == '>' {
		word = append(word, plan.Instr{Op: plan.Swap})
	}
	word = append(word, plan.Instr{Op: code})
	if comparison(op) {
		return place{typ: c.truthType(), word: word}, nil
	}
	if t.Kind == value.Float {
		if t.Size == 4 {
			word = append(word, plan.Instr{Op: plan.Round32})
		}
	} else {
		word = append(word, fit(t)...)
	}
	return place{typ: t, word: word}, nil
}

// truthType is the type of comparisons.
func (c *compiler) truthType() *value.Type {
	if c.cxx() || c.dialect != nil {
		return boolType
	}
	return intType
}

// decay is the address of an array or function in place of it.
func decay(p place) place {
	if p.typ.Kind == value.Function && p.addr != nil {
		return place{typ: pointerTo(p.typ), word: p.addr}
	}
	if p.typ.Kind == value.Array && p.addr != nil && !p.typ.Vector {
		return place{typ: pointerTo(p.typ.Elem), word: p.addr}
	}
	return p
}

// logic evaluates the second operand only where the first does not decide.
func (c *compiler) logic(op string, a, b place) (place, error) {
	x, err := c.condition(a)
	if err != nil {
		return place{}, err
	}
	y, err := c.condition(b)
	if err != nil {
		return place{}, err
	}
	var word []plan.Instr
	if op == "&&" {
		// x ? y : 0
		word = join(x, jumpZero(len(y)+1), y, jump(1), []plan.Instr{{Op: plan.Const}})
	} else {
		// x ? 1 : y
		word = join(x, jumpZero(2), []plan.Instr{{Op: plan.Const, Arg: 1}}, jump(len(y)), y)
	}
	return place{typ: c.truthType(), word: word}, nil
}

func (c *compiler) shift(op string, a, b place) (place, error) {
	a, err := c.operand(a)
	if err != nil {
		return place{}, err
	}
	byBoolean := b.typ.Kind == value.Boolean
	if b, err = c.number(b); err != nil {
		return place{}, err
	}
	if byBoolean {
		return place{}, &Refusal{Why: "Invalid operation on booleans."}
	}
	if a.typ.Kind == value.Float || b.typ.Kind == value.Float {
		return place{}, refusef("a shift of numbers with a fraction")
	}
	code := plan.Shl
	if op == ">>" {
		if code = plan.ShrU; a.typ.Signed {
			code = plan.ShrS
		}
	}
	// A shift by more than a word has bits, or by less than none, has no one meaning.
	width := plan.Instr{Op: plan.Const, Arg: 64}
	word := join(a.word, b.word, []plan.Instr{{Op: plan.Dup}, width, {Op: plan.LtU}, {Op: plan.JumpZero, Arg: 3}, {Op: code}})
	word = append(word, padded(fit(a.typ))...)
	word = append(word, jump(1)...)
	return place{typ: a.typ, word: append(word, plan.Instr{Op: plan.Fail, Arg: int64(plan.NoRegister)})}, nil
}

// padded is one instruction, that does nothing where there is none.
func padded(code []plan.Instr) []plan.Instr {
	if len(code) == 0 {
		return []plan.Instr{{Op: plan.Truncate, Size: 8}}
	}
	return code
}

// move is a pointer and a number of elements, or the distance of two pointers.
func (c *compiler) move(op string, a, b place) (place, error) {
	if a.typ.Kind != value.Pointer {
		if op == "-" {
			return place{}, refusef("a number less a pointer")
		}
		a, b = b, a
	}
	size := a.typ.Elem.Whole().Size
	if a.typ.Elem.Kind == value.Void || a.typ.Elem.Kind == value.Function {
		size = 1
	}
	if size == 0 {
		return place{}, refusef("a pointer to what has no known size")
	}
	x, err := a.load()
	if err != nil {
		return place{}, err
	}
	scale := []plan.Instr{{Op: plan.Const, Arg: int64(size)}}
	if b.typ.Kind == value.Pointer {
		if other := b.typ.Elem.Whole().Size; op != "-" || other != a.typ.Elem.Size {
			return place{}, refusef("arithmetic with two pointers")
		}
		y, err := b.load()
		return place{typ: longType, word: join(x, y, []plan.Instr{{Op: plan.Sub}}, scale, []plan.Instr{{Op: plan.DivS}})}, err
	}
	n, err := c.number(b)
	if err != nil {
		return place{}, err
	}
	if n.typ.Kind == value.Float {
		return place{}, refusef("a pointer and a number with a fraction")
	}
	code := plan.Add
	if op == "-" {
		code = plan.Sub
	}
	return place{typ: a.typ, word: join(x, n.word, scale, []plan.Instr{{Op: plan.Mul}, {Op: code}})}, nil
}

// repeat is an array of elements that follow each other in memory.
func (c *compiler) repeat(a, b place) (place, error) {
	if len(b.word) == 0 || b.word[0].Op != plan.Const || !b.typ.Integral() {
		return place{}, refusef("a number of elements that varies")
	}
	n := b.word[0].Arg
	switch {
	case a.addr == nil || a.bits.size > 0:
		return place{}, &Refusal{Why: "Only values in memory can be extended with '@'."}
	case n <= 0:
		return place{}, &Refusal{Why: "Invalid number " + strconv.FormatInt(n, 10) + " of repetitions."}
	}
	t := &value.Type{Kind: value.Array, Elem: a.typ, Count: n, Size: uint64(n) * a.typ.Size}
	return place{typ: t, addr: a.addr}, nil
}
