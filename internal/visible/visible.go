// Package visible writes texts that come from data, such as names, paths, values and notes, so that they can be seen and do nothing
// else: control characters steer a terminal, and those that change the direction of writing make a text look like another one. Such
// characters, and bytes that are not UTF-8, are escaped: \x1b, \u202e, \xff.
package visible

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text returns a text of one line.
func Text(s string) string { return escape(s, "") }

// Source returns a line of source text, in which tabs stay.
func Source(s string) string { return escape(s, "\t") }

// Lines returns a text of several lines.
func Lines(s string) string { return escape(s, "\t\n") }

// JSON returns a JSON document in which strings have such characters as \u escapes. In a document they are nowhere else.
func JSON(document []byte) []byte {
	var made []byte
	from := 0
	for at, r := range string(document) {
		if r >= 0x7f && !Shown(r) {
			made = fmt.Appendf(append(made, document[from:at]...), `\u%04x`, r)
			from = at + utf8.RuneLen(r)
		}
	}
	if from == 0 {
		return document
	}
	return append(made, document[from:]...)
}

// Writer returns a writer of lines, each of its writes whole ones or parts of ASCII, that passes them on to w.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ w io.Writer }

func (w writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.w, Lines(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// escape escapes all but the characters in kept.
func escape(s, kept string) string {
	if plain(s, kept) {
		return s
	}
	var b strings.Builder
	for at, r := range s {
		switch _, size := utf8.DecodeRuneInString(s[at:]); {
		case r == utf8.RuneError && size == 1, r < ' ' && !strings.ContainsRune(kept, r), r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, s[at])
		case !Shown(r) && r >= 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Shown reports whether a character stands for itself: it is none of C0, DEL and C1, separates no lines, and marks no direction.
// The library has the same in collector/text.h.
func Shown(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0,
		r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return false
	}
	return true
}

// plain reports whether a text is what most are: characters of ASCII that are printed, and those in kept.
func plain(s, kept string) bool {
	for i := range len(s) {
		if (s[i] < ' ' || s[i] > '~') && strings.IndexByte(kept, s[i]) < 0 {
			return false
		}
	}
	return true
}
