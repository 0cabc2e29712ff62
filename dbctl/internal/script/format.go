package script

import (
	"bytes"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Format returns a script in its canonical form: one statement a line, two spaces
// for each brace, at most one empty line in a row, includes at the start of their
// line. Comments are kept. Formatting a formatted script changes nothing. The
// error, if the text has the wrong grammar, is an *Errors; included files and the
// meaning of the script are not looked at. The text may be one that is included in
// any place.
func Format(name string, src []byte) ([]byte, error) {
	s := &source{name: name, text: src}
	var p *parser
	var wrong []Diagnostic
	for at := atFile; at < nowhere; at++ { // a file to be included begins at any of them
		p = &parser{}
		p.parse(s, at)
		if len(p.list) == 0 {
			break
		}
		if at == atFile {
			wrong = p.list
		}
	}
	if len(p.list) > 0 {
		return nil, &Errors{List: sorted(wrong)}
	}
	p.broken = make(map[int]bool)
	f := &formatter{}
	for _, t := range p.scan(s) {
		f.token(t)
	}
	if f.out.Len() > 0 {
		f.out.WriteByte('\n')
	}
	return f.out.Bytes(), nil
}

type formatter struct {
	out   bytes.Buffer
	last  lexer.Token
	depth int  // of braces
	open  bool // a statement has begun and not ended
}

// token writes a token, after the space or the line break that belongs before it.
func (f *formatter) token(t lexer.Token) {
	if t.EOF() {
		return
	}
	t.Value = strings.TrimRight(t.Value, " \t\r")
	if t.Value == "}" {
		f.depth--
	}
	comment := t.Type == commentType
	lines := t.Pos.Line - f.last.Pos.Line
	switch {
	case f.out.Len() == 0:
	case comment && lines == 0:
		f.out.WriteString("  ")
	case f.last.Type == commentType, comment, f.ended(t):
		f.out.WriteByte('\n')
		if lines > 1 && f.last.Value != "{" && t.Value != "}" {
			f.out.WriteByte('\n')
		}
		if t.Value != includeWord {
			f.out.WriteString(strings.Repeat("  ", f.indent(t)))
		}
	case f.spaced(t):
		f.out.WriteByte(' ')
	}
	f.out.WriteString(t.Value)
	if t.Value == "{" {
		f.depth++
	}
	if !comment {
		f.open = !f.ends(t)
	}
	f.last = t
}

// ends: the token is the last of a statement or of the part before its block.
func (f *formatter) ends(t lexer.Token) bool {
	return t.Value == ";" || t.Value == "{" || t.Value == "}" ||
		t.Type == stringType && f.last.Value == includeWord
}

// ended: t begins a line.
func (f *formatter) ended(t lexer.Token) bool {
	return !f.open && !(f.last.Value == "{" && t.Value == "}")
}

// indent is deeper by two where a comment has broken a statement.
func (f *formatter) indent(t lexer.Token) int {
	if f.open && t.Value != "{" {
		return f.depth + 2
	}
	return f.depth
}

// spaced: a blank belongs between the last token and t, which share a line.
func (f *formatter) spaced(t lexer.Token) bool {
	switch {
	case t.Value == ")" || t.Value == "," || t.Value == ";" || t.Value == "=" || f.last.Value == "(" || f.last.Value == "=":
		return false
	case t.Value == "(" || f.last.Value == "{" && t.Value == "}":
		return false
	}
	return true
}
