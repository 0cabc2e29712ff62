package expression

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar is that of expressions of C and C++ as gdb reads them: no assignments, and "@" between an
// element and a number of elements, which binds looser than "+" and tighter than "<<". A run of
// operators is read as it stands; precedence puts it in order.
type (
	expression struct {
		Condition chain       `parser:"@@"`
		Then      *expression `parser:"( '?' @@"`
		Else      *expression `parser:"':' @@ )?"`
	}
	chain struct {
		First unary       `parser:"@@"`
		Rest  []operation `parser:"@@*"`
	}
	operation struct {
		Op    string `parser:"@( '||' | '&&' | '==' | '!=' | '<=' | '>=' | '<<' | '>>' | '|' | '^' | '&' | '<' | '>' | '@' | '+' | '-' | '*' | '/' | '%' )"`
		Right unary  `parser:"@@"`
	}
	unary struct {
		Op      string    `parser:"(  @( '-' | '+' | '!' | '~' | '*' | '&' )"`
		Of      *unary    `parser:"   @@"`
		Sizeof  *sizeof   `parser:"| 'sizeof' @@"`
		Cast    *typeName `parser:"| '(' @@ ')'"`
		Value   *unary    `parser:"  @@"`
		Postfix *postfix  `parser:"| @@ )"`
	}
	sizeof struct {
		Type *typeName `parser:"  '(' @@ ')'"`
		Of   *unary    `parser:"| @@"`
	}
	postfix struct {
		Primary  primary  `parser:"@@"`
		Suffixes []suffix `parser:"@@*"`
	}
	suffix struct {
		Arrow  string       `parser:"  @( '->' | '.' )"`
		Member string       `parser:"  @( Name | Type )"`
		Index  *expression  `parser:"| '[' @@ ']'"`
		Call   bool         `parser:"| @'('"`
		Args   []expression `parser:"  ( @@ ( ',' @@ )* )? ')'"`
	}
	primary struct {
		Number    string      `parser:"  @Number"`
		Float     string      `parser:"| @Float"`
		Character string      `parser:"| @Character"`
		Text      string      `parser:"| @Text"`
		Register  string      `parser:"| @Register"`
		Name      string      `parser:"| @( Name | Quoted )"`
		Group     *expression `parser:"| '(' @@ ')'"`
	}
	typeName struct {
		Words    []string `parser:"@( Keyword | Type )+"`
		Pointers []string `parser:"@( '*' | '&' | 'const' | 'volatile' )*"`
	}
)

var (
	rules = []lexer.SimpleRule{
		{Name: "Space", Pattern: `\s+`},
		{Name: "Float", Pattern: `(\d+\.\d*|\.\d+)([eE][-+]?\d+)?[fFlL]?|\d+[eE][-+]?\d+[fFlL]?`},
		{Name: "Number", Pattern: `(0[xX][0-9a-fA-F]+|\d+)[uUlL]*`},
		{Name: "Quoted", Pattern: `'[^'\\]+'::[A-Za-z_][\w:]*|'[^'\\]{2,}'`},
		{Name: "Character", Pattern: `[LuU]?'(\\[^']+|\\'|[^'\\])'`},
		{Name: "Text", Pattern: `"(\\.|[^"\\])*"`},
		{Name: "Register", Pattern: `\$[A-Za-z_]\w*`},
		{Name: "Keyword", Pattern: `\b(const|volatile|unsigned|signed|char|short|int|long|float|double|void|bool|_Bool|struct|union|class|enum)\b`},
		{Name: "Name", Pattern: `(::)?[A-Za-z_][\w$]*(::[A-Za-z_][\w$]*)*`},
		{Name: "Operator", Pattern: `\|\||&&|==|!=|<=|>=|<<=?|>>=?|->\*?|\+\+|--|[-+*/%&|^]=|\.\*|[-+*/%&|^!~<>=?:@.()\[\],{}]`},
	}
	lexicon = sync.OnceValue(func() *lexer.StatefulDefinition { return lexer.MustSimple(rules) })
	parser  = sync.OnceValue(func() *participle.Parser[expression] {
		return participle.MustBuild[expression](participle.Lexer(typed{lexicon()}), participle.Elide("Space"), participle.UseLookahead(2))
	})
)

// typed is the lexicon, in which names of types are tokens of their own.
type typed struct{ *lexer.StatefulDefinition }

const typeToken lexer.TokenType = -1000

// Symbols adds the names of types to the kinds of tokens.
func (t typed) Symbols() map[string]lexer.TokenType {
	all := map[string]lexer.TokenType{"Type": typeToken}
	for name, kind := range t.StatefulDefinition.Symbols() {
		all[name] = kind
	}
	return all
}

// tokens are those of an expression, in which a name is the name of a type as isType says, except
// behind a dot or an arrow.
type tokens struct {
	all  []lexer.Token
	next int
}

// Next returns the next token.
func (t *tokens) Next() (lexer.Token, error) {
	token := t.all[t.next]
	t.next = min(t.next+1, len(t.all)-1)
	return token, nil
}

var (
	assigns = regexp.MustCompile(`^(=|[-+*/%&|^]=|<<=|>>=|\+\+|--)$`)
	after   = map[string]bool{".": true, "->": true}
	tags    = map[string]bool{"struct": true, "union": true, "class": true, "enum": true}
)

// longestSource bounds how deep an expression can be.
const longestSource = 4096

// parse reads an expression of C and C++, or of a dialect. Its errors are *Refusal.
func parse(source string, d *dialect, isType func(name string) bool) (*expression, error) {
	if len(source) > longestSource {
		return nil, refusef("an expression of %d bytes", len(source))
	}
	if d != nil {
		all, err := d.lex(source)
		if err != nil {
			return nil, err
		}
		return parsed(source, all)
	}
	lex, err := lexicon().LexString("", source)
	if err != nil {
		return nil, err
	}
	all, err := lexer.ConsumeAll(lex)
	if err != nil {
		return nil, refusef("%q is no expression of C", source)
	}
	kinds := lexicon().Symbols()
	all = templates(all, kinds["Name"], isType)
	last := ""
	for i := range all {
		t := &all[i]
		switch {
		case t.Type == kinds["Space"]:
			continue
		case t.Type == kinds["Operator"] && assigns.MatchString(t.Value):
			return nil, &Refusal{Writes: true, Why: fmt.Sprintf("%q would write into the program", source)}
		case t.Type == kinds["Name"] && !after[last] && (tags[last] || isType(t.Value)):
			t.Type = typeToken
		}
		last = t.Value
	}
	return parsed(source, all)
}

// parsed reads the tokens of an expression.
func parsed(source string, all []lexer.Token) (*expression, error) {
	peeking, err := lexer.Upgrade(&tokens{all: all}, lexicon().Symbols()["Space"])
	if err != nil {
		return nil, err
	}
	e, err := parser().ParseFromLexer(peeking)
	if err != nil {
		return nil, refusef("%q is no expression that is understood: %s", source, strings.TrimSpace(err.Error()))
	}
	return e, nil
}

// templates makes one token of the name of a template and its arguments, and what is named within it, where
// that is a type.
func templates(all []lexer.Token, name lexer.TokenType, isType func(name string) bool) []lexer.Token {
	var out []lexer.Token
	for i := 0; i < len(all); i++ {
		t := all[i]
		if t.Type == name && i+1 < len(all) && all[i+1].Value == "<" {
			if text, end := angles(all, i); end > 0 && isType(text) {
				t.Value = text
				i = end
				if i+1 < len(all) && all[i+1].Type == name && strings.HasPrefix(all[i+1].Value, "::") {
					i++
					t.Value += all[i].Value
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// angles is the text of the tokens from one on to the angle that closes the first one that opens, and where
// that is, 0 for nowhere.
func angles(all []lexer.Token, from int) (text string, end int) {
	depth := 0
	for i := from; i < len(all); i++ {
		text += all[i].Value
		switch all[i].Value {
		case "<":
			depth++
		case ">":
			depth--
		case ">>":
			depth -= 2
		default:
			continue
		}
		if depth <= 0 {
			return text, i
		}
	}
	return "", 0
}

// pathOf are the names of a qualified name, without the colons before it.
func pathOf(name string) []string {
	var path []string
	name = strings.TrimPrefix(name, "::")
	depth, from := 0, 0
	for i := range len(name) {
		switch {
		case name[i] == '<':
			depth++
		case name[i] == '>':
			depth--
		case depth == 0 && i >= from && strings.HasPrefix(name[i:], "::"):
			path = append(path, name[from:i])
			from = i + 2
		}
	}
	return append(path, name[from:])
}

// Writes reports whether an expression would write into the program, by its operators.
func Writes(source string) bool {
	_, err := parse(source, nil, func(string) bool { return false })
	refusal, _ := err.(*Refusal)
	return refusal != nil && refusal.Writes
}

// A Refusal is an expression that is not evaluated natively.
type Refusal struct {
	Why    string
	Writes bool // it would write into the program: nobody may evaluate it
}

func (r *Refusal) Error() string { return r.Why }

func refusef(format string, args ...any) *Refusal { return &Refusal{Why: fmt.Sprintf(format, args...)} }

// levels are the binary operators, the loosest first.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"@"}, {"+", "-"}, {"*", "/", "%"}}

// precedence is how tightly an operator binds.
func precedence(op string) int {
	for i, ops := range levels {
		for _, o := range ops {
			if o == op {
				return i
			}
		}
	}
	return -1
}
