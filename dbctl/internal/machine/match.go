package machine

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// A matcher is a regular expression with what can be decided without it: most
// patterns of a script are plain text, or hold some text that most events lack,
// and a search for text costs a tenth of a regular expression.
type matcher struct {
	regex  *regexp.Regexp
	needle string   // text that every match contains
	whole  bool     // the pattern is the needle and nothing else
	anchor bool     // and the needle stands at the start of the line
	names  []string // of the groups, by number; nil if none is named
}

func newMatcher(re *regexp.Regexp) matcher {
	m := matcher{regex: re}
	for _, n := range re.SubexpNames() {
		if n != "" {
			m.names = re.SubexpNames()
		}
	}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil { // compiled with other flags: no shortcut
		return m
	}
	tree = tree.Simplify()
	m.needle = required(tree)
	subs := []*syntax.Regexp{tree}
	if tree.Op == syntax.OpConcat {
		subs = tree.Sub
	}
	if len(subs) == 2 && subs[0].Op == syntax.OpBeginText {
		m.anchor = true
		subs = subs[1:]
	}
	m.whole = len(subs) == 1 && subs[0].Op == syntax.OpLiteral && m.needle != ""
	return m
}

// required is the longest text that stands in every string that re matches, as
// far as it is easily seen; "" is always right.
func required(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		// U+FFFD also matches bytes that are no UTF-8, which a search does not.
		if re.Flags&syntax.FoldCase == 0 && !slices.Contains(re.Rune, utf8.RuneError) {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if s := required(sub); len(s) > len(best) {
				best = s
			}
		}
		return best
	}
	return ""
}

// match returns the places of the match and its groups in line as
// FindStringSubmatchIndex does, using buf where it can; nil is no match.
func (m *matcher) match(line string, buf []int) []int {
	at := strings.Index(line, m.needle)
	switch {
	case at < 0 || m.whole && m.anchor && at > 0:
		return nil
	case m.whole:
		return append(buf[:0], at, at+len(m.needle))
	}
	return m.regex.FindStringSubmatchIndex(line)
}
