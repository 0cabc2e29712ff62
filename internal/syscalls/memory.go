package syscalls

import (
	"bytes"
	"unsafe"
)

// bytesLimit is how much of a buffer is shown.
func (c *Call) bytesLimit() uint64 {
	if c.Bytes > 0 {
		return uint64(min(c.Bytes, mostPath))
	}
	return DefaultBytes
}

// elementsLimit is how many elements of an array are shown.
func (c *Call) elementsLimit() uint64 {
	if c.Elements > 0 {
		return uint64(min(c.Elements, 1024))
	}
	return DefaultElements
}

// bytes is the first part of Call's own memory, which the next read overwrites.
func (c *Call) bytes(n uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&c.scratch)), len(c.scratch)*8)[:n]
}

// read reads memory, if what one call may read is not used up.
func (c *Call) read(p []byte, addr uint64) int {
	if len(p) == 0 || c.reads == 0 || addr == 0 || c.mem == nil {
		return 0
	}
	c.reads--
	return c.mem.ReadAt(p, addr)
}

// get reads a value of fixed size.
func get[T any](c *Call, addr uint64) (v T, ok bool) {
	size := uint64(unsafe.Sizeof(v))
	if c.read(c.bytes(size), addr) < int(size) {
		return v, false
	}
	return *(*T)(unsafe.Pointer(&c.scratch)), true
}

// pointed is a decoder of what a pointer points to; NULL and what can't be read is an address.
func pointed[T any](show func(c *Call, v T)) decoder {
	return func(c *Call, addr uint64) {
		v, ok := get[T](c, addr)
		if !ok {
			c.address(addr)
			return
		}
		show(c, v)
	}
}

// array writes the elements at an address.
func array[T any](c *Call, addr, count uint64, show func(c *Call, v T)) {
	if addr == 0 {
		c.str("NULL")
		return
	}
	if count == 0 {
		c.str("[]")
		return
	}
	const batch = 8
	size := uint64(unsafe.Sizeof(*new(T)))
	if end := addr + count*size; end < addr || count > ^uint64(0)/size {
		c.address(addr)
		return
	}
	limit := c.elementsLimit()
	var some [batch]T
	for i := uint64(0); i < count; {
		if i >= limit {
			c.str(", ...")
			break
		}
		n := min(batch, count-i, limit-i)
		got := uint64(max(c.read(c.bytes(n*size), addr+i*size), 0)) / size
		copy(some[:got], unsafe.Slice((*T)(unsafe.Pointer(&c.scratch)), got))
		for j := range got {
			if i+j == 0 {
				c.str("[")
			} else {
				c.str(", ")
			}
			show(c, some[j])
		}
		if got < n {
			if i+got == 0 {
				c.address(addr)
				return
			}
			c.str(", ... /* ")
			c.hex(addr + (i+got)*size)
			c.str(" */")
			break
		}
		i += n
	}
	c.str("]")
}

// until reads a string up to its end or a limit; whole tells whether the end was found, ok whether all of it is there.
func (c *Call) until(addr, limit uint64) (text []byte, whole, ok bool) {
	for n := uint64(0); n < limit; {
		at := addr + n
		some := min(limit-n, 4096-at%4096)
		if n == 0 {
			some = min(some, 256)
		}
		got := max(c.read(c.bytes(limit)[n:n+some], at), 0)
		if i := bytes.IndexByte(c.bytes(limit)[n:n+uint64(got)], 0); i >= 0 {
			return c.bytes(n + uint64(i)), true, true
		}
		if got < int(some) {
			return nil, false, false
		}
		n += some
	}
	return c.bytes(limit), false, true
}

// path writes a path.
func (c *Call) path(addr uint64) {
	text, whole, ok := c.until(addr, mostPath+1)
	if !ok {
		c.address(addr)
		return
	}
	if !whole {
		text = text[:mostPath]
	}
	c.quoted(text)
	if !whole {
		c.str("...")
	}
}

// short writes a string up to the limit.
func (c *Call) short(addr uint64) { c.upTo(addr, c.bytesLimit()) }

// upTo writes a string of at most n bytes.
func (c *Call) upTo(addr, n uint64) {
	text, whole, ok := c.until(addr, n+1)
	if !ok {
		c.address(addr)
		return
	}
	c.quoted(text[:min(uint64(len(text)), n)])
	if !whole {
		c.str("...")
	}
}

// buffer writes a buffer up to the limit.
func (c *Call) buffer(addr, size uint64, quote func(c *Call, b []byte)) {
	if addr == 0 {
		c.str("NULL")
		return
	}
	n := min(size, c.bytesLimit())
	if n > 0 && c.read(c.bytes(n), addr) < int(n) {
		c.address(addr)
		return
	}
	quote(c, c.bytes(n))
	if n < size {
		c.str("...")
	}
}
