package script

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// eventKinds are the first words of events.
var eventKinds = []string{
	"started", "attached", "stopped", "breakpoint", "syscall", "fork", "vfork", "clone", "exec", "thread", "call", "first", "return", "left", "at",
	"stands", "loaded", "unloaded", "error", "timeout", "exited", "killed", "eof",
}

// possible reports a pattern that begins with a word of which no event does.
func (c *checker) possible(t lexer.Token, re *regexp.Regexp) {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat || tree.Sub[0].Op != syntax.OpBeginText ||
		tree.Sub[1].Op != syntax.OpLiteral || tree.Sub[1].Flags&syntax.FoldCase != 0 {
		return // it is not plainly seen
	}
	text := string(tree.Sub[1].Rune)
	word := text[:len(text)-len(strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz"))]
	for _, kind := range eventKinds {
		if kind == word || word == text && strings.HasPrefix(kind, word) {
			return
		}
	}
	first, _, _ := strings.Cut(text, " ")
	c.reportToken(t, "no event begins with "+strconv.Quote(first), didYouMean(first, eventKinds))
}
