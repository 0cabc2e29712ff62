package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// A source is one file of a script. A file that is included twice is two.
type source struct {
	id   string // in the positions of its tokens
	name string
	text []byte
	from []machine.Pos // the includes that led here, innermost first
}

// A node is a statement.
type node struct {
	word  lexer.Token // its first token
	depth int         // of includes that it came through
	form  any         // *set, *execHead, *groupHead, *patHead, *command or *call; nil if it was not understood
	items []*node     // the statements of its block
}

// A level is where statements stand.
type level int

const (
	atFile level = iota
	inExec
	inGroup
	inBlock
	nowhere
)

var levelNames = [...]string{
	atFile:  "at file level",
	inExec:  "in EXEC",
	inGroup: "in PAT_GROUP",
	inBlock: "in the block of a PAT",
}

// A statement is what a first token announces.
type statement struct {
	word   string // "" is any string or other name
	at     []level
	parse  func(*lexer.PeekingLexer) (any, error)
	block  level // of the statements in its braces; nowhere: it has none
	noBody bool  // it may end with ; instead of braces
	usage  string
}

var statements = []statement{
	{word: "EXEC", at: []level{atFile}, parse: production[execHead](), block: inExec, usage: `EXEC() "regex" { … }`},
	{word: "PAT_GROUP", at: []level{inExec}, parse: production[groupHead](), block: inGroup, usage: `PAT_GROUP(name) { … }`},
	{word: "PAT", at: []level{inGroup}, parse: production[patHead](), block: inBlock, noBody: true, usage: `PAT(rank) "regex" | SINK("…") { … }`},
	{word: "SET", at: []level{atFile, inExec}, parse: production[set](), block: nowhere, usage: `SET(name, "value");`},
}

var (
	commandStatement = statement{at: []level{inBlock}, parse: production[command](), block: nowhere, usage: `"debugger command" | SINK("…");`}
	callStatement    = statement{at: []level{inBlock}, parse: production[call](), block: nowhere}
	includeStatement = statement{parse: production[include](), block: nowhere, usage: `#include "file"`}
)

// words are the statements that may stand at a level.
func words(at level) []string {
	var out []string
	for i := range statements {
		if slices.Contains(statements[i].at, at) {
			out = append(out, statements[i].word)
		}
	}
	if at == inBlock {
		out = append(out, verbWords()...)
	}
	return out
}

// parser reads the files of one script. It goes on after every error.
type parser struct {
	options Options
	resolve bool // includes are followed
	sources []*source
	list    []Diagnostic

	// of the source being read
	src    *source
	lex    *lexer.PeekingLexer
	broken map[int]bool // offsets of errors below the grammar, which it need not repeat
	excess int          // opening braces that nothing closes
	depth  int          // of braces
}

// maxDepth bounds the nesting of braces, which a right script has at most three
// of.
const maxDepth = 50

// parse reads a source that stands at a level.
func (p *parser) parse(src *source, at level) []*node {
	outer, lex, broken, excess := p.src, p.lex, p.broken, p.excess
	src.id = fmt.Sprint(len(p.sources))
	p.sources = append(p.sources, src)
	p.src, p.broken, p.excess = src, make(map[int]bool), 0
	tokens := slices.DeleteFunc(p.scan(src), func(t lexer.Token) bool { return t.Type == commentType })
	for _, t := range tokens {
		switch t.Value {
		case "{":
			p.excess++
		case "}":
			p.excess--
		}
	}
	p.lex = mustUpgrade(tokens)
	items := p.statements(at, nil)
	p.src, p.lex, p.broken, p.excess = outer, lex, broken, excess
	return items
}

// tokens are a lexer.Lexer.
type tokens struct{ rest []lexer.Token }

func (t *tokens) Next() (lexer.Token, error) {
	next := t.rest[0]
	if len(t.rest) > 1 {
		t.rest = t.rest[1:]
	}
	return next, nil
}

// mustUpgrade makes a parser's input of tokens that end with an EOF.
func mustUpgrade(list []lexer.Token) *lexer.PeekingLexer {
	lex, err := lexer.Upgrade(&tokens{list})
	if err != nil {
		panic(err) // tokens give none
	}
	return lex
}

// statements reads to the brace that closes open, or to the end of the source if
// open is nil.
func (p *parser) statements(at level, open *lexer.Token) []*node {
	var items []*node
	misplaced := make(map[string]bool)
	for {
		t := *p.lex.Peek()
		switch {
		case t.EOF():
			if open != nil {
				p.excess--
				p.reportToken(*open, "this { is never closed", "")
			}
			return items
		case t.Value == "}" && open != nil:
			p.lex.Next()
			return items
		case t.Value == "}":
			p.lex.Next()
			p.excess++
			p.reportToken(t, "this } closes nothing", "")
			continue
		case t.Value == includeWord:
			items = append(items, p.include(at)...)
			continue
		case t.Value == ";":
			p.lex.Next()
			p.reportToken(t, "a ; without a statement", "none is needed after }")
			continue
		}
		st := p.recognize(t, at)
		switch {
		case st == nil:
			p.unknown(t, at)
		case slices.Contains(st.at, at):
			items = append(items, p.statement(st))
		case st.at[0] < at && open != nil && p.excess > 0:
			p.excess--
			p.reportToken(t, "a } is missing before "+t.Value,
				fmt.Sprintf("the { of line %d is still open", open.Pos.Line))
			return items
		default:
			if !misplaced[st.word] && !p.broken[t.Pos.Offset] {
				p.reportToken(t, fmt.Sprintf("%s cannot stand %s", describe(t), levelNames[at]),
					"it stands "+levelNames[st.at[0]])
			}
			misplaced[st.word] = true
			p.statement(st)
		}
	}
}

// recognize tells what statement a token begins, nil if none.
func (p *parser) recognize(t lexer.Token, at level) *statement {
	for i := range statements {
		if t.Value == statements[i].word && !(t.Value == "SET" && at == inBlock) {
			return &statements[i]
		}
	}
	switch {
	case t.Type == stringType:
		return &commandStatement
	case t.Type == nameType && (at == inBlock || verbNamed(t.Value) != nil):
		return &callStatement
	}
	return nil
}

// unknown reports a token that begins no statement. It is read as the statement
// that was probably meant, else skipped.
func (p *parser) unknown(t lexer.Token, at level) {
	if t.Type != nameType {
		p.report(t.Pos, len(t.Value), "unexpected "+describe(t), "a statement begins with "+strings.Join(words(at), ", "))
		p.skip(*p.lex.Next(), at, nowhere)
		return
	}
	p.reportToken(t, "unknown statement "+t.Value, didYouMean(t.Value, words(at)))
	meant := nearest(t.Value, words(at))
	if meant == "" {
		p.skip(*p.lex.Next(), at, nowhere)
		return
	}
	next := p.lex.Peek()
	next.Value = meant
	if meant != "SET" {
		next.Type = keywordType
	}
}

// statement reads one statement and its block.
func (p *parser) statement(st *statement) *node {
	first := *p.lex.Peek()
	n := &node{word: first, depth: len(p.src.from)}
	start := p.lex.MakeCheckpoint()
	form, err := st.parse(p.lex)
	if err == nil {
		n.form = form
	} else {
		n.form = p.mend(st, start, p.failure(start, err))
	}
	if st.block == nowhere {
		return n
	}
	t := *p.lex.Peek()
	if err == nil && t.Value != "{" && (t.Value != ";" || !st.noBody) {
		p.mend(st, start, p.lex.MakeCheckpoint())
		t = *p.lex.Peek()
	}
	switch {
	case t.Value == ";" && st.noBody:
		p.lex.Next()
	case t.Value == "{" && p.depth == maxDepth:
		p.lex.Next()
		p.reportToken(t, "blocks are nested too deeply", "")
		p.skipBlock()
	case t.Value == "{":
		p.lex.Next()
		p.depth++
		n.items = p.statements(st.block, &t)
		p.depth--
	}
	return n
}

func (p *parser) pos(at lexer.Position) machine.Pos {
	return machine.Pos{File: p.source(at).name, Line: at.Line, Col: at.Column}
}

func (p *parser) source(at lexer.Position) *source {
	for _, s := range p.sources {
		if s.id == at.Filename {
			return s
		}
	}
	return &source{}
}
