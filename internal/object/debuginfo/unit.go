package debuginfo

import (
	"debug/dwarf"
	"sync"
)

// A unit is one contribution to .debug_info: a header and a tree of entries.
type unit struct {
	encoding
	index     int    // among the units of its Data
	start     uint64 // offset of the header in .debug_info
	first     uint64 // offset of the root entry
	end       uint64 // offset behind the last entry
	abbrevOff uint64

	// Of a type unit: what refers to its type, and where that is, from start.
	signature, typeOff uint64

	// Of the root entry.
	compile        bool // it may hold code
	language       Language
	low            uint64 // base address of its range lists
	compDir        string
	lineOff        value
	addrBase       uint64
	strOffsetsBase uint64
	rnglistsBase   uint64
	loclistsBase   uint64

	// Of a skeleton: where its tree is, if not here.
	isSplit    bool // it is in a file that was split from the object
	dwoName    value
	dwoID      uint64
	rangesBase uint64 // of DWARF 4
	fullData   *Data
	fullUnit   *unit
	readFull   sync.Once

	// Each is read when it is first wanted, by whoever wants it.
	abbrevs     *abbrevTable
	tree        *tree
	lines       *lineTable
	readAbbrevs sync.Once
	readTree    sync.Once
	readLines   sync.Once
}

// Unit types of DWARF 5 whose headers are longer.
const (
	unitType         = 2
	unitSkeleton     = 4
	unitSplitCompile = 5
	unitSplitType    = 6
)

// readUnits reads the headers of all units, and nothing behind them; of .debug_types, whose units have longer
// ones, where types is set.
func readUnits(info []byte, types bool) []*unit {
	var units []*unit
	for c := at(info, 0); c.off < len(info); {
		u := &unit{index: len(units), start: uint64(c.off)}
		n, offsize := c.length()
		u.offsize = offsize
		if n > uint64(len(info)-c.off) {
			break
		}
		h := cursor{data: info[:c.off+int(n)], off: c.off}
		c.off += int(n)
		if h.readHeader(u, types) {
			units = append(units, u)
		}
	}
	return units
}

// readHeader reads the rest of a unit's header; c ends where the unit ends.
func (c *cursor) readHeader(u *unit, types bool) bool {
	u.version = int(c.uint(2))
	kind := uint8(0)
	switch {
	case u.version == 5:
		kind = c.u8()
		u.addrsize = int(c.u8())
		u.abbrevOff = c.uint(u.offsize)
	case u.version >= 2 && u.version <= 4:
		u.abbrevOff = c.uint(u.offsize)
		u.addrsize = int(c.u8())
		if types {
			kind = unitType
		}
	default:
		return false
	}
	switch kind {
	case unitSkeleton, unitSplitCompile:
		u.dwoID = c.uint(8)
	case unitType, unitSplitType:
		u.signature = c.uint(8)
		u.typeOff = c.uint(u.offsize)
	}
	u.first, u.end = uint64(c.off), uint64(len(c.data))
	return !c.bad && (u.addrsize == 8 || u.addrsize == 4)
}

// firstTables makes the unit, of a file split from an object, use the first table of each section, behind its
// header, as it does where nothing is said.
func (u *unit) firstTables() {
	if u.version >= 5 {
		u.strOffsetsBase, u.rnglistsBase, u.loclistsBase = 8, 12, 12
	}
}

// readRoot reads the root entry of u and calls add for each piece of its code.
func (d *Data) readRoot(u *unit, add func(low, high uint64)) {
	c := at(d.s.Info[:u.end], u.first)
	a, ok := findAbbrev(d.s.Abbrev, u.abbrevOff, u.encoding, c.uleb())
	if !ok {
		return
	}
	u.compile = a.tag == dwarf.TagCompileUnit || a.tag == dwarf.TagSkeletonUnit
	var low, high, ranges, dir value
	for _, at := range a.attrs {
		v := u.read(&c, at.form, at.implicit)
		switch at.attr {
		case dwarf.AttrLowpc:
			low = v
		case dwarf.AttrHighpc:
			high = v
		case dwarf.AttrRanges:
			ranges = v
		case dwarf.AttrCompDir:
			dir = v
		case dwarf.AttrDwoName, attrGNUDwoName:
			u.dwoName = v
		case attrGNUDwoID:
			u.dwoID = v.u
		case attrGNUAddrBase:
			u.addrBase = v.u
		case attrGNURangesBase:
			u.rangesBase = v.u
		case dwarf.AttrLanguage:
			u.language = languageOf(v.u)
		case dwarf.AttrStmtList:
			u.lineOff = v
		case dwarf.AttrAddrBase:
			u.addrBase = v.u
		case dwarf.AttrStrOffsetsBase:
			u.strOffsetsBase = v.u
		case dwarf.AttrRnglistsBase:
			u.rnglistsBase = v.u
		case dwarf.AttrLoclistsBase:
			u.loclistsBase = v.u
		}
	}
	if c.bad {
		u.compile = false
		return
	}
	// Only now are the bases known that these may be relative to.
	u.low = d.addr(u, low)
	u.compDir = d.str(u, dir)
	if u.compile {
		d.pieces(u, low, high, ranges, add)
	}
}

// pieces calls add for each piece of code of an entry with these attributes.
func (d *Data) pieces(u *unit, low, high, ranges value, add func(low, high uint64)) {
	switch {
	case ranges.ok():
		d.ranges(u, ranges, add)
	case low.ok() && high.ok():
		l := d.addr(u, low)
		h := high.u
		if isAddr(high.form) {
			h = d.addr(u, high)
		} else {
			h += l
		}
		if l < h && l >= d.lowest && l > 0 {
			add(l, h)
		}
	}
}

func isAddr(f form) bool {
	switch f {
	case formAddr, formAddrx, formAddrx1, formAddrx2, formAddrx3, formAddrx4, formGNUAddrIndex:
		return true
	}
	return false
}

// addr resolves an address.
func (d *Data) addr(u *unit, v value) uint64 {
	if v.form == formAddr || !isAddr(v.form) {
		return v.u
	}
	return d.addrx(u, v.u)
}

// addrx returns the address of the given index in .debug_addr.
func (d *Data) addrx(u *unit, index uint64) uint64 {
	c := at(d.s.Addr, u.addrBase+index*uint64(u.addrsize))
	return c.uint(u.addrsize)
}

// str resolves a string, "" where it can't.
func (d *Data) str(u *unit, v value) string {
	var c cursor
	switch v.form {
	case formString:
		c = at(d.s.Info, v.u)
	case formStrp:
		c = at(d.s.Str, v.u)
	case formLineStrp:
		c = at(d.s.LineStr, v.u)
	case formStrx, formStrx1, formStrx2, formStrx3, formStrx4, formGNUStrIndex:
		x := at(d.s.StrOffsets, u.strOffsetsBase+v.u*uint64(u.offsize))
		off := x.uint(u.offsize)
		if x.bad {
			return ""
		}
		c = at(d.s.Str, off)
	case formStrpSup, formGNUStrpAlt:
		if d.sup == nil {
			return ""
		}
		c = at(d.sup.s.Str, v.u)
	default:
		return ""
	}
	return c.str()
}

// table returns the abbreviations of u.
func (d *Data) table(u *unit) *abbrevTable {
	u.readAbbrevs.Do(func() { u.abbrevs = readAbbrevs(d.s.Abbrev, u.abbrevOff, u.encoding) })
	return u.abbrevs
}

// skip steps over the attributes of an entry.
func (u *unit) skip(c *cursor, a *abbrev) {
	if a.fixed >= 0 {
		c.skip(uint64(a.fixed))
		return
	}
	for i := range a.attrs {
		u.read(c, a.attrs[i].form, a.attrs[i].implicit)
	}
}

// sibling steps over the attributes of an entry and returns the offset of the next entry beside
// it, 0 where that is not said.
func (u *unit) sibling(c *cursor, a *abbrev) uint64 {
	next := uint64(0)
	for i := range a.attrs {
		v := u.read(c, a.attrs[i].form, a.attrs[i].implicit)
		if a.attrs[i].attr == dwarf.AttrSibling {
			next = u.start + v.u
		}
	}
	return next
}
