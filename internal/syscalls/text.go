package syscalls

import (
	"slices"
	"strconv"
)

// str writes a text of ours.
func (c *Call) str(s string) { c.text = append(c.text, s...) }

// dec writes a signed number.
func (c *Call) dec(v int64) { c.text = strconv.AppendInt(c.text, v, 10) }

// uns writes an unsigned number.
func (c *Call) uns(v uint64) { c.text = strconv.AppendUint(c.text, v, 10) }

// hex writes a number in hexadecimal: 0x1f, and 0.
func (c *Call) hex(v uint64) {
	if v != 0 {
		c.str("0x")
	}
	c.text = strconv.AppendUint(c.text, v, 16)
}

// address writes an address.
func (c *Call) address(v uint64) {
	if v == 0 {
		c.str("NULL")
		return
	}
	c.hex(v)
}

// appendMode appends a mode: 0644, 000.
func appendMode(b []byte, v uint64) []byte {
	if v < 8 {
		b = append(b, '0')
	}
	b = append(b, '0')
	return strconv.AppendUint(b, v, 8)
}

// A constant is a value that has a name.
type constant struct {
	name  string
	value uint64
}

// nameOf is the name of a value in a table of numbers, "" where it has none.
func nameOf(table []constant, v uint64) string {
	i, ok := slices.BinarySearchFunc(table, v, func(c constant, v uint64) int {
		switch {
		case c.value < v:
			return -1
		case c.value > v:
			return 1
		}
		return 0
	})
	if !ok {
		return ""
	}
	return table[i].name
}

// number writes a value of a table of numbers, or the value and what it would be one of.
func (c *Call) number(table []constant, v uint64, unknown string) {
	if name := nameOf(table, v); name != "" {
		c.str(name)
		return
	}
	c.hex(v)
	c.str(" /* ")
	c.str(unknown)
	c.str(" */")
}

// plainNumber writes a value of a table of numbers, or the value.
func (c *Call) plainNumber(table []constant, v uint64) {
	if name := nameOf(table, v); name != "" {
		c.str(name)
		return
	}
	c.hex(v)
}

// flags writes the flags of a value; those without a name in hexadecimal.
func (c *Call) flags(table []constant, v uint64, unknown string) {
	if v == 0 {
		if len(table) > 0 && table[0].value == 0 {
			c.str(table[0].name)
		} else {
			c.str("0")
		}
		return
	}
	from := len(c.text)
	rest := c.named(table, v)
	switch {
	case rest == 0:
	case len(c.text) == from:
		c.hex(rest)
		c.str(" /* ")
		c.str(unknown)
		c.str(" */")
	default:
		c.str("|")
		c.hex(rest)
	}
}

// someFlags writes flags that follow others; those without a name in hexadecimal.
func (c *Call) someFlags(table []constant, v uint64) {
	from := len(c.text)
	if rest := c.named(table, v); rest != 0 {
		if len(c.text) > from {
			c.str("|")
		}
		c.hex(rest)
	}
}

// named writes the flags that have a name, and returns the others.
func (c *Call) named(table []constant, v uint64) (rest uint64) {
	first := true
	for i := range table {
		if f := &table[i]; f.value != 0 && v&f.value == f.value {
			if !first {
				c.str("|")
			}
			first = false
			c.str(f.name)
			v &^= f.value
		}
	}
	return v
}

// quoted writes bytes as a literal of C: what can't be seen in octal.
func (c *Call) quoted(b []byte) {
	c.text = append(c.text, '"')
	for i, ch := range b {
		switch ch {
		case '"', '\\':
			c.text = append(c.text, '\\', ch)
		case '\f':
			c.str(`\f`)
		case '\n':
			c.str(`\n`)
		case '\r':
			c.str(`\r`)
		case '\t':
			c.str(`\t`)
		case '\v':
			c.str(`\v`)
		default:
			if ch >= 0x20 && ch < 0x7f {
				c.text = append(c.text, ch)
				continue
			}
			c.text = append(c.text, '\\')
			if i+1 < len(b) && b[i+1] >= '0' && b[i+1] <= '7' {
				if ch < 0o100 {
					c.text = append(c.text, '0')
				}
				if ch < 0o10 {
					c.text = append(c.text, '0')
				}
			}
			c.text = strconv.AppendUint(c.text, uint64(ch), 8)
		}
	}
	c.text = append(c.text, '"')
}

// hexed writes bytes as a literal of C, each in hexadecimal.
func (c *Call) hexed(b []byte) {
	const digits = "0123456789abcdef"
	c.text = append(c.text, '"')
	for _, ch := range b {
		c.text = append(c.text, '\\', 'x', digits[ch>>4], digits[ch&15])
	}
	c.text = append(c.text, '"')
}
