package machine

import "strings"

// FormatEvent writes an event: the word kind, then key="value" for each pair.
// In values quotes and backslashes are escaped by a backslash, control
// characters as \n, \t, \r or \xHH, so that an event is always one line and a
// value ends at the first quote without a backslash. A key without a value gets
// the empty one.
func FormatEvent(kind string, pairs ...string) string {
	size := len(kind)
	for _, p := range pairs {
		size += len(p) + 3
	}
	b := make([]byte, 0, size+8)
	b = append(b, kind...)
	for i := 0; i < len(pairs); i += 2 {
		b = append(b, ' ')
		b = append(b, pairs[i]...)
		b = append(b, '=', '"')
		if i+1 < len(pairs) {
			b = appendEscaped(b, pairs[i+1])
		}
		b = append(b, '"')
	}
	return string(b)
}

const hexDigits = "0123456789abcdef"

func appendEscaped(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c < ' ' || c == 0x7f:
			b = append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}

// EventField returns the value of a key in an event, unescaped; "" if the event
// has no such key.
func EventField(line, key string) string {
	_, rest, _ := strings.Cut(line, " ")
	for {
		name, value, ok := strings.Cut(rest, `="`)
		if !ok {
			return ""
		}
		end := closing(value, '"')
		if strings.TrimLeft(name, " ") == key {
			return unescape(value[:end])
		}
		if end == len(value) {
			return ""
		}
		rest = value[end+1:]
	}
}

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'x':
			if i+2 < len(s) {
				hi, lo := strings.IndexByte(hexDigits, s[i+1]), strings.IndexByte(hexDigits, s[i+2])
				if hi >= 0 && lo >= 0 {
					b = append(b, byte(hi<<4|lo))
					i += 2
					continue
				}
			}
			b = append(b, 'x')
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}
