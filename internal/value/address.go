package value

import "strings"

// incompleteBegin is what texts have for a character that is cut off, before its bytes and a >.
const incompleteBegin = "<incomplete sequence "

// WithoutAddress is the text of a value, as Text or a debugger makes it, without the address of a pointer to characters:
// "GET" of 0x4006 "GET" and of 0x4006 <buffer+8> "GET". Other values are as they are.
func WithoutAddress(text string) string {
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok {
		return text
	}
	rest := strings.TrimLeft(digits, "0123456789abcdef")
	if rest == digits || !strings.HasPrefix(rest, " ") {
		return text
	}
	rest = rest[1:]
	// The name of a symbol may be there.
	for name := strings.HasPrefix(rest, "<"); name && !isQuoted(rest); {
		at := strings.Index(rest, "> ")
		if at < 0 {
			return text
		}
		rest = rest[at+len("> "):]
	}
	if isQuoted(rest) {
		return rest
	}
	return text
}

// isQuoted reports whether a text begins with characters in quotes, or a run of equal ones. Those of wide characters have
// a letter before.
func isQuoted(s string) bool {
	s = WithoutPrefix(s)
	return strings.HasPrefix(s, `"`) || strings.HasPrefix(s, incompleteBegin) || strings.HasPrefix(s, "'") && strings.Contains(s, "' <repeats ")
}

// WithoutPrefix is a text in quotes without the letter that tells the type of its characters.
func WithoutPrefix(s string) string {
	if len(s) > 1 && strings.Contains("LuU", s[:1]) && (s[1] == '"' || s[1] == '\'') {
		return s[1:]
	}
	return s
}
