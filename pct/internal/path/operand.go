package path

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/profilecollection/pct/internal/value"
)

// operandValue is what an operand is for one sample.
type operandValue struct {
	text     string
	number   number
	isNumber bool
	types    []*value.Type // that it may be of
}

func (v operandValue) true() bool {
	if v.isNumber {
		return v.number.float != 0
	}
	return value.Content(v.text) != "" && v.text != "<optimized out>"
}

// enumerate makes a number of the name of an enumerator of the operand's type, or else of the one that it is compared
// with.
func (v *operandValue) enumerate(other *operandValue) {
	if v.isNumber {
		return
	}
	for _, types := range [][]*value.Type{v.types, other.types} {
		for _, t := range types {
			if n, ok := t.Enumerated(v.text); ok {
				v.number, v.isNumber = whole(n), true
				return
			}
		}
	}
}

// whole is a number without a fraction.
func whole(n int64) number {
	v := number{float: float64(n), whole: true, magnitude: uint64(n)}
	if n < 0 {
		v.magnitude, v.negative = -v.magnitude, true
	}
	return v
}

func (o *operand) value(get lookup) (operandValue, bool) {
	switch {
	case o.Number != nil:
		return operandValue{text: *o.Number, number: o.number, isNumber: true}, true
	case o.Text != nil:
		return operandValue{text: *o.Text}, true
	case o.Call != nil:
		return o.Call.value(get)
	}
	text, types, ok := get(*o.Name)
	if !ok {
		return operandValue{}, false
	}
	v := operandValue{text: text, types: types}
	switch text {
	case "false":
		v.number, v.isNumber = whole(0), true
	case "true":
		v.number, v.isNumber = whole(1), true
	default:
		v.number, v.isNumber = parseNumber(text)
	}
	return v, true
}

// A functionCall is one of C's functions on texts.
type functionCall struct {
	Function  string     `parser:"@Function"` // and its parenthesis
	Arguments []*operand `parser:"( @@ ( ',' @@ )* )? ')'"`

	of *function
}

type function struct {
	name      string
	arguments string // t: a text, n: a number
	value     func(texts []string, n int64) int64
}

func functions() []function {
	return []function{
		{"strcmp", "tt", func(t []string, _ int64) int64 { return int64(cmp.Compare(t[0], t[1])) }},
		{"strncmp", "ttn", func(t []string, n int64) int64 {
			first := func(s string) string { return s[:min(int64(len(s)), max(0, n))] }
			return int64(cmp.Compare(first(t[0]), first(t[1])))
		}},
		{"strlen", "t", func(t []string, _ int64) int64 { return int64(len(t[0])) }},
	}
}

// check finds the function.
func (c *functionCall) check() error {
	var names []string
	called := strings.TrimRight(c.Function, " \t\n(")
	for _, f := range functions() {
		names = append(names, f.name)
		switch {
		case f.name != called:
		case len(f.arguments) != len(c.Arguments):
			return fmt.Errorf("%s takes %d arguments", f.name, len(f.arguments))
		default:
			c.of = &f
			return nil
		}
	}
	return fmt.Errorf("there is no function %s; there are %s", called, strings.Join(names, ", "))
}

// value is what the function returns; there is none if an argument has none.
func (c *functionCall) value(get lookup) (operandValue, bool) {
	var texts []string
	var n int64
	for i, a := range c.Arguments {
		v, ok := a.value(get)
		if !ok {
			return operandValue{}, false
		}
		if c.of.arguments[i] == 't' {
			texts = append(texts, value.Content(v.text))
			continue
		}
		if !v.isNumber {
			return operandValue{}, false
		}
		n = int64(v.number.float)
	}
	result := whole(c.of.value(texts, n))
	return operandValue{text: fmt.Sprint(result.float), number: result, isNumber: true}, true
}

// arguments are the operands of the functions on both sides, with those of functions in them.
func (c *comparison) arguments() []*operand {
	var all []*operand
	var add func(o *operand)
	add = func(o *operand) {
		if o == nil || o.Call == nil {
			return
		}
		for _, a := range o.Call.Arguments {
			all = append(all, a)
			add(a)
		}
	}
	add(&c.Left)
	add(c.Right)
	return all
}
