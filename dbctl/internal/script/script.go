// Package script reads the language of dbctl: it turns the text of a script, with
// the files that it includes, into a program for the machine, or into all the
// errors that it holds.
package script

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// Options are what the text of a script depends on.
type Options struct {
	Include []string // directories for #include, searched after that of the including file
	Strict  bool     // what has no effect is an error: a pattern that no event matches, a variable that nothing sets
	Given   []string // variables that are set from outside
}

// Load reads a script. name is the path of its file, for messages and for finding
// what it includes. The error, if any, is an *Errors.
func Load(name string, src []byte, o Options) (*machine.Program, error) {
	p := &parser{options: o, resolve: true}
	program := (&checker{parser: p}).program(p.script(&source{name: name, text: src}))
	if len(p.list) > 0 {
		return nil, &Errors{List: sorted(p.list)}
	}
	return program, nil
}

// script reads a whole script.
func (p *parser) script(src *source) []*node {
	first, short := patFirst(src.text)
	if !short {
		return p.parse(src, atFile)
	}
	pats := p.parse(src, inGroup)
	first.Pos.Filename = src.id
	return forAll(pats, first)
}

// patFirst reports whether the first statement of a script is a PAT, where EXEC and PAT_GROUP are left out.
func patFirst(src []byte) (first lexer.Token, yes bool) {
	p := &parser{broken: make(map[int]bool)}
	for _, t := range p.scan(&source{text: src}) {
		if t.Type != commentType {
			return t, t.Value == "PAT"
		}
	}
	return lexer.Token{}, false
}

// forAll makes patterns those of the first group of a rule for all executables.
func forAll(pats []*node, first lexer.Token) []*node {
	token := func(kind lexer.TokenType, text string) lexer.Token {
		return lexer.Token{Type: kind, Value: text, Pos: first.Pos}
	}
	group := &node{word: token(keywordType, "PAT_GROUP"), form: &groupHead{Name: token(nameType, machine.DefaultGroup)}, items: pats}
	return []*node{{word: token(keywordType, "EXEC"), form: &execHead{Regex: token(stringType, `".*"`)}, items: []*node{group}}}
}
