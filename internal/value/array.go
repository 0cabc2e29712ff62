package value

import (
	"bytes"
	"fmt"
)

func (p *printer) array(t *Type, at uint64) {
	e := t.Elem.Whole()
	if e.Kind == Character && !e.Wide && p.lost(at, t.Size) == 0 && !t.Vector {
		p.text1(p.bytes(at, t.Size))
		return
	}
	p.out.WriteByte('{')
	count := min(uint64(max(t.Count, 0)), uint64(len(p.v.Bytes)))
	things := 0
	for i := uint64(0); i < count; {
		if things >= mostShown || p.shown >= mostShown && e.Kind != Array && e.Kind != Structure {
			p.out.WriteString("...")
			break
		}
		if i > 0 {
			p.out.WriteString(", ")
		}
		run := uint64(1)
		for i+run < count && p.same(at+i*e.Size, at+(i+run)*e.Size, e) {
			run++
		}
		text := p.text
		p.value(e, at+i*e.Size)
		used := p.text - text
		if run > longestRun {
			fmt.Fprintf(&p.out, " <repeats %d times>", run)
			p.text = min(text+used*int(run), len(p.v.Texts))
			i += run
			things += longestRun + 1
			continue
		}
		things++
		i++
	}
	p.out.WriteByte('}')
}

// same reports whether two elements have the same bytes.
func (p *printer) same(a, b uint64, e *Type) bool {
	if p.lost(a, e.Size) != p.lost(b, e.Size) {
		return false
	}
	return bytes.Equal(p.bytes(a, e.Size), p.bytes(b, e.Size))
}

// text1 writes an array of characters: without the zero bytes at its end, or one of them where there are no
// others.
func (p *printer) text1(b []byte) {
	if len(b) == 0 {
		p.out.WriteString(`""`)
		return
	}
	// gdb leaves out one zero byte at the end, and shows the others.
	if b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	p.characters(b, false)
}

func quoted(c, quote byte) string { return string(quote) + escaped(c, quote) + string(quote) }

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
