package script

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// mend reports that a statement that begins at start cannot go on at the token at,
// and goes to where the next one is likely to begin. If only a semicolon is
// missing, it returns what the statement is with it.
func (p *parser) mend(st *statement, start, at lexer.Checkpoint) any {
	p.lex.LoadCheckpoint(at)
	before := p.lex.Range(start.RawCursor(), at.RawCursor())
	if p.syntaxError(st, before, *p.lex.Peek()) {
		semicolon := lexer.Token{Type: punctType, Value: ";"}
		if form, err := st.parse(mustUpgrade(append(slices.Clone(before), semicolon, lexer.EOFToken(semicolon.Pos)))); err == nil {
			return form
		}
	}
	p.skip(before[len(before)-1], st.at[0], st.block)
	return nil
}

// failure moves to the token that an error is about.
func (p *parser) failure(start lexer.Checkpoint, err error) lexer.Checkpoint {
	offset := position(err).Offset
	p.lex.LoadCheckpoint(start)
	p.lex.Next() // the first token belongs to the statement in any case
	for t := p.lex.Peek(); !t.EOF() && t.Pos.Offset < offset; t = p.lex.Peek() {
		p.lex.Next()
	}
	return p.lex.MakeCheckpoint()
}

// skip goes to where the next statement is likely to begin: after a semicolon or
// a block, before a closing brace or a line that begins like a statement. A block
// of statements is not skipped if the current statement may have one.
func (p *parser) skip(after lexer.Token, at, block level) {
	line := after.Pos.Line
	for {
		t := p.lex.Peek()
		switch {
		case t.EOF() || t.Value == "}":
			return
		case t.Value == "{" && block != nowhere:
			return
		case t.Pos.Line != line && p.beginsStatement(at):
			return
		}
		line = t.Pos.Line
		p.lex.Next()
		switch t.Value {
		case ";":
			return
		case "{":
			p.skipBlock()
			return
		}
	}
}

// beginsStatement: the next token, the first on its line, probably does, though
// the statement before it has not ended.
func (p *parser) beginsStatement(at level) bool {
	mark := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(mark)
	t := p.lex.Next()
	return t.Type == keywordType || t.Type == stringType && at == inBlock ||
		t.Type == nameType && p.lex.Peek().Value == "("
}

// skipBlock goes behind the brace that closes the one just read.
func (p *parser) skipBlock() {
	for depth := 1; depth > 0; {
		switch t := p.lex.Next(); {
		case t.EOF():
			return
		case t.Value == "{":
			depth++
		case t.Value == "}":
			depth--
		}
	}
}
