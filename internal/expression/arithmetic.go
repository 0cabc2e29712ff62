package expression

import (
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// Operators of DWARF that have an instruction of their own: of addresses, of signed and unsigned numbers,
// and of those with a fraction.
var operators = map[byte]struct{ address, signed, unsigned, float plan.Op }{
	dwAnd:   {plan.And, plan.And, plan.And, plan.Fail},
	dwDiv:   {plan.DivS, plan.DivS, plan.DivU, plan.FDiv},
	dwMinus: {plan.Sub, plan.Sub, plan.Sub, plan.FSub},
	dwMod:   {plan.ModU, plan.ModS, plan.ModU, plan.Fail},
	dwMul:   {plan.Mul, plan.Mul, plan.Mul, plan.FMul},
	dwOr:    {plan.Or, plan.Or, plan.Or, plan.Fail},
	dwPlus:  {plan.Add, plan.Add, plan.Add, plan.FAdd},
	dwShl:   {plan.Shl, plan.Shl, plan.Shl, plan.Fail},
	dwShr:   {plan.ShrU, plan.ShrU, plan.ShrU, plan.Fail},
	dwShra:  {plan.ShrS, plan.ShrS, plan.ShrS, plan.Fail},
	dwXor:   {plan.Xor, plan.Xor, plan.Xor, plan.Fail},
	dwEq:    {plan.Eq, plan.Eq, plan.Eq, plan.FEq},
	dwNe:    {plan.Ne, plan.Ne, plan.Ne, plan.FNe},
	dwLe:    {plan.LeS, plan.LeS, plan.LeU, plan.FLe},
	dwLt:    {plan.LtS, plan.LtS, plan.LtU, plan.FLt},
	dwGe:    {plan.LeS, plan.LeS, plan.LeU, plan.FLe}, // with the operands in the other order
	dwGt:    {plan.LtS, plan.LtS, plan.LtU, plan.FLt},
}

// calculate translates an operator that works on the stack.
func (l *locator) calculate(op byte) error {
	if o, ok := operators[op]; ok {
		b, a := l.pop(), l.pop()
		t := a
		if t == nil {
			t = b
		}
		i := o.address
		switch {
		case t == nil:
		case t.Kind == value.Float:
			i = o.float
		case t.Signed:
			i = o.signed
		default:
			i = o.unsigned
		}
		if i == plan.Fail {
			return refusef("a location that is not understood")
		}
		if op == dwGe || op == dwGt {
			l.emit(plan.Swap, 0)
		}
		if t != nil && t.Size < 8 && (op == dwShr && t.Signed || op == dwShra && !t.Signed) {
			// What is shifted in is of the size of the type, not of the word.
			extend := plan.Extend
			if op == dwShr {
				extend = plan.Truncate
			}
			l.code = append(l.code, plan.Instr{Op: plan.Swap}, plan.Instr{Op: extend, Size: uint8(t.Size)}, plan.Instr{Op: plan.Swap})
		}
		l.emit(i, 0)
		if op >= dwEq && op <= dwNe {
			t = nil
		} else {
			l.narrow(t)
		}
		l.types = append(l.types, t)
		return nil
	}
	switch op {
	case dwDup:
		l.pushTyped(plan.Instr{Op: plan.Dup}, l.top())
	case dwDrop:
		l.pop()
		l.emit(plan.Drop, 0)
	case dwOver:
		l.pick(1)
	case dwPick:
		l.pick(int(l.u(1)))
	case dwSwap:
		b, a := l.pop(), l.pop()
		l.types = append(l.types, b, a)
		l.emit(plan.Swap, 0)
	case dwRot:
		c, b, a := l.pop(), l.pop(), l.pop()
		l.types = append(l.types, c, a, b)
		l.emit(plan.Rotate, 0)
	case dwPlusUconst:
		l.plus(int64(l.uleb()))
	case dwNeg:
		if t := l.top(); t != nil && t.Kind == value.Float {
			l.emit(plan.FNeg, 0)
		} else {
			l.emit(plan.Neg, 0)
			l.narrow(t)
		}
	case dwNot:
		l.emit(plan.Not, 0)
		l.narrow(l.top())
	case dwAbs:
		if t := l.top(); t != nil && t.Kind == value.Float {
			return refusef("a location that is not understood")
		}
		// x < 0 ? -x : x
		l.code = append(l.code, plan.Instr{Op: plan.Dup}, plan.Instr{Op: plan.Const}, plan.Instr{Op: plan.LtS}, plan.Instr{Op: plan.JumpZero, Arg: 1}, plan.Instr{Op: plan.Neg})
	case dwDeref:
		l.load(8)
	case dwDerefSize:
		l.load(l.u(1))
	default:
		return l.convert(op)
	}
	return nil
}

func (l *locator) load(size uint64) {
	l.pop()
	if size == 0 || size > 8 {
		l.bad = true
		return
	}
	l.pushTyped(plan.Instr{Op: plan.Load, Size: uint8(size)}, nil)
}

func (l *locator) pick(n int) {
	var t *value.Type
	if n < len(l.types) {
		t = l.types[len(l.types)-1-n]
	}
	l.pushTyped(plan.Instr{Op: plan.Pick, Arg: int64(n)}, t)
}

// narrow brings the result of a calculation back to the size of its type.
func (l *locator) narrow(t *value.Type) {
	switch {
	case t == nil:
	case t.Kind == value.Float && t.Size == 4:
		l.emit(plan.Round32, 0)
	case t.Kind != value.Float:
		l.code = append(l.code, fit(t)...)
	}
}

// convert translates the operators that have to do with types.
func (l *locator) convert(op byte) error {
	if l.jumps {
		return refusef("a location that is not understood")
	}
	switch op {
	case dwConstType, dwGNUConstType:
		t, err := l.typed(l.uleb())
		if err != nil {
			return err
		}
		b := l.take(l.u(1))
		l.pushTyped(plan.Instr{Op: plan.Const, Arg: int64(value.Number(b))}, t)
		if t != nil {
			l.code = append(l.code, fit(t)...)
		}
	case dwRegvalType, dwGNURegvalType:
		r := l.uleb()
		t, err := l.typed(l.uleb())
		if err != nil {
			return err
		}
		l.pushTyped(plan.Instr{Op: plan.Register, Arg: int64(r)}, t)
		if t != nil {
			l.code = append(l.code, fit(t)...)
		}
	case dwDerefType, dwGNUDerefType:
		size := l.u(1)
		t, err := l.typed(l.uleb())
		if err != nil {
			return err
		}
		if l.load(size); t != nil && t.Size == size {
			l.types[len(l.types)-1] = t
			l.code = append(l.code, fit(t)...)
		}
	case dwConvert, dwGNUConvert:
		t, err := l.typed(l.uleb())
		if err != nil {
			return err
		}
		from := l.pop()
		l.types = append(l.types, t)
		l.code = append(l.code, conversion(orUnsigned(from), orUnsigned(t))...)
	case dwReinterpret, dwGNUReinterpret:
		t, err := l.typed(l.uleb())
		if err != nil {
			return err
		}
		from := orUnsigned(l.pop())
		l.types = append(l.types, t)
		if from.Kind == value.Float && from.Size == 4 {
			l.emit(plan.ToF32, 0)
		}
		l.code = append(l.code, fit(orUnsigned(t))...)
	default:
		return refusef("a location with the operator %#x", op)
	}
	return nil
}

// orUnsigned is the type of a word: without one an unsigned number of 8 bytes.
func orUnsigned(t *value.Type) *value.Type {
	if t == nil {
		return ulongType
	}
	return t
}

// conversion makes of a word of one type that of another, as C does.
func conversion(from, to *value.Type) []plan.Instr {
	switch {
	case to.Kind == value.Boolean && from.Kind == value.Float:
		return []plan.Instr{{Op: plan.ToS}, {Op: plan.Const}, {Op: plan.Ne}} // as debuggers do
	case to.Kind == value.Boolean:
		return []plan.Instr{{Op: plan.Const}, {Op: plan.Ne}}
	case from.Kind == value.Float && to.Kind == value.Float:
		if to.Size == 4 {
			return []plan.Instr{{Op: plan.Round32}}
		}
		return nil
	case from.Kind == value.Float:
		return join([]plan.Instr{{Op: plan.ToS}}, fit(to))
	case to.Kind == value.Float:
		op := plan.FromU
		if from.Signed {
			op = plan.FromS
		}
		if to.Size == 4 {
			return []plan.Instr{{Op: op}, {Op: plan.Round32}}
		}
		return []plan.Instr{{Op: op}}
	}
	return fit(to)
}
