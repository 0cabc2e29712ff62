package path

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/profilecollection/pct/internal/value"
)

// Expr is a condition on samples:
//
//	n > 1000000 && (name == "x" || name ~ "^a") && !partial
//
// A name is a field of the samples or one of the attributes that every sample
// has (see Attributes): req->len, list[2].n, ns::x, *p. One that is written in
// another way stands in `back quotes`. The operators are == != < <= > >= on
// numbers, == != on texts, ~ and !~ that match a text against a regular
// expression, && || ! and parentheses. Numbers are also strlen(s), and
// strcmp(a, b) and strncmp(a, b, n), which compare texts by their bytes. A
// number is also what a character or a pointer is shown with, true and false,
// and an enumerator of a field whose type is known; the name of an enumerator
// stands for itself. A name or function alone holds where it has a value that is
// not 0, false or empty. A comparison with a value that a sample does not have
// does not hold.
type Expr struct {
	source string
	root   disjunction
	names  []string
}

type disjunction struct {
	Terms []conjunction `parser:"@@ ( '||' @@ )*"`
}

type conjunction struct {
	Terms []term `parser:"@@ ( '&&' @@ )*"`
}

type term struct {
	Not        *term        `parser:"  '!' @@"`
	Group      *disjunction `parser:"| '(' @@ ')'"`
	Comparison *comparison  `parser:"| @@"`
}

type comparison struct {
	Pos   lexer.Position
	Left  operand  `parser:"@@"`
	Op    string   `parser:"( @Operator"`
	Right *operand `parser:"@@ )?"`

	pattern *regexp.Regexp // of ~ and !~
}

type operand struct {
	Number *string       `parser:"  @Number"`
	Text   *string       `parser:"| @Text"`
	Call   *functionCall `parser:"| @@"`
	Name   *string       `parser:"| @( Name | Quoted )"`

	number number // of Number
}

func newExprParser() (*participle.Parser[disjunction], error) {
	lex, err := lexer.NewSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `\s+`},
		{Name: "Number", Pattern: `[-+]?(0x[0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)`},
		{Name: "Text", Pattern: `"(\\.|[^"\\])*"|'(\\.|[^'\\])*'`},
		{Name: "Function", Pattern: `[\pL_][\pL\d_]*\s*\(`},
		{Name: "Name", Pattern: `[*$]*[\pL_][\pL\d_.]*((->|::)[\pL_][\pL\d_.]*|\[\d+\][\pL\d_.]*)*`},
		{Name: "Quoted", Pattern: "`[^`]+`"},
		{Name: "Logic", Pattern: `&&|\|\||[(),]`},
		{Name: "Operator", Pattern: `==|!=|<=|>=|<|>|!~|~`},
		{Name: "Not", Pattern: `!`},
	})
	if err != nil {
		return nil, err
	}
	return participle.Build[disjunction](participle.Lexer(lex), participle.Elide("Space"))
}

// ParseExpr reads a condition. Errors show the place.
func ParseExpr(source string) (*Expr, error) {
	parser, err := newExprParser()
	if err != nil {
		return nil, err
	}
	root, err := parser.ParseString("", source)
	if err != nil {
		return nil, syntaxError(source, err)
	}
	e := &Expr{source: source, root: *root}
	if err := e.checkDisjunction(&e.root); err != nil {
		return nil, err
	}
	return e, nil
}

// String returns the source of the condition.
func (e *Expr) String() string { return e.source }

// syntaxError says in plain words what the parser found.
func syntaxError(source string, err error) error {
	var unexpected *participle.UnexpectedTokenError
	var other participle.Error
	switch {
	case errors.As(err, &unexpected) && unexpected.Unexpected.EOF():
		return exprError(source, len([]rune(source))+1, "it ends too early: a name, a number or a \"text\" is missing")
	case errors.As(err, &unexpected):
		return exprError(source, unexpected.Position().Column, fmt.Sprintf("%q cannot stand here%s",
			unexpected.Unexpected.Value, hint(unexpected.Unexpected.Value)))
	case errors.As(err, &other):
		column := other.Position().Column
		rest := string([]rune(source)[min(column-1, len([]rune(source))):])
		return exprError(source, column, fmt.Sprintf("%q has no meaning here%s", rest, hint(rest)))
	}
	return err
}

// hint tells those who come from other languages.
func hint(at string) string {
	switch {
	case strings.HasPrefix(at, "="):
		return "; equality is =="
	case strings.HasPrefix(at, "&"):
		return "; and is &&"
	case strings.HasPrefix(at, "|"):
		return "; or is ||"
	}
	return ""
}

func exprError(source string, column int, what string) error {
	return fmt.Errorf("column %d: %s\n  %s\n  %s^", column, what, source, strings.Repeat(" ", column-1))
}

func (e *Expr) checkDisjunction(d *disjunction) error {
	for i := range d.Terms {
		for j := range d.Terms[i].Terms {
			if err := e.checkTerm(&d.Terms[i].Terms[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Expr) checkTerm(t *term) error {
	switch {
	case t.Not != nil:
		return e.checkTerm(t.Not)
	case t.Group != nil:
		return e.checkDisjunction(t.Group)
	}
	return e.checkComparison(t.Comparison)
}

// checkComparison unquotes the operands, collects the names, and refuses what
// has no meaning.
func (e *Expr) checkComparison(c *comparison) error {
	fail := func(format string, args ...any) error {
		return exprError(e.source, c.Pos.Column, fmt.Sprintf(format, args...))
	}
	for _, o := range append([]*operand{&c.Left, c.Right}, c.arguments()...) {
		switch {
		case o == nil:
		case o.Call != nil:
			if err := o.Call.check(); err != nil {
				return fail("%v", err)
			}
		case o.Name != nil:
			name := strings.Trim(*o.Name, "`")
			o.Name = &name
			e.names = append(e.names, name)
		case o.Text != nil:
			text := unquote(*o.Text)
			o.Text = &text
		case o.Number != nil:
			n, ok := parseNumber(*o.Number)
			if !ok {
				return fail("%s is not a number", *o.Number)
			}
			o.number = n
		}
	}
	switch c.Op {
	case "":
		if c.Left.Name == nil && c.Left.Call == nil {
			return fail("a number or a string alone is not a condition; compare it with something")
		}
	case "~", "!~":
		if c.Right.Text == nil {
			return fail("%s needs a regular expression in quotes on its right", c.Op)
		}
		pattern, err := regexp.Compile(*c.Right.Text)
		if err != nil {
			return fail("%v", err)
		}
		c.pattern = pattern
	case "<", "<=", ">", ">=":
		if c.Left.Text != nil || c.Right.Text != nil {
			return fail("%s compares numbers, not texts; strcmp(a, b) %s 0 compares texts", c.Op, c.Op)
		}
	}
	return nil
}

// unquote reads a text in either kind of quotes, in which \" \' \\ stand for the
// second character and every other backslash for itself: regular expressions
// are full of them.
func unquote(s string) string {
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\'' || s[i+1] == '\\') {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// lookup returns the value that a sample has under a name, and the types of such values as far as they are known.
type lookup func(name string) (value string, types []*value.Type, ok bool)

func (e *Expr) holds(get lookup) bool { return e.root.holds(get) }

func (d *disjunction) holds(get lookup) bool {
	for i := range d.Terms {
		if d.Terms[i].holds(get) {
			return true
		}
	}
	return false
}

func (c *conjunction) holds(get lookup) bool {
	for i := range c.Terms {
		if !c.Terms[i].holds(get) {
			return false
		}
	}
	return true
}

func (t *term) holds(get lookup) bool {
	switch {
	case t.Not != nil:
		return !t.Not.holds(get)
	case t.Group != nil:
		return t.Group.holds(get)
	}
	return t.Comparison.holds(get)
}

func (c *comparison) holds(get lookup) bool {
	left, ok := c.Left.value(get)
	if !ok {
		return false
	}
	if c.Op == "" {
		return left.true()
	}
	if c.pattern != nil {
		return (c.pattern.MatchString(left.text) || c.pattern.MatchString(value.Content(left.text))) == (c.Op == "~")
	}
	right, ok := c.Right.value(get)
	if !ok {
		return false
	}
	left.enumerate(&right)
	right.enumerate(&left)
	numbers := left.isNumber && right.isNumber
	order := left.number.compare(right.number)
	switch c.Op {
	case "==", "!=":
		equal := numbers && order == 0 ||
			!numbers && (left.text == right.text || value.Content(left.text) == value.Content(right.text))
		return equal == (c.Op == "==")
	case "<":
		return numbers && order < 0
	case "<=":
		return numbers && order <= 0
	case ">":
		return numbers && order > 0
	}
	return numbers && order >= 0 // ">="
}
