package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
)

// completions returns what can stand at the end of a line that has come so far: the
// words, the likeliest first, and where in the line they begin. All begin with what is
// there; if no word does, those that have it somewhere in them.
func (x *explorer) completions(line string) (from int, words []string) {
	begin := len(line) - len(strings.TrimLeft(line, " "))
	word, arg, spaced := strings.Cut(line[begin:], " ")
	if !spaced {
		return begin, fitting(commandNames(x), word)
	}
	c, err := findCommand(word)
	if err != nil || c.words == nil {
		return len(line), nil
	}
	from = len(line) - len(strings.TrimLeft(arg, " "))
	if c.listed {
		from += lastListed(line[from:])
	}
	return from, fitting(c.words(x), line[from:])
}

// lastListed returns where the last of names with commas between them begins.
func lastListed(names string) int {
	depth, from := 0, 0
	for i, c := range names {
		switch {
		case c == '(' || c == '<':
			depth++
		case c == ')' || c == '>':
			depth--
		case c == ',' && depth <= 0:
			from = i + 1
		}
	}
	return from
}

// fitting returns the words that begin with a text, or else those that contain it.
func fitting(words []string, text string) []string {
	without := func(fits func(string, string) bool) []string {
		return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !fits(word, text) })
	}
	if all := without(strings.HasPrefix); len(all) > 0 {
		return all
	}
	return without(strings.Contains)
}

// maxListed is how many completions are listed.
const maxListed = 20

// complete completes the end of a line: the line then and, if there is a choice that the
// user has to make, a list of what it could be.
func (x *explorer) complete(line string) (completed, list string) {
	from, words := x.completions(line)
	if len(words) == 0 {
		return line, ""
	}
	common := words[0]
	for _, word := range words[1:] {
		common = commonPrefix(common, word)
	}
	if len(words) == 1 {
		if c, err := findCommand(common); err == nil && c.argument != "" && strings.TrimSpace(line[:from]) == "" {
			common += " "
		}
		return line[:from] + common, ""
	}
	if strings.HasPrefix(common, line[from:]) && common != line[from:] {
		return line[:from] + common, ""
	}
	var b strings.Builder
	for i, word := range words {
		if i == maxListed {
			fmt.Fprintf(&b, "  and %d more\n", len(words)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", visible.Text(word))
	}
	return line, b.String()
}

// commonPrefix is what two words begin with, in whole characters.
func commonPrefix(a, b string) string {
	end := 0
	for i, r := range a {
		n := i + len(string(r))
		if n > len(a) || !strings.HasPrefix(b, a[:n]) {
			break
		}
		end = n
	}
	return a[:end]
}
