package machine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	shown "github.com/profilecollection/pct/internal/value"
)

// A Formula is what LET and IF work out of numbers, $variables and 'texts'. Variables are read when it is
// worked out; one that is unset has no value, and nothing that needs it has.
type Formula struct {
	root  operand
	names template // with the variables of it
}

// operand is a part of a formula.
type operand func(get func(reference) string) result

// result is a number, or a text, or nothing.
type result struct {
	kind  resultKind
	whole int64
	real  float64
	text  string
}

type resultKind uint8

const (
	noValue resultKind = iota
	wholeNumber
	realNumber
	plainText
)

// ParseFormula reads a formula. The error says where it is wrong.
func ParseFormula(s string) (*Formula, error) {
	p := formulaParser{rest: s}
	root := p.binary(0)
	if p.skip(); p.err == nil && p.rest != "" {
		p.fail("an operator")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Formula{root, parseTemplate(s)}, nil
}

// Value is the text of what comes out; false: there is no value.
func (f *Formula) value(get func(reference) string) (string, bool) {
	switch r := f.root(get); r.kind {
	case wholeNumber:
		return strconv.FormatInt(r.whole, 10), true
	case realNumber:
		return formatReal(r.real), true
	case plainText:
		return r.text, true
	}
	return "", false
}

// holds reports whether what comes out is there and not 0.
func (f *Formula) holds(get func(reference) string) bool { return f.root(get).truth() }

// formatReal writes a number as people do, to a billionth.
func formatReal(v float64) string {
	if a := math.Abs(v); a >= 1e15 || a < 1e-9 && a > 0 {
		return strconv.FormatFloat(v, 'g', 9, 64)
	}
	s := strconv.FormatFloat(v, 'f', 9, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// read is what the text of a variable is: a number, also one that is followed by a word, as a debugger shows
// characters and pointers.
func read(text string) result {
	word, _, _ := strings.Cut(text, " ")
	base, digits := 10, word
	if hex, ok := strings.CutPrefix(word, "0x"); ok {
		base, digits = 16, hex
	}
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return result{kind: wholeNumber, whole: n, text: text}
	}
	if n, err := strconv.ParseUint(digits, base, 64); err == nil {
		return result{kind: realNumber, real: float64(n), text: text}
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil && !math.IsNaN(f) {
		return result{kind: realNumber, real: f, text: text}
	}
	if text == "" {
		return result{}
	}
	return result{kind: plainText, text: text}
}

// quoted reports whether it is a pointer to text, as a debugger shows it, which is compared by that.
func (r result) quoted() bool {
	return strings.HasPrefix(r.text, "0x") && shown.Content(r.text) != r.text
}

// sameText compares texts, of those that a debugger shows in quotes also what stands there.
func sameText(a, b string) bool { return a == b || shown.Content(a) == shown.Content(b) }

func (r result) number() (float64, bool) {
	switch r.kind {
	case wholeNumber:
		return float64(r.whole), true
	case realNumber:
		return r.real, true
	}
	return 0, false
}

func (r result) truth() bool {
	if r.kind == plainText {
		return r.text != ""
	}
	v, ok := r.number()
	return ok && v != 0
}

func truth(yes bool) result {
	if yes {
		return result{kind: wholeNumber, whole: 1}
	}
	return result{kind: wholeNumber}
}

// levels are the operators, those that bind least first. Of those of a level a longer one stands before its
// beginning.
var levels = [...][]string{{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}

// apply works out an operator.
func apply(op string, a, b result) result {
	switch op {
	case "||":
		return truth(a.truth() || b.truth())
	case "&&":
		return truth(a.truth() && b.truth())
	}
	if a.kind == noValue || b.kind == noValue {
		return result{}
	}
	if a.kind == plainText || b.kind == plainText || a.quoted() || b.quoted() {
		switch op {
		case "==":
			return truth(sameText(a.text, b.text))
		case "!=":
			return truth(!sameText(a.text, b.text))
		}
	}
	if a.kind == plainText || b.kind == plainText {
		return result{}
	}
	x, _ := a.number()
	y, _ := b.number()
	switch op {
	case "==":
		return truth(x == y)
	case "!=":
		return truth(x != y)
	case "<=":
		return truth(x <= y)
	case ">=":
		return truth(x >= y)
	case "<":
		return truth(x < y)
	case ">":
		return truth(x > y)
	}
	var v float64
	switch op {
	case "+":
		v = x + y
	case "-":
		v = x - y
	case "*":
		v = x * y
	case "/":
		v = x / y
	case "%":
		v = math.Mod(x, y)
	}
	const exact = 1 << 53 // up to which a float64 is
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return result{}
	case v == math.Trunc(v) && math.Abs(v) < exact && a.kind == wholeNumber && b.kind == wholeNumber:
		return result{kind: wholeNumber, whole: int64(v)}
	}
	return result{kind: realNumber, real: v}
}

// formulaParser reads a formula from the left.
type formulaParser struct {
	rest  string
	depth int
	err   error
}

func (p *formulaParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *formulaParser) fail(wanted string) {
	if p.err == nil {
		found := "the end"
		if p.rest != "" {
			found = strconv.Quote(p.rest)
		}
		p.err = fmt.Errorf("%s is expected, not %s", wanted, found)
	}
	p.rest = ""
}

// binary reads operators of a level or above, from left to right.
func (p *formulaParser) binary(level int) operand {
	if level == len(levels) {
		return p.unary()
	}
	a := p.binary(level + 1)
	for p.err == nil {
		op := p.operator(levels[level])
		if op == "" {
			break
		}
		left, right := a, p.binary(level+1)
		a = func(get func(reference) string) result { return apply(op, left(get), right(get)) }
	}
	return a
}

func (p *formulaParser) operator(list []string) string {
	p.skip()
	for _, op := range list {
		if rest, ok := strings.CutPrefix(p.rest, op); ok {
			p.rest = rest
			return op
		}
	}
	return ""
}

// mostParts bounds how deep a formula is nested.
const mostParts = 100

func (p *formulaParser) unary() operand {
	if p.depth++; p.depth > mostParts {
		p.fail("a simpler formula")
	}
	defer func() { p.depth-- }()
	switch op := p.operator([]string{"-", "!", "("}); op {
	case "-", "!":
		a := p.unary()
		return func(get func(reference) string) result {
			if op == "!" {
				return truth(!a(get).truth())
			}
			return apply("-", result{kind: wholeNumber}, a(get))
		}
	case "(":
		a := p.binary(0)
		if p.operator([]string{")"}) == "" {
			p.fail("a )")
		}
		return a
	}
	return p.primary()
}

func (p *formulaParser) primary() operand {
	always := func(r result) operand { return func(func(reference) string) result { return r } }
	if strings.HasPrefix(p.rest, "$") {
		if of, n := variable(p.rest, 0); n > 0 && of.name != "$" {
			p.rest = p.rest[n:]
			return func(get func(reference) string) result { return read(get(of)) }
		}
	}
	if text, ok := strings.CutPrefix(p.rest, "'"); ok {
		if text, rest, closed := strings.Cut(text, "'"); closed {
			p.rest = rest
			return always(result{kind: plainText, text: text})
		}
		p.fail("a ' at the end of the text")
		return always(result{})
	}
	n := 0
	for n < len(p.rest) && (p.rest[n] == '.' || nameLength("_"+p.rest[n:n+1]) == 2) {
		n++
	}
	r := read(p.rest[:n])
	if _, ok := r.number(); !ok {
		p.fail("a number, a $variable or a 'text'")
		return always(result{})
	}
	p.rest = p.rest[n:]
	return always(r)
}
