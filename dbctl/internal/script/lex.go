package script

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// The tokens of the language, tried in this order. Between tokens blanks and
// comments may stand. A string ends on its line; in it \" is a quote and \\ a
// backslash, any other backslash stands for itself. OpenString and Bad are what
// no right script holds.
var lexicon = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Comment", Pattern: `#[^\n]*`},
	{Name: "String", Pattern: `"(?:\\[^\n]|[^"\\\n])*"`},
	{Name: "OpenString", Pattern: `"(?:\\[^\n]|[^"\\\n])*\\?`},
	{Name: "Keyword", Pattern: `(?:EXEC|PAT_GROUP|PAT|RAW|IF)\b`},
	{Name: "Name", Pattern: `(?:[tea]\.)?[A-Za-z_][A-Za-z0-9_]*`},
	{Name: "Number", Pattern: `-?[0-9]+`},
	{Name: "Variable", Pattern: `\$(?:[0-9]|a\.[0-9]+|(?:[tea]\.)?[A-Za-z_][A-Za-z0-9_]*|\{(?:[tea]\.)?[A-Za-z0-9_]*\})`},
	{Name: "Punct", Pattern: `[(){}|,;=]`},
	{Name: "Space", Pattern: `[ \t\r\n]+`},
	{Name: "Bad", Pattern: `.`},
})

var (
	symbols      = lexicon.Symbols()
	commentType  = symbols["Comment"]
	stringType   = symbols["String"]
	openType     = symbols["OpenString"]
	keywordType  = symbols["Keyword"]
	nameType     = symbols["Name"]
	numberType   = symbols["Number"]
	variableType = symbols["Variable"]
	punctType    = symbols["Punct"]
	spaceType    = symbols["Space"]
	badType      = symbols["Bad"]
)

// includeWord is the token that a comment beginning with it becomes where it is
// the first thing on its line.
const includeWord = "#include"

var includeLine = regexp.MustCompile(`^#include[ \t]*("(?:\\.|[^"\\])*")?[ \t\r]*(#.*)?$`)

// scan splits a source into tokens, comments included and blanks not. Errors are
// reported and mended, so that no OpenString and no Bad is left.
func (p *parser) scan(src *source) []lexer.Token {
	lex, err := lexicon.LexString(src.id, string(src.text))
	if err != nil { // the rules cover every input
		p.report(lexer.Position{Filename: src.id, Line: 1, Column: 1}, 1, err.Error(), "")
		return []lexer.Token{lexer.EOFToken(lexer.Position{Filename: src.id, Line: 1, Column: 1})}
	}
	var out []lexer.Token
	line := 0    // of the last token that is no blank
	foreign := 0 // the line that holds a comment of another language
	for {
		t, err := lex.Next()
		if err != nil {
			p.report(t.Pos, 1, err.Error(), "")
			return append(out, lexer.EOFToken(t.Pos))
		}
		first := t.Pos.Line != line
		if t.Type != spaceType {
			line = t.Pos.Line
		}
		switch {
		case t.Type == spaceType, t.Pos.Line == foreign && !t.EOF():
		case t.Type == commentType && first && isInclude(t.Value):
			out = append(out, p.splitInclude(t)...)
		case t.Type == openType:
			p.reportToken(t, "this string is not closed on its line", `end it with "; inside a string a quote is written \"`)
			p.broken[t.Pos.Offset] = true
			t.Type, t.Value = stringType, strings.TrimRight(t.Value, "\\\r")+`"`
			out = append(out, t)
		case t.Type == badType:
			if bytes.HasPrefix(src.text[t.Pos.Offset:], []byte("//")) {
				foreign = t.Pos.Line
			}
			p.badCharacter(src, t)
		default:
			out = append(out, t)
		}
		if t.EOF() {
			return out
		}
	}
}

func isInclude(comment string) bool {
	rest, ok := strings.CutPrefix(comment, includeWord)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\""))
}

// splitInclude turns the line of an include into tokens.
func (p *parser) splitInclude(t lexer.Token) []lexer.Token {
	m := includeLine.FindStringSubmatchIndex(t.Value)
	if m == nil || m[2] < 0 {
		p.reportToken(t, `#include wants the name of a file in quotes`, `#include "gdbprof_prologue.dbctl"; for a comment write # include`)
		return nil
	}
	at := func(i, j int, typ lexer.TokenType) lexer.Token {
		pos := t.Pos
		pos.Advance(t.Value[:i])
		return lexer.Token{Type: typ, Value: t.Value[i:j], Pos: pos}
	}
	out := []lexer.Token{at(0, len(includeWord), keywordType), at(m[2], m[3], stringType)}
	if m[4] >= 0 {
		out = append(out, at(m[4], m[5], commentType))
	}
	return out
}

func (p *parser) badCharacter(src *source, t lexer.Token) {
	p.broken[t.Pos.Offset] = true
	if p.broken[t.Pos.Offset-1] && t.Pos.Offset > 0 {
		return // one report for a run of them
	}
	hint := ""
	rest := src.text[t.Pos.Offset:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")):
		hint = "a comment begins with # and ends with the line"
	case t.Value == "'":
		hint = "strings stand in double quotes"
	case t.Value == "$":
		hint = "a variable is written $name or ${name}"
	}
	p.reportToken(t, fmt.Sprintf("unexpected character %q", t.Value), hint)
}

// unquote gives the text of a string token.
func unquote(token string) string {
	s := strings.TrimSuffix(strings.TrimPrefix(token, `"`), `"`)
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
