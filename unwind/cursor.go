package unwind

import "encoding/binary"

// cursor reads little-endian data and DWARF's encodings. A read beyond the
// end gives zero and sets bad, which stays set; callers look at it once, at
// the end.
type cursor struct {
	b   []byte
	p   int
	bad bool
}

func (c *cursor) done() bool { return c.bad || c.p >= len(c.b) }

// take returns the next n bytes, nil if there are fewer.
func (c *cursor) take(n uint64) []byte {
	if c.bad || n > uint64(len(c.b)-c.p) {
		c.bad = true
		return nil
	}
	s := c.b[c.p : c.p+int(n)]
	c.p += int(n)
	return s
}

func (c *cursor) u8() uint8 {
	if s := c.take(1); s != nil {
		return s[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if s := c.take(2); s != nil {
		return binary.LittleEndian.Uint16(s)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if s := c.take(4); s != nil {
		return binary.LittleEndian.Uint32(s)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if s := c.take(8); s != nil {
		return binary.LittleEndian.Uint64(s)
	}
	return 0
}

func (c *cursor) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := c.u8()
		v |= uint64(b&0x7f) << shift // bits beyond the 64th are dropped
		if b&0x80 == 0 {
			return v
		}
	}
}

func (c *cursor) sleb() int64 {
	var v int64
	for shift := uint(0); ; {
		b := c.u8()
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

// cstring reads up to and over a zero byte.
func (c *cursor) cstring() string {
	for i := c.p; i < len(c.b) && !c.bad; i++ {
		if c.b[i] == 0 {
			s := string(c.b[c.p:i])
			c.p = i + 1
			return s
		}
	}
	c.bad = true
	return ""
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

// pointer reads an encoded pointer. c.b[0] stands at address base; data is
// what data-relative pointers count from.
func (c *cursor) pointer(enc uint8, base, data uint64) uint64 {
	if enc == encOmit {
		return 0
	}
	at := base + uint64(c.p)
	var v uint64
	switch enc & 0x0f {
	case encAbsptr, encUdata8, encSdata8:
		v = c.u64()
	case encUleb:
		v = c.uleb()
	case encUdata2:
		v = uint64(c.u16())
	case encUdata4:
		v = uint64(c.u32())
	case encSleb:
		v = uint64(c.sleb())
	case encSdata2:
		v = uint64(int16(c.u16()))
	case encSdata4:
		v = uint64(int32(c.u32()))
	default:
		c.bad = true
	}
	switch enc & encRelMask {
	case 0:
	case encPCRel:
		v += at
	case encDataRel:
		v += data
	default:
		c.bad = true
	}
	if enc&encIndirect != 0 { // only personality routines are; they aren't needed
		v = 0
	}
	return v
}
