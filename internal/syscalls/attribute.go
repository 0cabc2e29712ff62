package syscalls

// shortString is a string of which no more is shown than of a buffer.
func shortString(c *Call, addr uint64) { c.short(addr) }

// mostAttribute is as long as the value of an extended attribute can be.
const mostAttribute = 65536

// attributeSet is the value of setxattr.
func attributeSet(c *Call, addr uint64) { c.attribute(addr, c.arg(3)) }

// attributeGot is the value that getxattr filled; none if it was asked how long that is.
func attributeGot(c *Call, addr uint64) {
	if c.arg(3) == 0 && c.result > 0 {
		c.address(addr)
		return
	}
	c.attribute(addr, uint64(max(c.result, 0)))
}

// attribute writes a value; most are strings, whose zero byte at the end is left out.
func (c *Call) attribute(addr, size uint64) {
	if size > mostAttribute {
		c.address(addr)
		return
	}
	c.buffer(addr, size, func(c *Call, b []byte) {
		if n := len(b); n > 0 && b[n-1] == 0 && uint64(n) == size {
			b = b[:n-1]
		}
		c.quoted(b)
	})
}

// attributeList are the names that listxattr filled, with a zero byte after each; none if it was asked how long they
// are, by the size in an argument.
func attributeList(size int) decoder {
	return func(c *Call, addr uint64) {
		if c.arg(size) == 0 {
			c.address(addr)
			return
		}
		received(c, addr)
	}
}
