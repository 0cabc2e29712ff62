package expression

import (
	"fmt"
	"math/rand/v2"
	"regexp"

	"github.com/profilecollection/pct/internal/value"
)

// A grower makes random expressions of variables: members, elements, what pointers lead to, casts and calculations of
// each other.
type grower struct {
	random  *rand.Rand
	names   []string
	compile func(x string) *Code // nil where it is refused
}

// expression grows one of a variable, up to some steps long, or up to the first that is refused.
func (g *grower) expression() string {
	x := g.name()
	code := g.compile(x)
	if code != nil && len(code.Gone) > 0 {
		return x // gdb calculates with bytes of which the data say nothing as if they were zero
	}
	for range 1 + g.random.IntN(5) {
		if code == nil {
			break
		}
		list := append(forms(operand(x), code), g.more(operand(x), code)...)
		if len(list) == 0 {
			break
		}
		next := list[g.random.IntN(len(list))]
		if next[0] == '&' && !simple.MatchString(x) {
			continue // gdb has an address of what is in no memory
		}
		x = next
		code = g.compile(x)
	}
	return x
}

func (g *grower) name() string { return g.names[g.random.IntN(len(g.names))] }

// more are expressions with one and with a second variable, or with a number.
func (g *grower) more(x string, code *Code) []string {
	other := g.name()
	c := g.compile(other)
	number := c != nil && (c.Type.Integral() || c.Type.Kind == value.Float)
	if !number {
		other = fmt.Sprint(g.random.IntN(70))
	}
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch t := code.Type; {
	case t.Kind == value.Pointer:
		add("%s == %s", x, x)
		add("(long)%s %% 16", x)
		add("*(unsigned char *)%s", x)
		add("((short *)%s)[1]", x)
		add("%s + %d", x, g.random.IntN(4))
		add("%s - 1 < %s", x, x)
		add("(%s + 2) - %s", x, x)
	case t.Kind == value.Array && t.Count > 0:
		add("%s[%d]", x, g.random.Int64N(min(t.Count, 100)))
		add("sizeof(%s) / sizeof(%s[0])", x, x)
		if t.Elem.Kind != value.Array && c != nil && number && c.Type.Integral() {
			add("%s[(unsigned char)%s %% %d]", x, other, t.Count)
		}
	case t.Kind == value.Structure:
		for range 3 {
			if f := t.Whole().Fields; len(f) > 0 {
				if f := f[g.random.IntN(len(f))]; f.Name != "" && !f.Base {
					add("%s.%s", x, f.Name)
					add("&%s.%s", x, f.Name)
					add("sizeof %s.%s", x, f.Name)
				}
			}
		}
	case t.Integral() || t.Kind == value.Float:
		for range 6 {
			all := []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"}
			add("%s %s %s", x, all[g.random.IntN(len(all))], other)
			types := []string{"char", "signed char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "float", "double"}
			add("(%s)%s", types[g.random.IntN(len(types))], x)
		}
		add("%s ? %s : %s", other, x, x)
	}
	return list
}

// operand is an expression as it stands before and behind an operator.
func operand(x string) string {
	if simple.MatchString(x) {
		return x
	}
	return "(" + x + ")"
}

var simple = regexp.MustCompile(`^[A-Za-z_][\w:]*((->|\.)\w+|\[\d+\])*$`)
