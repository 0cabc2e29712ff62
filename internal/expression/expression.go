package expression

import (
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
	"math"
	"strconv"
	"strings"
)

// expression makes a place of an expression.
func (c *compiler) expression(e *expression) (place, error) {
	cond, err := c.chain(&e.Condition)
	if err != nil || e.Then == nil {
		return cond, err
	}
	a, err := c.expression(e.Then)
	if err != nil {
		return place{}, err
	}
	b, err := c.expression(e.Else)
	if err != nil {
		return place{}, err
	}
	test, err := c.condition(cond)
	if err != nil {
		return place{}, err
	}
	a, b, err = c.either(a, b, e == c.outermost)
	if err != nil {
		return place{}, err
	}
	return place{typ: a.typ, word: join(test, jumpZero(len(a.word)+1), a.word, jump(len(b.word)), b.word)}, nil
}

// either brings the operands of ?: to one type: the debugger promotes none. Where nothing is calculated with the result
// they may be of types that are shown in one way.
func (c *compiler) either(a, b place, shown bool) (place, place, error) {
	a, err := c.dereferenced(a)
	if err != nil {
		return a, b, err
	}
	if b, err = c.dereferenced(b); err != nil {
		return a, b, err
	}
	a, b = decay(a), decay(b)
	x, y := a.typ, b.typ
	var t *value.Type
	switch number := func(t *value.Type, k value.Kind) bool { return t.Kind == k && t.Scalar() }; {
	case isExtended(x) && isExtended(y) && x.Size == y.Size:
		t = x
	case !x.Scalar() || !y.Scalar():
		return a, b, refusef("a choice between %s and %s", describe(x), describe(y))
	case x == y || x.Kind == value.Pointer && y.Kind == value.Pointer && x.Elem == y.Elem:
		t = x
	case x.Kind == value.Integer && y.Kind == value.Integer && x.Size == y.Size && x.Signed == y.Signed:
		t = x
	case !shown:
	case number(x, value.Integer) && number(y, value.Integer):
		t = x
		if y.Size > x.Size {
			t = y
		}
		if x.Signed != y.Signed {
			if t = longType; !x.Signed && x.Size == 8 || !y.Signed && y.Size == 8 {
				t = nil
			}
		}
	case number(x, value.Integer) && x.Size < 8 && number(y, value.Float) && y.Size == 8:
		t = y
	case number(y, value.Integer) && y.Size < 8 && number(x, value.Float) && x.Size == 8:
		t = x
	}
	if t == nil {
		return a, b, refusef("a choice between values of different types")
	}
	if a, err = c.as(a, t); err != nil {
		return a, b, err
	}
	b, err = c.as(b, t)
	return a, b, err
}

// as loads a number and makes it one of another type.
func (c *compiler) as(p place, t *value.Type) (place, error) {
	if isExtended(t) {
		word, err := c.extended(p)
		return place{typ: t, word: word}, err
	}
	word, err := p.load()
	if err == nil && p.typ != t && t.Kind != value.Pointer {
		word = join(word, conversion(p.typ, t))
	}
	return place{typ: t, word: word}, err
}

func jumpZero(n int) []plan.Instr { return []plan.Instr{{Op: plan.JumpZero, Arg: int64(n)}} }
func jump(n int) []plan.Instr     { return []plan.Instr{{Op: plan.Jump, Arg: int64(n)}} }

// chain makes a place of operands and binary operators, by their precedence.
func (c *compiler) chain(b *chain) (place, error) {
	if c.dialect != nil {
		if err := c.dialect.ordered(b); err != nil {
			return place{}, err
		}
	}
	left, err := c.unary(&b.First)
	if err != nil {
		return place{}, err
	}
	rest := b.Rest
	p, _, err := c.climb(left, rest, 0)
	return p, err
}

// climb applies the operators that bind as tightly as a level or tighter, and returns the others.
func (c *compiler) climb(left place, rest []operation, level int) (place, []operation, error) {
	for len(rest) > 0 {
		op := rest[0].Op
		at := precedence(op)
		if at < level {
			break
		}
		right, err := c.unary(&rest[0].Right)
		if err != nil {
			return place{}, nil, err
		}
		rest = rest[1:]
		if right, rest, err = c.climb(right, rest, at+1); err != nil {
			return place{}, nil, err
		}
		if left, err = c.operate(op, left, right); err != nil {
			return place{}, nil, err
		}
	}
	return left, rest, nil
}

func (c *compiler) unary(u *unary) (place, error) {
	switch {
	case u.Op != "":
		p, err := c.unary(u.Of)
		if err != nil {
			return place{}, err
		}
		return c.prefix(u.Op, p)
	case u.Sizeof != nil:
		return c.sizeof(u.Sizeof)
	case u.Cast != nil:
		t, err := c.typeOf(u.Cast)
		if err != nil {
			return place{}, err
		}
		p, err := c.unary(u.Value)
		if err != nil {
			return place{}, err
		}
		return c.cast(p, t)
	}
	return c.postfix(u.Postfix)
}

func (c *compiler) sizeof(s *sizeof) (place, error) {
	t := (*value.Type)(nil)
	if s.Type != nil {
		var err error
		if t, err = c.typeOf(s.Type); err != nil {
			return place{}, err
		}
	} else {
		p, err := c.unary(s.Of)
		if err != nil {
			return place{}, err
		}
		t = p.typ
	}
	if t.Kind == value.Reference {
		t = t.Elem
	}
	if t.Kind == value.Unknown {
		return place{}, refusef("%s", describe(t))
	}
	// It is an int for gdb.
	return place{typ: intType, word: []plan.Instr{{Op: plan.Const, Arg: int64(t.Size)}}}, nil
}

func (c *compiler) postfix(x *postfix) (place, error) {
	if c.dialect != nil {
		return c.selected(x)
	}
	p, err := c.primary(&x.Primary)
	for i := 0; err == nil && i < len(x.Suffixes); i++ {
		s := &x.Suffixes[i]
		switch {
		case s.Call:
			return place{}, refusef("a call of a function")
		case s.Index != nil:
			var n place
			if n, err = c.expression(s.Index); err == nil {
				p, err = c.index(p, n)
			}
		default:
			if p, err = c.dereferenced(p); err != nil {
				break
			}
			// As gdb does, either sign is taken for either kind.
			if p.typ.Kind == value.Pointer {
				if p, err = c.deref(p); err != nil {
					break
				}
			}
			p, err = c.selectField(p, s.Member)
		}
	}
	return p, err
}

func (c *compiler) primary(p *primary) (place, error) {
	switch {
	case p.Number != "" && c.dialect != nil && len(p.Number) > 1 && p.Number[0] == '0':
		return place{}, refusef("a number with a leading zero")
	case p.Number != "":
		return literal(p.Number)
	case p.Float != "" && c.dialect != nil && c.dialect.language == value.Ada:
		return place{}, refusef("a number with a fraction, which in Ada has a longer type")
	case p.Float != "":
		text := strings.TrimRight(p.Float, "fFlL")
		if strings.HasSuffix(strings.ToLower(p.Float), "l") {
			return longDouble(text)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return place{}, refusef("%s is no number", p.Float)
		}
		t := doubleType
		if strings.HasSuffix(strings.ToLower(p.Float), "f") {
			t = floatType
			v = float64(float32(v))
		}
		return place{typ: t, word: []plan.Instr{{Op: plan.Const, Arg: int64(math.Float64bits(v))}}}, nil
	case p.Character != "":
		s, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.Trim(p.Character, "'"), `"`, `\"`) + `"`)
		if err != nil || len(s) != 1 {
			return place{}, refusef("%s is no character of one byte", p.Character)
		}
		return place{typ: charType, word: []plan.Instr{{Op: plan.Const, Arg: int64(int8(s[0]))}}}, nil
	case p.Text != "":
		return place{}, refusef("a text in an expression")
	case p.Register != "":
		return c.register(p.Register)
	case p.Group != nil:
		return c.expression(p.Group)
	}
	return c.name(p.Name)
}

// name makes a place of a variable, an enumerator or a member of the object.
func (c *compiler) name(name string) (place, error) {
	switch name {
	case "true", "false", ".true.", ".false.":
		if c.cxx() || c.dialect != nil {
			return place{typ: boolType, word: []plan.Instr{{Op: plan.Const, Arg: truth(strings.Trim(name, ".") == "true")}}}, nil
		}
	}
	v, err := c.find(name)
	if err != nil {
		return place{}, err
	}
	return c.variable(v)
}

// literal is a number as C types it: the first of int, long that holds it, or as its suffix says.
func literal(text string) (place, error) {
	digits := strings.TrimRight(text, "uUlL")
	suffix := strings.ToLower(text[len(digits):])
	v, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		return place{}, refusef("%s is no number", text)
	}
	unsigned, long := strings.Contains(suffix, "u"), strings.Contains(suffix, "l")
	hex := strings.HasPrefix(digits, "0") && len(digits) > 1
	t := intType
	switch {
	case unsigned && !long && v <= math.MaxUint32:
		t = uintType
	case unsigned:
		t = ulongType
	case !long && v <= math.MaxInt32:
	case !long && hex && v <= math.MaxUint32:
		t = uintType
	case v <= math.MaxInt64:
		t = longType
	default:
		t = ulongType
	}
	return place{typ: t, word: join([]plan.Instr{{Op: plan.Const, Arg: int64(v)}}, fit(t))}, nil
}

// words of types, in the order in which they are counted.
var builtin = map[string]*value.Type{
	"char": charType, "signed char": {Kind: value.Character, Name: "signed char", Size: 1, Signed: true}, "unsigned char": {Kind: value.Character, Name: "unsigned char", Size: 1},
	"short": {Kind: value.Integer, Name: "short", Size: 2, Signed: true}, "unsigned short": {Kind: value.Integer, Name: "unsigned short", Size: 2},
	"int": intType, "unsigned int": uintType, "long": longType, "unsigned long": ulongType,
	"float": floatType, "double": doubleType, "long double": longDoubleType, "void": voidType, "bool": boolType, "_Bool": boolType,
}

// typeOf is the type that a cast names.
func (c *compiler) typeOf(n *typeName) (*value.Type, error) {
	count := map[string]int{}
	name, tag := "", ""
	for _, w := range n.Words {
		switch w {
		case "const", "volatile":
		case "struct", "union", "class", "enum":
			tag = w
		case "unsigned", "signed", "long", "short", "int", "char", "float", "double", "void", "bool", "_Bool":
			count[w]++
		default:
			if name != "" {
				return nil, refusef("%s is no type", strings.Join(n.Words, " "))
			}
			name = w
		}
	}
	var t *value.Type
	switch {
	case name != "":
		path := pathOf(name)
		if t = c.typeNamed(path, tagged(tag)); t == nil {
			if tag != "" {
				return nil, &Refusal{Why: "No " + tag + " type named " + name + "."}
			}
			return nil, &Refusal{Why: "No symbol \"" + name + "\" in current context."}
		}
	default:
		t = builtin[plain(count)]
		if t == nil {
			return nil, refusef("%s is no type that is known", strings.Join(n.Words, " "))
		}
	}
	for _, p := range n.Pointers {
		switch {
		case t.Kind == value.Reference:
			return nil, refusef("%s is no type", strings.Join(append(n.Words, n.Pointers...), " "))
		case p == "*":
			t = pointerTo(t)
		case p == "&":
			t = &value.Type{Kind: value.Reference, Size: 8, Elem: t}
		}
	}
	return t, nil
}

// plain spells a number's type in one way.
func plain(count map[string]int) string {
	base := ""
	for _, w := range []string{"float", "double", "void", "bool", "_Bool", "char"} {
		if count[w] > 0 {
			base = w
		}
	}
	switch {
	case base == "double" && count["long"] > 0:
		return "long double"
	case base == "char" && count["signed"] > 0:
		return "signed char"
	case base == "" && count["short"] > 0:
		base = "short"
	case base == "" && count["long"] > 0:
		base = "long"
	case base == "":
		base = "int"
	}
	if count["unsigned"] > 0 {
		base = "unsigned " + base
	}
	return base
}
