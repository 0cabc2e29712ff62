package mi

import (
	"bytes"
	"strings"
)

const (
	// maxDepth bounds the nesting of values. gdb stays below ten.
	maxDepth = 200
	// keepValues bounds what a reused parser holds on to between records.
	keepValues = 1 << 14
)

// Parse returns the record that line holds. The line may end in a newline. The
// record is owned by the caller and shares nothing with line. Parse never
// fails: a line that is no MI gives a record of Kind Other with Raw alone.
func Parse(line []byte) Record {
	var p parser
	var r Record
	line = bytes.TrimSuffix(line, []byte("\n"))
	p.slab = make([]Value, 0, min(bytes.Count(line, []byte("="))+1, len(line)/8+1))
	p.record(&r, bytes.Clone(line))
	return r
}

// parser holds the line being parsed and the memory that records are made of.
// A parser that is used again overwrites the Items of its former record; the
// strings in it stay valid.
type parser struct {
	s     string
	pos   int
	slab  []Value         // finished items, those of one aggregate side by side
	stack []Value         // items of the aggregates that are still open
	text  strings.Builder // decoded texts of this line, one after another
}

// record parses line, which has no newline, into r. r.Raw is line itself.
func (p *parser) record(r *Record, line []byte) {
	*r = Record{Raw: line}
	line = bytes.TrimSuffix(line, []byte("\r"))
	n := 0
	for n < len(line) && '0' <= line[n] && line[n] <= '9' {
		r.Token = r.Token*10 + int(line[n]-'0')
		n++
	}
	if n == len(line) || n > 18 {
		*r = Record{Raw: r.Raw}
		return
	}
	p.text = strings.Builder{}
	ok := false
	switch k := Kind(line[n]); k {
	case Result, Exec, Status, Notify:
		p.s, p.pos = string(line), n+1
		r.Kind = k
		ok = p.async(r)
	case Console, Target, Log:
		p.s, p.pos = string(line), n+1
		r.Kind = k
		if p.peek() == '"' {
			r.Text, ok = p.constant()
			ok = ok && p.pos == len(p.s)
		}
	case Prompt:
		r.Kind = k
		ok = n == 0 && string(bytes.TrimRight(line, " ")) == "(gdb)"
	}
	if !ok {
		*r = Record{Raw: r.Raw}
	}
}

// async parses what follows the introducing character of ^ * + = records.
func (p *parser) async(r *Record) bool {
	start := p.pos
	for p.pos < len(p.s) && classByte(p.s[p.pos]) {
		p.pos++
	}
	r.Class = p.s[start:p.pos]
	if r.Class == "" {
		return false
	}
	r.Results.Tuple = true
	if p.pos == len(p.s) {
		return true
	}
	if p.s[p.pos] != ',' {
		return false
	}
	p.pos++
	if cap(p.slab) > keepValues || cap(p.stack) > keepValues {
		p.slab, p.stack = nil, nil
	}
	p.slab, p.stack = p.slab[:0], p.stack[:0]
	var ok bool
	r.Results.Items, ok = p.items(0, 0)
	return ok
}

// peek returns the next byte, 0 at the end of the line.
func (p *parser) peek() byte {
	if p.pos < len(p.s) {
		return p.s[p.pos]
	}
	return 0
}

// items parses items separated by commas up to and including the closing byte
// end; 0 stands for the end of the line.
func (p *parser) items(end byte, depth int) ([]Value, bool) {
	base := len(p.stack)
	for {
		var v Value
		if !p.item(&v, depth) {
			return nil, false
		}
		p.stack = append(p.stack, v)
		if p.pos == len(p.s) {
			return p.close(base), end == 0
		}
		c := p.s[p.pos]
		p.pos++
		if c == end && end != 0 {
			return p.close(base), true
		}
		if c != ',' {
			return nil, false
		}
	}
}

// item parses a value, with its name if it has one.
func (p *parser) item(v *Value, depth int) bool {
	start := p.pos
	for p.pos < len(p.s) && classByte(p.s[p.pos]) {
		p.pos++
	}
	if p.pos > start {
		v.Name = p.s[start:p.pos]
		if p.peek() != '=' {
			return false
		}
		p.pos++
	}
	var end byte
	var ok bool
	switch p.peek() {
	case '"':
		v.Text, ok = p.constant()
		return ok
	case '{':
		v.Tuple, end = true, '}'
	case '[':
		v.List, end = true, ']'
	default:
		return false
	}
	if depth == maxDepth {
		return false
	}
	p.pos++
	if p.peek() == end {
		p.pos++
		return true
	}
	v.Items, ok = p.items(end, depth+1)
	return ok
}

// close moves the items of an aggregate from the stack, base and up, to the
// slab.
func (p *parser) close(base int) []Value {
	n := len(p.stack) - base
	if cap(p.slab)-len(p.slab) < n {
		p.slab = make([]Value, 0, max(n, 2*cap(p.slab), 16))
	}
	from := len(p.slab)
	p.slab = append(p.slab, p.stack[base:]...)
	p.stack = p.stack[:base]
	return p.slab[from:len(p.slab):len(p.slab)]
}

// constant parses a quoted string. Without escapes it is a piece of the line.
func (p *parser) constant() (string, bool) {
	p.pos++
	s := p.s[p.pos:]
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			p.pos += i + 1
			return s[:i], true
		case '\\':
			return p.escaped(s, i)
		}
	}
	return "", false
}

// escaped decodes the quoted string s, whose first escape is at i.
func (p *parser) escaped(s string, i int) (string, bool) {
	if p.text.Cap() == 0 {
		p.text.Grow(len(p.s)) // enough for all: what is decoded is no longer
	}
	from := p.text.Len()
	p.text.WriteString(s[:i])
	for i < len(s) {
		j := i
		for j < len(s) && s[j] != '"' && s[j] != '\\' {
			j++
		}
		p.text.WriteString(s[i:j])
		i = j
		if i+1 >= len(s) && (i == len(s) || s[i] == '\\') {
			break
		}
		if s[i] == '"' {
			p.pos += i + 1
			return p.text.String()[from:], true
		}
		c, n := unescape(s[i+1:])
		p.text.WriteByte(c)
		i += 1 + n
	}
	return "", false
}

// unescape decodes the escape whose text after the backslash begins s, which
// is not empty, and returns the byte and the length of the text.
func unescape(s string) (byte, int) {
	switch s[0] {
	case 'n':
		return '\n', 1
	case 't':
		return '\t', 1
	case 'r':
		return '\r', 1
	case 'a':
		return '\a', 1
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'v':
		return '\v', 1
	case 'e':
		return 033, 1
	}
	n, c := 0, 0
	for n < len(s) && n < 3 && '0' <= s[n] && s[n] <= '7' {
		c = c<<3 | int(s[n]-'0')
		n++
	}
	if n == 0 {
		return s[0], 1
	}
	return byte(c), n
}

// classByte reports whether c may stand in a class or in a name.
func classByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', c == '-', c == '_', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.':
		return true
	}
	return false
}
