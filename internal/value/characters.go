package value

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// A character is one of a text, of one byte or several.
type character struct {
	bytes []byte
	state charState
}

type charState uint8

const (
	whole      charState = iota // show it, or its bytes as octal numbers if it has no shape
	broken                      // a byte that begins no character: show it as an octal number
	incomplete                  // the text ends before the character does: show what there is outside of the quotes
)

// firstCharacter is the first character of a text in UTF-8, as iconv reads it: bytes that continue none are characters
// of their own. In Ada, all bytes are.
func (p *printer) firstCharacter(b []byte) character {
	if p.v.Type.Language == Ada {
		return character{b[:1], whole}
	}
	return firstCharacter(b)
}

func firstCharacter(b []byte) character {
	size := 1
	switch c := b[0]; {
	case c >= 0xc2 && c < 0xe0:
		size = 2
	case c&0xf0 == 0xe0:
		size = 3
	case c&0xf8 == 0xf0:
		size = 4
	case c&0xfc == 0xf8:
		size = 5 // as they were before Unicode had an end
	case c&0xfe == 0xfc:
		size = 6
	case c >= 0x80:
		return character{b[:1], broken}
	}
	for i := 1; i < size; i++ {
		switch {
		case i == len(b):
			return character{b, incomplete}
		case b[i]&0xc0 != 0x80:
			return character{b[:1], broken}
		}
	}
	if _, n := utf8.DecodeRune(b); n != size {
		return character{b[:1], broken} // it has a shorter form, or is beyond Unicode
	}
	return character{b[:size], whole}
}

// A spelling is how the characters of a text are read and shown.
type spelling struct {
	first func(b []byte) character
	show  func(c character) string
}

// spelling is that of characters of a type.
func (p *printer) spelling(e *Type) spelling {
	quote := p.notation().quote
	if e.WideText() {
		return wideSpelling(int(e.Size), quote)
	}
	return spelling{first: p.firstCharacter, show: func(c character) string { return p.character(c, quote) }}
}

// characters writes the bytes of characters of a type in quotes. Runs of more than ten equal characters stand behind their
// number, outside of the quotes.
func (p *printer) characters(b []byte, e *Type, more bool) {
	quote := p.notation().quote
	of := p.spelling(e)
	p.out.WriteString(e.prefix())
	if len(b) == 0 {
		p.out.WriteString(string([]byte{quote, quote}))
	}
	open, first := false, true
	quotes := func(want bool) {
		if open && !want {
			p.out.WriteByte(quote)
		}
		if !first && !(open && want) {
			p.out.WriteString(", ")
		}
		if want && !open {
			p.out.WriteByte(quote)
		}
		open, first = want, false
	}
	for shown := 0; len(b) > 0; {
		if shown >= mostShown {
			more = true
			break
		}
		c := of.first(b)
		run := 1
		for b = b[len(c.bytes):]; bytes.HasPrefix(b, c.bytes) && of.first(b).state == c.state; b = b[len(c.bytes):] {
			run++
		}
		shown += run
		switch {
		case c.state == incomplete:
			quotes(false)
			p.out.WriteString(incompleteBegin + of.show(c) + ">")
		case run > longestTextRun:
			quotes(false)
			fmt.Fprintf(&p.out, "'%s' <repeats %d times>", of.show(c), run)
		default:
			quotes(true)
			for range run {
				p.out.WriteString(of.show(c))
			}
		}
	}
	if open {
		p.out.WriteByte(quote)
	}
	if more {
		p.out.WriteString("...")
	}
}

// character is one as it stands in quotes.
func (p *printer) character(c character, quote byte) string {
	switch {
	case len(c.bytes) == 1:
		return p.escaped(c.bytes[0], quote)
	case c.state == whole:
		if r, _ := utf8.DecodeRune(c.bytes); hasShape(r) {
			return string(c.bytes)
		}
	}
	var all string
	for _, b := range c.bytes {
		all += octal(b)
	}
	return all
}

// hasShape reports whether a character is printable by glibc's rules.
func hasShape(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co)
}

func octal(b byte) string { return fmt.Sprintf("\\%03o", b) }
