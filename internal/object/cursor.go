package object

import (
	"debug/elf"
	"encoding/binary"
)

// A Cursor reads data in the encodings of DWARF. A read beyond the end gives zero and sets Bad, which
// stays set; callers look at it once, at the end. Its zero value but for B is for the data of a
// little-endian machine with addresses of 8 bytes.
type Cursor struct {
	B   []byte
	P   int // where the next read is
	Bad bool

	layout
}

// layout is what data of one machine have in common.
type layout struct {
	big    bool // the first byte is the highest
	narrow bool // addresses have 4 bytes
}

// layout is that of the file.
func (f *File) layout() layout {
	return layout{big: f.ByteOrder != binary.LittleEndian, narrow: f.Class == elf.ELFCLASS32}
}

// Done reports whether there is nothing more to be read.
func (c *Cursor) Done() bool { return c.Bad || c.P >= len(c.B) }

// Take returns the next n bytes, nil if there are fewer.
func (c *Cursor) Take(n uint64) []byte {
	if c.Bad || n > uint64(len(c.B)-c.P) {
		c.Bad = true
		return nil
	}
	s := c.B[c.P : c.P+int(n)]
	c.P += int(n)
	return s
}

// U8 reads a byte.
func (c *Cursor) U8() uint8 {
	if s := c.Take(1); s != nil {
		return s[0]
	}
	return 0
}

// U16 reads 2 bytes.
func (c *Cursor) U16() uint16 {
	if s := c.Take(2); s != nil {
		if c.big {
			return binary.BigEndian.Uint16(s)
		}
		return binary.LittleEndian.Uint16(s)
	}
	return 0
}

// U32 reads 4 bytes.
func (c *Cursor) U32() uint32 {
	if s := c.Take(4); s != nil {
		if c.big {
			return binary.BigEndian.Uint32(s)
		}
		return binary.LittleEndian.Uint32(s)
	}
	return 0
}

// U64 reads 8 bytes.
func (c *Cursor) U64() uint64 {
	if s := c.Take(8); s != nil {
		if c.big {
			return binary.BigEndian.Uint64(s)
		}
		return binary.LittleEndian.Uint64(s)
	}
	return 0
}

// ULEB reads an unsigned number of variable length.
func (c *Cursor) ULEB() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := c.U8()
		v |= uint64(b&0x7f) << shift // bits beyond the 64th are dropped
		if b&0x80 == 0 {
			return v
		}
	}
}

// SLEB reads a signed number of variable length.
func (c *Cursor) SLEB() int64 {
	var v int64
	for shift := uint(0); ; {
		b := c.U8()
		v |= int64(b&0x7f) << shift
		shift += 7
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// String reads up to and over a zero byte, at most 64 bytes.
func (c *Cursor) String() string {
	for i := c.P; i < min(len(c.B), c.P+64) && !c.Bad; i++ {
		if c.B[i] == 0 {
			s := string(c.B[c.P:i])
			c.P = i + 1
			return s
		}
	}
	c.Bad = true
	return ""
}

// address reads an address.
func (c *Cursor) address() uint64 {
	if c.narrow {
		return uint64(c.U32())
	}
	return c.U64()
}

// Pointer encodings of .eh_frame and .eh_frame_hdr: a format in the low four
// bits, what it is relative to in the next three.
const (
	encAbsptr   = 0x00
	encUleb     = 0x01
	encUdata2   = 0x02
	encUdata4   = 0x03
	encUdata8   = 0x04
	encSleb     = 0x09
	encSdata2   = 0x0a
	encSdata4   = 0x0b
	encSdata8   = 0x0c
	encPCRel    = 0x10
	encDataRel  = 0x30
	encRelMask  = 0x70
	encIndirect = 0x80
	encOmit     = 0xff
)

// pointer reads an encoded pointer. c.B[0] stands at address base; data is
// what data-relative pointers count from.
func (c *Cursor) Pointer(enc uint8, base, data uint64) uint64 {
	if enc == encOmit {
		return 0
	}
	at := base + uint64(c.P)
	var v uint64
	switch enc & 0x0f {
	case encAbsptr:
		v = c.address()
	case encUdata8, encSdata8:
		v = c.U64()
	case encUleb:
		v = c.ULEB()
	case encUdata2:
		v = uint64(c.U16())
	case encUdata4:
		v = uint64(c.U32())
	case encSleb:
		v = uint64(c.SLEB())
	case encSdata2:
		v = uint64(int16(c.U16()))
	case encSdata4:
		v = uint64(int32(c.U32()))
	default:
		c.Bad = true
	}
	switch enc & encRelMask {
	case 0:
	case encPCRel:
		v += at
	case encDataRel:
		v += data
	default:
		c.Bad = true
	}
	if enc&encIndirect != 0 { // only personality routines are; they aren't needed
		v = 0
	}
	return v
}
