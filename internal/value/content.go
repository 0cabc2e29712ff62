package value

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Content returns the text that a debugger's string or character stands for: x of "x", of 0x4006 "x" and of 120 'x'.
// It ends with the text's first NUL. Other values are returned as they are.
func Content(s string) string {
	rest := s
	if strings.HasPrefix(rest, "(") {
		_, rest, _ = strings.Cut(rest, ") ") // (char *) 0x4006 "x"
	}
	pointer := strings.HasPrefix(rest, "0x")
	rest = WithoutPrefix(WithoutAddress(rest))
	prefix, after, spaced := strings.Cut(rest, " ")
	switch {
	case strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, incompleteBegin):
	case !spaced || prefix == "" || !strings.ContainsAny(prefix[:1], "-0123456789"):
		return s
	default:
		rest = WithoutPrefix(after)
	}
	text, ok := quotations(rest, pointer)
	if !ok {
		return s
	}
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

// quotations reads "abc", 'x' <repeats 12 times>, "d"..., or of what is no pointer, a character: 'x'.
func quotations(s string, pointer bool) (string, bool) {
	const (
		repeats = " <repeats "
		longest = 1 << 17 // bytes, of more than a value can have
	)
	var b strings.Builder
	for {
		text, rest, ok := cutOff(s)
		if !ok {
			text, rest, ok = quotation(s)
		}
		if !ok {
			return "", false
		}
		if s[0] == '\'' {
			count, after, found := strings.Cut(strings.TrimPrefix(rest, repeats), " times>")
			n, err := strconv.ParseUint(count, 10, 16)
			switch {
			case strings.HasPrefix(rest, repeats) && found && err == nil:
				text, rest = strings.Repeat(text, int(n)), after
			case rest != "" || pointer || b.Len() > 0 || utf8.RuneCountInString(text) != 1:
				return "", false
			}
		}
		if b.Len()+len(text) > longest {
			return "", false
		}
		b.WriteString(text)
		next, more := strings.CutPrefix(rest, ", ")
		if !more {
			return b.String(), rest == "" || rest == "..."
		}
		s = next
	}
}

// cutOff reads the bytes of a character that is cut off: <incomplete sequence \362>.
func cutOff(s string) (text, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, incompleteBegin)
	if !ok {
		return "", "", false
	}
	s, rest, ok = strings.Cut(s, ">")
	if !ok {
		return "", "", false
	}
	text, after, ok := quotation(`"` + s + `"`)
	return text, rest, ok && after == ""
}

// quotation reads what s begins with in quotes, and returns what is behind it.
func quotation(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", "", false
	}
	if rest, ok := strings.CutPrefix(s, "''' "); ok { // a run of quotes, in none that a debugger escapes
		return "'", s[len(s)-len(rest)-1:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return b.String(), s[i+1:], true
		case c != '\\':
			b.WriteByte(c)
		case i+1 == len(s):
			return "", "", false
		default:
			i++
			if digits := strings.TrimLeft(s[i+1:], "0123456789abcdef"); s[i] == 'x' && len(digits) < len(s[i+1:]) {
				n := len(s) - len(digits)
				v, _ := strconv.ParseUint(s[i+1:n], 16, 32)
				b.WriteRune(rune(v)) // of a wide character
				i = n - 1
				continue
			}
			if n := octalDigits(s[i:]); n > 0 {
				v, _ := strconv.ParseUint(s[i:i+n], 8, 16)
				b.WriteByte(byte(v))
				i += n - 1
				continue
			}
			if at := strings.IndexByte("abfnrtv", s[i]); at >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v"[at])
				continue
			}
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

// octalDigits is how many digits of an octal number s begins with, three at most.
func octalDigits(s string) (n int) {
	for n < min(3, len(s)) && s[n] >= '0' && s[n] <= '7' {
		n++
	}
	return n
}
