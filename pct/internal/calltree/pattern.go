package calltree

import (
	"errors"
	"slices"
	"strings"
)

// A Pattern matches names, in which * stands for any text and ? for any character.
// The zero Pattern matches all.
type Pattern struct {
	text    string
	aliases bool // names without what C libraries put before them are taken, too
}

// ParsePattern reads a pattern, which is not empty.
func ParsePattern(s string) (Pattern, error) {
	if s == "" {
		return Pattern{}, errors.New("want a name, in which * stands for any text")
	}
	return Pattern{text: s}, nil
}

// String returns the pattern as it was written, "" if it matches all.
func (p Pattern) String() string { return p.text }

// Name reports whether a name is of the pattern.
func (p Pattern) Name(name string) bool { return p.text == "" || wild(p.text, name) }

// Frame reports whether the name or the function of a frame is of the pattern.
// A name without any * or ? is also that of a function with its parameters, and of one in
// any name space, as debuggers take it: sort is std::sort(int*, int*).
func (p Pattern) Frame(f *Frame) bool {
	if p.Name(f.Name) || f.Function != "" && p.Name(f.Function) {
		return true
	}
	if p.aliases && Alias(f.Function, p.Name) {
		return true
	}
	if f.Function == "" || strings.ContainsAny(p.text, "*?") {
		return false
	}
	at := strings.Index(f.Function, p.text)
	for ; at >= 0; at = next(f.Function, p.text, at) {
		before, after := f.Function[:at], f.Function[at+len(p.text):]
		if (before == "" || strings.HasSuffix(before, "::")) && (after == "" || after[0] == '(') {
			return true
		}
	}
	return false
}

// Among returns the pattern as it is meant where there are these frames: if none fits it,
// names count also without the prefixes of the C library, as malloc is __libc_malloc or
// __GI___libc_malloc in its symbols.
func (p Pattern) Among(frames []Frame) Pattern {
	if p.text == "" || slices.ContainsFunc(frames, func(f Frame) bool { return p.Frame(&f) }) {
		return p
	}
	p.aliases = true
	return p
}

// Alias reports whether a name without one or more of the C library's prefixes is wanted.
func Alias(name string, wanted func(string) bool) bool {
	for _, prefix := range [...]string{"__GI_", "__libc_", "__"} {
		if short, ok := strings.CutPrefix(name, prefix); ok && short != "" && (wanted(short) || Alias(short, wanted)) {
			return true
		}
	}
	return false
}

// next returns where a text is found again after at, -1 if it is not.
func next(s, text string, at int) int {
	again := strings.Index(s[at+1:], text)
	if again < 0 {
		return -1
	}
	return at + 1 + again
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
