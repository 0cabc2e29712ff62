package expression

import (
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/value"
)

// A dialect is how a language spells what the grammar, which is that of C and C++, spells in its own way. A sign
// that a dialect does not name is refused: it may mean something else there.
type dialect struct {
	name     string
	language value.Language    // in whose form values are shown
	signs    map[string]string // its operators by those of the grammar; "" of those that are not evaluated
	further  string            // pattern of operators that C does not have
	fold     bool              // names are the same in either case
	words    bool              // and, or and not are words, whose precedence is not C's
	brackets bool              // round brackets are those of indices
	joint    string            // puts the name of a package and of what is in it together, where both are one name
	tuples   bool              // members may have numbers instead of names

	once   sync.Once
	tokens *lexer.StatefulDefinition // of once
}

// dialects are those of all languages but C and C++ that are evaluated.
var dialects = map[debuginfo.Language]*dialect{
	debuginfo.Fortran: {
		name: "Fortran", language: value.Fortran, fold: true, words: true, brackets: true, further: `\.[A-Za-z]+\.|\*\*|//`,
		signs: signs("( ) , + - * / == < <= > >=", map[string]string{
			"%": ".", "/=": "!=", ".eq.": "==", ".ne.": "!=", ".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">=",
			".and.": "&&", ".or.": "||", ".not.": "!", ".true.": ".true.", ".false.": ".false.",
		}),
	},
	debuginfo.Ada: {
		name: "Ada", language: value.Ada, fold: true, words: true, brackets: true, joint: "__", further: `\*\*|:=|\.\.|=>`,
		signs: signs("( ) , . + - * / < <= > >=", map[string]string{
			"=": "==", "/=": "!=", "and": "&&", "or": "||", "not": "!", "rem": "%", "then": "", "else": "", "mod": "", "abs": "", "xor": "", "in": "", "null": "",
		}),
	},
	debuginfo.Go:   {name: "Go", language: value.Go, joint: ".", further: `&\^|:=|<-`, signs: signs(likeC, nil)},
	debuginfo.Rust: {name: "Rust", language: value.Rust, tuples: true, further: `\.\.`, signs: signs(likeC, nil)},
}

const likeC = "( ) [ ] . + - * / % == != < <= > >= && || ! &"

// signs are operators that are those of the grammar, and others.
func signs(same string, others map[string]string) map[string]string {
	all := map[string]string{}
	for _, sign := range strings.Fields(same) {
		all[sign] = sign
	}
	for sign, of := range others {
		all[sign] = of
	}
	return all
}

// lex returns the tokens of an expression as those of the grammar.
func (d *dialect) lex(source string) ([]lexer.Token, error) {
	d.once.Do(func() { d.tokens = lexer.MustSimple(d.rules()) })
	lex, err := d.tokens.LexString("", source)
	if err != nil {
		return nil, err
	}
	all, err := lexer.ConsumeAll(lex)
	if err != nil {
		return nil, refusef("%q is not an expression of %s that PCT evaluates", source, d.name)
	}
	kinds := d.tokens.Symbols()
	all = slices.DeleteFunc(all, func(t lexer.Token) bool { return t.Type == kinds["Space"] })
	var out []lexer.Token
	word, member := "", false // the last sign, and whether it stands before a member
	for _, t := range all {
		if d.fold {
			t.Value = strings.ToLower(t.Value)
		}
		of, sign := d.signs[t.Value]
		behind, selects := word, member
		word, member = "", false
		switch {
		case selects && d.tuples && (t.Type == kinds["Number"] || t.Type == kinds["Float"]):
			// The members 0 and 1 of a tuple in a tuple look like a number.
			for i, n := range strings.Split(t.Value, ".") {
				if i > 0 {
					out = append(out, lexer.Token{Type: kinds["Operator"], Value: ".", Pos: t.Pos})
				}
				out = append(out, lexer.Token{Type: kinds["Name"], Value: "__" + n, Pos: t.Pos})
			}
			continue
		case selects:
		case d.words && (behind == "and" && t.Value == "then" || behind == "or" && t.Value == "else"):
			continue
		case t.Type == kinds["Operator"] && !sign || sign && of == "":
			return nil, refusef("the operator %s of %s", t.Value, d.name)
		case t.Value == "sizeof":
			return nil, refusef("sizeof in %s", d.name)
		case sign && of[0] == '.' && of != ".":
			t.Type, t.Value = kinds["Name"], of
		case sign:
			word, member = t.Value, of == "."
			t.Type, t.Value = kinds["Operator"], of
		}
		out = append(out, t)
	}
	return out, nil
}

// rules are those of the lexicon, in its order, so that their tokens are of the same kinds. Nothing is of some of them.
func (d *dialect) rules() []lexer.SimpleRule {
	const nothing = `[^\s\S]`
	own := map[string]string{
		"Float": `\d+\.\d+([eE][-+]?\d+)?`, "Number": `\d+`, "Quoted": nothing, "Character": nothing, "Keyword": nothing,
		"Name": `(::)?[\pL_][\pL\d_]*(::[\pL_][\pL\d_]*)*`,
	}
	rules := slices.Clone(rules)
	for i := range rules {
		r := &rules[i]
		if p, ok := own[r.Name]; ok {
			r.Pattern = p
		}
		if r.Name == "Operator" {
			r.Pattern = d.further + "|" + `/=|` + r.Pattern
		}
	}
	return rules
}

// ordered refuses a run of operators whose order is not C's in all languages: it takes brackets.
func (d *dialect) ordered(b *chain) error {
	not := func(u *unary) bool { return d.words && u.Op == "!" }
	compared, logical := false, ""
	mixed := not(&b.First)
	for i := range b.Rest {
		op := b.Rest[i].Op
		switch {
		case op == "&&" || op == "||":
			if d.words && logical != "" && logical != op {
				return refusef("two operators of %s without brackets", d.name)
			}
			logical, compared, mixed = op, false, false
		case mixed || comparison(op) && compared:
			return refusef("two operators of %s without brackets", d.name)
		case comparison(op):
			compared = true
		case !strings.Contains("+-*/%", op):
			return refusef("the operator %s of %s", op, d.name)
		}
		mixed = not(&b.Rest[i].Right)
		if mixed && op != "&&" && op != "||" {
			return refusef("two operators of %s without brackets", d.name)
		}
	}
	return nil
}

func comparison(op string) bool {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// operands refuses those that an operator of the language does not have.
func (d *dialect) operands(op string, all ...place) error {
	for _, p := range all {
		ok := false
		switch kind := p.typ.Kind; {
		case op == "&&" || op == "||" || op == "!":
			ok = kind == value.Boolean
		case comparison(op):
			ok = p.typ.Scalar() && kind != value.Pointer
		default:
			ok = p.typ.Scalar() && (kind == value.Integer || kind == value.Float || kind == value.Character && d.language == value.Go)
		}
		if !ok {
			return refusef("%s of %s with %s", op, d.name, describe(p.typ))
		}
	}
	return nil
}
