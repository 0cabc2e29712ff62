package debuginfo

// Code is where the functions of an object are, as its .eh_frame tells, which stays
// when an object is stripped: each entry there is for one function, or for a part of
// one that the compiler put elsewhere.
type Code struct {
	segments []segment
	starts   []uint64 // of the functions, by the segments' id
}

// Pointer encodings (DW_EH_PE), of the values that occur as a function's address.
const (
	peOmit     = 0xff
	peFormat   = 0x0f
	peRelative = 0x70
	pePC       = 0x10 // relative to the pointer's own address
)

// NewCode reads the section .eh_frame, mapped at vaddr, of an object whose addresses
// have so many bytes.
func NewCode(ehFrame []byte, vaddr uint64, addrSize int) *Code {
	code := &Code{}
	var spans []span
	encodings := map[int]byte{} // of the addresses, by the place of their CIE
	for c := at(ehFrame, 0); c.off < len(c.data); {
		start := c.off
		length, offsize := c.length()
		if length == 0 || c.bad || length > uint64(len(c.data)-c.off) {
			break
		}
		entry := cursor{data: c.data[:c.off+int(length)], off: c.off}
		c.skip(length)
		place := entry.off
		back := entry.uint(offsize)
		if back == 0 {
			encodings[start] = entry.cie(addrSize)
			continue
		}
		encoding, ok := encodings[place-int(back)]
		if back > uint64(place) || !ok {
			continue
		}
		low, ok := entry.pointer(encoding, vaddr, addrSize)
		size, sized := entry.pointer(encoding&peFormat, 0, addrSize)
		if !ok || !sized || entry.bad || size == 0 || low+size < low {
			continue
		}
		spans = append(spans, span{low, low + size, int32(len(code.starts)), ^size})
		code.starts = append(code.starts, low)
	}
	code.segments = flatten(spans)
	return code
}

// Start returns the first address of the function at addr, false where none is known.
func (c *Code) Start(addr uint64) (uint64, bool) {
	id := lookup(c.segments, addr)
	if id < 0 {
		return 0, false
	}
	return c.starts[id], true
}

// cie reads the encoding of the addresses of the entries that refer to a CIE.
func (c *cursor) cie(addrSize int) byte {
	version := c.u8()
	augmentation := c.str()
	if version >= 4 {
		c.skip(2) // sizes of address and segment
	}
	c.uleb() // alignment of code
	c.sleb() // alignment of data
	if version == 1 {
		c.u8() // return address
	} else {
		c.uleb()
	}
	if len(augmentation) == 0 || augmentation[0] != 'z' {
		return 0
	}
	c.uleb() // length of what follows
	for _, a := range augmentation[1:] {
		switch a {
		case 'R':
			return c.u8()
		case 'L':
			c.u8()
		case 'P':
			// At what it points to is of no interest.
			c.pointer(c.u8(), 0, addrSize)
		case 'S', 'B', 'G':
		default:
			return peOmit
		}
	}
	return 0
}

// pointer reads an address as it is encoded in .eh_frame; false if it can't be known.
func (c *cursor) pointer(encoding byte, section uint64, addrSize int) (uint64, bool) {
	if encoding == peOmit {
		return 0, false
	}
	place := section + uint64(c.off)
	var v uint64
	switch encoding & peFormat {
	case 0x0:
		v = c.uint(addrSize)
	case 0x1:
		v = c.uleb()
	case 0x9:
		v = uint64(c.sleb())
	case 0x2:
		v = c.uint(2)
	case 0xa:
		v = uint64(int64(int16(c.uint(2))))
	case 0x3:
		v = c.uint(4)
	case 0xb:
		v = uint64(int64(int32(c.uint(4))))
	case 0x4, 0xc:
		v = c.uint(8)
	default:
		c.fail()
	}
	switch encoding & peRelative {
	case 0:
	case pePC:
		v += place
	default:
		return 0, false
	}
	const indirect = 0x80
	return v, encoding&indirect == 0 && !c.bad
}
