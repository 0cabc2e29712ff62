package value

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// prefixes are what stands before texts and characters of types of wide characters.
var prefixes = map[string]string{"wchar_t": "L", "char16_t": "u", "char32_t": "U"}

// prefix is what stands before texts and characters of the type.
func (t *Type) prefix() string {
	if t.Wide {
		return prefixes[t.Name]
	}
	return ""
}

// WideText reports whether characters of the type, side by side, are a text in UTF-16 or UTF-32.
func (t *Type) WideText() bool {
	return t.Kind == Character && t.Wide && prefixes[t.Name] != "" && (t.Size == 2 || t.Size == 4)
}

// wide writes a wide character.
func (p *printer) wide(t *Type, v uint64) {
	b := binary.LittleEndian.AppendUint64(nil, v)[:min(8, t.Size)]
	of := wideSpelling(int(t.Size), '\'')
	p.out.WriteString(t.prefix() + "'" + of.show(of.first(b)) + "'")
}

// wideSpelling is that of characters of so many bytes, which reads them in their order.
func wideSpelling(width int, quote byte) spelling {
	afterHex := false // digits would belong to the number before
	return spelling{
		first: func(b []byte) character { return firstWide(b, width) },
		show: func(c character) string {
			r := runeOf(c, width)
			hex := afterHex
			afterHex = false
			switch {
			case r == rune(quote) || r == '\\':
				return `\` + string(r)
			case r >= 0 && r < ' ' && len(escaped(byte(r), quote)) == 2:
				return escaped(byte(r), quote)
			case r >= 0 && hasShape(r) && !(hex && strings.ContainsRune("0123456789abcdefABCDEF", r)):
				return string(r)
			}
			var all strings.Builder
			for b := c.bytes; len(b) >= width; b = b[width:] {
				if v := Number(b[:width]); v <= 0o777 {
					fmt.Fprintf(&all, "\\%03o", v)
				} else {
					fmt.Fprintf(&all, "\\x%x", v)
					afterHex = true
				}
			}
			return all.String()
		},
	}
}

// runeOf is the code of a character, -1 if it is none.
func runeOf(c character, width int) rune {
	switch {
	case c.state != whole:
		return -1
	case len(c.bytes) == 2*width:
		return utf16.DecodeRune(rune(Number(c.bytes[:width])), rune(Number(c.bytes[width:])))
	}
	return rune(Number(c.bytes))
}

// firstWide is the first character of a text in UTF-32, or in UTF-16, where two may be one.
func firstWide(b []byte, width int) character {
	if len(b) < width {
		return character{b, broken}
	}
	one := b[:width]
	v := Number(one)
	switch {
	case width == 2 && v >= 0xd800 && v < 0xdc00:
		if len(b) < 2*width {
			return character{one, incomplete}
		}
		if next := Number(b[width : 2*width]); next >= 0xdc00 && next < 0xe000 {
			return character{b[:2*width], whole}
		}
		return character{one, broken}
	case v > utf8.MaxRune || v >= 0xd800 && v < 0xe000:
		return character{one, broken}
	}
	return character{one, whole}
}
