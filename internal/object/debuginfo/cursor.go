package debuginfo

import (
	"bytes"
	"encoding/binary"
)

// A cursor reads little-endian data front to back. After a read beyond the end
// it is bad: it then stands at the end and all it reads is zero.
type cursor struct {
	data []byte
	off  int
	bad  bool
}

// at returns a cursor over data that stands at off.
func at(data []byte, off uint64) cursor {
	c := cursor{data: data}
	if off > uint64(len(data)) {
		c.fail()
	} else {
		c.off = int(off)
	}
	return c
}

func (c *cursor) fail() {
	c.bad = true
	c.off = len(c.data)
}

func (c *cursor) skip(n uint64) {
	if n > uint64(len(c.data)-c.off) {
		c.fail()
	} else {
		c.off += int(n)
	}
}

func (c *cursor) u8() uint8 {
	if c.off >= len(c.data) {
		c.fail()
		return 0
	}
	b := c.data[c.off]
	c.off++
	return b
}

// uint reads an unsigned integer of n bytes, n being 1 to 8.
func (c *cursor) uint(n int) uint64 {
	if n > len(c.data)-c.off {
		c.fail()
		return 0
	}
	b := c.data[c.off : c.off+n]
	c.off += n
	switch n {
	case 8:
		return binary.LittleEndian.Uint64(b)
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	}
	var v uint64
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func (c *cursor) uleb() uint64 {
	var v uint64
	for shift := 0; ; shift += 7 {
		b := c.u8()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b < 0x80 {
			return v
		}
	}
}

func (c *cursor) sleb() int64 {
	var v int64
	for shift := 0; ; {
		b := c.u8()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b < 0x80 {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// str reads a string up to its zero byte.
func (c *cursor) str() string {
	n := bytes.IndexByte(c.data[c.off:], 0)
	if n < 0 {
		c.fail()
		return ""
	}
	s := string(c.data[c.off : c.off+n])
	c.off += n + 1
	return s
}

// skipStr steps over a string and its zero byte.
func (c *cursor) skipStr() {
	n := bytes.IndexByte(c.data[c.off:], 0)
	if n < 0 {
		c.fail()
		return
	}
	c.off += n + 1
}

// length reads the initial length of a unit or table and the size of its
// offsets, 4 or 8 bytes.
func (c *cursor) length() (n uint64, offsize int) {
	n = c.uint(4)
	if n == 0xffffffff {
		return c.uint(8), 8
	}
	return n, 4
}
