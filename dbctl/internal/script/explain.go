package script

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// report adds an error that covers width characters from a place.
func (p *parser) report(at lexer.Position, width int, message, hint string) {
	src := p.source(at)
	var line []byte
	if lines := bytes.SplitN(src.text, []byte("\n"), at.Line+1); at.Line >= 1 && at.Line <= len(lines) {
		line = bytes.TrimSuffix(lines[at.Line-1], []byte("\r"))
	}
	p.list = append(p.list, Diagnostic{
		Pos:     p.pos(at),
		EndCol:  at.Column + width,
		Message: message,
		Hint:    hint,
		Source:  string(line),
		From:    src.from,
	})
}

func (p *parser) reportToken(t lexer.Token, message, hint string) {
	p.report(t.Pos, max(1, utf8.RuneCountInString(t.Value)), message, hint)
}

// candidates are one token of each kind that a statement may hold, with its name.
var candidates = []struct {
	token lexer.Token
	name  string
}{
	{lexer.Token{Type: punctType, Value: "("}, "("},
	{lexer.Token{Type: punctType, Value: ")"}, ")"},
	{lexer.Token{Type: punctType, Value: ","}, ","},
	{lexer.Token{Type: punctType, Value: "="}, "="},
	{lexer.Token{Type: stringType, Value: `""`}, "a string"},
	{lexer.Token{Type: numberType, Value: "0"}, "a number"},
	{lexer.Token{Type: nameType, Value: "x"}, "a name"},
	{lexer.Token{Type: variableType, Value: "$x"}, "a $variable"},
	{lexer.Token{Type: keywordType, Value: "RAW"}, "RAW"},
	{lexer.Token{Type: keywordType, Value: "IF"}, "IF"},
	{lexer.Token{Type: punctType, Value: "|"}, "|"},
	{lexer.Token{Type: punctType, Value: "{"}, "{"},
	{lexer.Token{Type: punctType, Value: ";"}, ";"},
	{lexer.Token{Type: nameType, Value: "OUT"}, "OUT"},
	{lexer.Token{Type: nameType, Value: "PIPE"}, "PIPE"},
	{lexer.Token{Type: nameType, Value: "VAR"}, "VAR"},
	{lexer.Token{Type: nameType, Value: "FIELD"}, "FIELD"},
}

// expected finds what could stand after the tokens of a statement, by trying.
func (st *statement) expected(before []lexer.Token) []string {
	var out []string
	eof := lexer.EOFToken(lexer.Position{Offset: -1})
	_, err := st.parse(mustUpgrade(append(slices.Clone(before), eof)))
	whole := err == nil
	for _, c := range candidates {
		lex := mustUpgrade(append(slices.Clone(before), c.token, eof))
		form, err := st.parse(lex)
		switch {
		case err == nil && form != nil && lex.Peek().EOF():
			out = append(out, c.name) // and the statement is complete
		case err != nil && position(err).Offset == eof.Pos.Offset:
			out = append(out, c.name) // and the error is that more must follow
		case whole && (c.name == "{" && st.block != nowhere || c.name == ";" && st.noBody):
			out = append(out, c.name)
		}
	}
	if slices.Contains(out, "a name") { // of which the words of outputs are some
		out = slices.DeleteFunc(out, func(name string) bool { return slices.Contains(sinkWords, name) })
	}
	return out
}

// position is where a parser says that an error is.
func position(err error) lexer.Position {
	if e := participle.Error(nil); errors.As(err, &e) {
		return e.Position()
	}
	return lexer.Position{}
}

// syntaxError reports that a statement can't go on after some tokens with the one
// found. It returns true if the statement is only not ended.
func (p *parser) syntaxError(st *statement, before []lexer.Token, found lexer.Token) bool {
	first, last := before[0], before[len(before)-1]
	for offset := range p.broken {
		if first.Pos.Offset <= offset && offset <= found.Pos.Offset {
			return false // it has been told what is wrong with this statement
		}
	}
	expected := st.expected(before)
	hint := ""
	if usage := st.usageOf(first); usage != "" {
		hint = "it is written " + usage
	}
	if slices.Contains(expected, ";") && (found.EOF() || found.Value == "}" || found.Pos.Line > last.Pos.Line) {
		end := last.Pos
		end.Advance(last.Value)
		p.report(end, 1, "a ; is missing here", "")
		return true
	}
	if found.Type == nameType {
		if sinks := intersect(expected, sinkWords); len(sinks) > 0 {
			hint = didYouMean(found.Value, sinks)
			p.reportToken(found, "unknown output "+found.Value, hint)
			return false
		}
	}
	p.reportToken(found, fmt.Sprintf("expected %s, found %s", alternatives(expected), describe(found)), hint)
	return false
}

var sinkWords = []string{"OUT", "PIPE", "VAR", "FIELD"}

func intersect(a, b []string) []string {
	var out []string
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// usageOf is the usage of the statement that begins with a token.
func (st *statement) usageOf(first lexer.Token) string {
	if v := verbNamed(first.Value); v != nil && st.usage == "" {
		return v.usage() + ";"
	}
	return st.usage
}

func alternatives(list []string) string {
	switch len(list) {
	case 0:
		return "something else"
	case 1:
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// describe names a token in a message.
func describe(t lexer.Token) string {
	switch {
	case t.EOF():
		return "the end of the file"
	case t.Type == stringType && utf8.RuneCountInString(t.Value) > 30:
		return "a string"
	case t.Type == stringType:
		return "the string " + t.Value
	}
	return t.Value
}
