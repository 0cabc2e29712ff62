package value

import (
	"bytes"
	"fmt"
	"slices"
)

func (p *printer) array(t *Type, at uint64) {
	p.raw++
	defer func() { p.raw-- }()
	e := t.Elem.Whole()
	if e.Kind == Character && (!e.Wide || e.WideText()) && p.lost(at, t.Size) == 0 && !t.Vector {
		p.text1(p.bytes(at, t.Size), e)
		return
	}
	n := p.notation()
	p.out.WriteString(n.from)
	p.adaLowest(t)
	count := min(uint64(max(t.Count, 0)), uint64(len(p.v.Bytes)))
	things := 0
	for i := uint64(0); i < count; {
		if things >= mostShown || p.shown >= mostShown && e.Kind != Array && e.Kind != Structure {
			p.out.WriteString("...")
			break
		}
		switch {
		case i == 0:
		case p.v.Type.Language == Fortran && rows(e):
			p.out.WriteByte(' ')
		default:
			p.out.WriteString(", ")
		}
		run := uint64(1)
		for i+run < count && p.same(at+i*e.Size, at+(i+run)*e.Size, e) {
			run++
		}
		text := p.text
		p.value(e, at+i*e.Size)
		used := p.text - text
		if run > uint64(n.longestRun) {
			if p.v.Type.Language == Fortran && !rows(e) {
				p.out.WriteByte(',')
			}
			fmt.Fprintf(&p.out, " <repeats %d times>", run)
			p.text = min(text+used*int(run), len(p.v.Texts))
			i += run
			things += n.longestRun + 1
			continue
		}
		things++
		i++
	}
	p.out.WriteString(n.to)
}

// rows reports whether elements are arrays, not texts.
func rows(elem *Type) bool { return elem.Kind == Array && elem.Elem.Kind != Character }

// same reports whether two elements have the same bytes.
func (p *printer) same(a, b uint64, e *Type) bool {
	if p.lost(a, e.Size) != p.lost(b, e.Size) {
		return false
	}
	return bytes.Equal(p.bytes(a, e.Size), p.bytes(b, e.Size))
}

// text1 writes an array of characters: without the zero at its end, of which gdb leaves out one and shows the others.
func (p *printer) text1(b []byte, e *Type) {
	if l := p.v.Type.Language; l != Ada && l != Fortran {
		b, _ = withoutZero(b, e)
	}
	p.characters(b, e, false)
}

// withoutZero is a text without the zero that ends it, and whether one does.
func withoutZero(b []byte, e *Type) ([]byte, bool) {
	n := int(max(1, e.Size))
	if len(b) < n || slices.ContainsFunc(b[len(b)-n:], func(c byte) bool { return c != 0 }) {
		return b, false
	}
	return b[:len(b)-n], true
}

func (p *printer) quoted(c, quote byte) string {
	return string(quote) + p.escaped(c, quote) + string(quote)
}

// escaped is a byte as it stands in quotes in the language.
func (p *printer) escaped(c, quote byte) string {
	if p.v.Type.Language != Ada {
		return escaped(c, quote)
	}
	switch {
	case c == '"' && quote == '"':
		return `""`
	case c < 0x20 || c >= 0x7f:
		return fmt.Sprintf(`["%02x"]`, c)
	}
	return string(rune(c))
}

// escaped is a byte as it stands in quotes.
func escaped(c, quote byte) string {
	switch c {
	case '\a':
		return `\a`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	case '\v':
		return `\v`
	case 27:
		return `\033`
	case '\\':
		return `\\`
	case quote:
		return `\` + string(quote)
	}
	if c >= 0x20 && c < 0x7f {
		return string(rune(c))
	}
	return octal(c)
}
