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
	if strings.HasPrefix(rest, "<") && !strings.HasPrefix(rest, incompleteBegin) {
		at := strings.Index(rest, `> "`)
		if run := strings.Index(rest, "> '"); at < 0 || run >= 0 && run < at {
			at = run
		}
		if at < 0 {
			return text
		}
		rest = rest[at+len("> "):]
	}
	if strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, incompleteBegin) || strings.HasPrefix(rest, "'") && strings.Contains(rest, "' <repeats ") {
		return rest
	}
	return text
}
