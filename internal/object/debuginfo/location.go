package debuginfo

import "debug/dwarf"

// A Location says where something is while the pc is in [Low, High), by an expression. No
// expression means that it is nowhere.
type Location struct {
	Low, High uint64 // addresses of the object
	Expr      []byte
}

// Always is the end of the range of a location that does not depend on the pc.
const Always = ^uint64(0)

// Locations returns where an attribute, a location or a frame base, says that something is; nil
// where it says nothing. A list is in the order of the data; the first one that has the pc counts.
func (e Entry) Locations(attr dwarf.Attr) []Location {
	v, of := e.get(attr)
	switch v.form {
	case 0:
		return nil
	case formSecOffset, formLoclistx, formData4, formData8:
		l := lister{d: of.d, u: of.u}
		l.list(v)
		return l.all
	}
	if b := of.Block(attr); b != nil {
		return []Location{{0, Always, b}}
	}
	return nil
}

// A lister reads a list of locations.
type lister struct {
	d   *Data
	u   *unit
	all []Location
	def []byte // of the entry for all pcs that no other entry has
	has bool
}

func (l *lister) list(v value) {
	switch {
	case l.u.version >= 5:
		off := v.u
		if v.form == formLoclistx {
			c := at(l.d.s.LocLists, l.u.loclistsBase+off*uint64(l.u.offsize))
			off = l.u.loclistsBase + c.uint(l.u.offsize)
		}
		l.version5(at(l.d.s.LocLists, off))
	case l.u.isSplit:
		l.split4(at(l.d.s.Loc, v.u))
	default:
		l.version4(at(l.d.s.Loc, v.u))
	}
	if l.has {
		l.all = append(l.all, Location{0, Always, l.def})
	}
}

// add appends a location, [low, high), whose expression has n bytes at c.
func (l *lister) add(c *cursor, low, high, n uint64) {
	from := c.off
	c.skip(n)
	if !c.bad && low < high {
		l.all = append(l.all, Location{low, high, c.data[from:c.off:c.off]})
	}
}

// version4 reads a list of .debug_loc.
func (l *lister) version4(c cursor) {
	size := l.u.addrsize
	largest := ^uint64(0) >> (64 - 8*size)
	for base := l.u.low; !c.bad; {
		low, high := c.uint(size), c.uint(size)
		switch {
		case low == 0 && high == 0:
			return
		case low == largest:
			base = high
		default:
			l.add(&c, base+low, base+high, c.uint(2))
		}
	}
}

// split4 reads a list of .debug_loc.dwo, whose entries have kinds of their own before DWARF 5.
func (l *lister) split4(c cursor) {
	for base := l.u.low; !c.bad; {
		switch c.u8() {
		case 1: // another base
			base = l.d.addrx(l.u, c.uleb())
		case 2: // begin and end
			low, high := l.d.addrx(l.u, c.uleb()), l.d.addrx(l.u, c.uleb())
			l.add(&c, low, high, c.uint(2))
		case 3: // begin and length
			low := l.d.addrx(l.u, c.uleb())
			high := low + c.uint(4)
			l.add(&c, low, high, c.uint(2))
		case 4: // offsets
			low, high := base+c.uint(4), base+c.uint(4)
			l.add(&c, low, high, c.uint(2))
		default:
			return
		}
	}
}

// Kinds of the entries of .debug_loclists.
const (
	lleEnd = iota
	lleBaseAddrx
	lleStartxEndx
	lleStartxLength
	lleOffsetPair
	lleDefault
	lleBase
	lleStartEnd
	lleStartLength
	lleView
)

// version5 reads a list of .debug_loclists.
func (l *lister) version5(c cursor) {
	size := l.u.addrsize
	for base := l.u.low; !c.bad; {
		var low, high uint64
		switch c.u8() {
		case lleBaseAddrx:
			base = l.d.addrx(l.u, c.uleb())
			continue
		case lleBase:
			base = c.uint(size)
			continue
		case lleView:
			c.uleb()
			c.uleb()
			continue
		case lleStartxEndx:
			low, high = l.d.addrx(l.u, c.uleb()), l.d.addrx(l.u, c.uleb())
		case lleStartxLength:
			low = l.d.addrx(l.u, c.uleb())
			high = low + c.uleb()
		case lleOffsetPair:
			low, high = base+c.uleb(), base+c.uleb()
		case lleDefault:
			n := c.uleb()
			from := c.off
			if c.skip(n); !c.bad {
				l.def, l.has = c.data[from:c.off:c.off], true
			}
			continue
		case lleStartEnd:
			low, high = c.uint(size), c.uint(size)
		case lleStartLength:
			low = c.uint(size)
			high = low + c.uleb()
		default:
			return
		}
		l.add(&c, low, high, c.uleb())
	}
}
