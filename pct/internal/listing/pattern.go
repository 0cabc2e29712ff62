package listing

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A Pattern matches names, in which * stands for any text and ? for any character.
// The zero Pattern matches all.
type Pattern struct{ text string }

// ParsePattern reads a pattern, which is not empty.
func ParsePattern(s string) (Pattern, error) {
	if s == "" {
		return Pattern{}, errors.New("want a name, in which * stands for any text")
	}
	return Pattern{s}, nil
}

// String returns the pattern as it was written, "" if it matches all.
func (p Pattern) String() string { return p.text }

// noneMatches says that a pattern is of nothing that has samples.
func noneMatches(what string, p Pattern) error {
	return fmt.Errorf("no %s with samples matches %s", what, printable(p.text))
}

func (p Pattern) name(name string) bool { return p.text == "" || wild(p.text, name) }

// file matches a path, its end from any directory on, or its base name.
func (p Pattern) file(path string) bool {
	return p.name(path) || wild("*/"+strings.TrimPrefix(p.text, "./"), path) || p.name(filepath.Base(path))
}

// wild reports whether a text is of a pattern.
func wild(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, from := -1, 0 // the last * so far, and where the text that it stands for ends
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(string(p[i:]), "*") == ""
}
