package debuginfo

import "debug/dwarf"

// OK reports whether e is an entry, not none.
func (e Entry) OK() bool { return e.d != nil }

// Tag is the kind of the entry, 0 of none.
func (e Entry) Tag() dwarf.Tag {
	if e.d == nil {
		return 0
	}
	c := at(e.d.s.Info[:e.u.end], e.off)
	a, ok := e.d.table(e.u).get(c.uleb())
	if !ok {
		return 0
	}
	return a.tag
}

// Split reports whether the entry is in a file split from the object.
func (e Entry) Split() bool { return e.d != nil && e.u.isSplit }

// Offset is where the entry stands in its .debug_info. Two entries of one object, of a file
// split from it or of its supplement are the same where Entry values are equal.
func (e Entry) Offset() uint64 { return e.off }

// own returns an attribute of the entry itself; its form is 0 if there is none.
func (e Entry) own(attr dwarf.Attr) value {
	if e.d == nil {
		return value{}
	}
	c := at(e.d.s.Info[:e.u.end], e.off)
	a, ok := e.d.table(e.u).get(c.uleb())
	if !ok {
		return value{}
	}
	for i := range a.attrs {
		v := e.u.read(&c, a.attrs[i].form, a.attrs[i].implicit)
		if c.bad {
			break
		}
		if a.attrs[i].attr == attr {
			return v
		}
	}
	return value{}
}

// get returns an attribute of the entry or of what completes it, its abstract origin, its declaration or
// the type of its signature, and the entry that has it.
func (e Entry) get(attr dwarf.Attr) (value, Entry) {
	for range maxHops {
		if e.d == nil {
			break
		}
		if v := e.own(attr); v.ok() {
			return v, e
		}
		next := Entry{}
		for _, other := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification, dwarf.AttrSignature} {
			if next = e.follow(e.own(other)); next.d != nil {
				break
			}
		}
		e = next
	}
	return value{}, Entry{}
}

// Has reports whether the entry itself has an attribute.
func (e Entry) Has(attr dwarf.Attr) bool { return e.own(attr).ok() }

// Name is the entry's name in the source, or that of what completes it; "" if it has none.
func (e Entry) Name() string {
	v, of := e.get(dwarf.AttrName)
	if !v.ok() {
		return ""
	}
	return of.d.str(of.u, v)
}

// Linkage is the entry's symbol, "" if none is told.
func (e Entry) Linkage() string {
	v, of := e.get(dwarf.AttrLinkageName)
	if !v.ok() {
		v, of = e.get(attrMIPSLinkageName)
	}
	if !v.ok() {
		return ""
	}
	return of.d.str(of.u, v)
}

// Origin is the abstract entry that e is an instance of, or the declaration that it completes; none if
// there is neither.
func (e Entry) Origin() Entry {
	if e.d == nil {
		return Entry{}
	}
	if o := e.follow(e.own(dwarf.AttrAbstractOrigin)); o.d != nil {
		return o
	}
	return e.follow(e.own(dwarf.AttrSpecification))
}

// Ref returns the entry that an attribute refers to, none where there is no such attribute.
func (e Entry) Ref(attr dwarf.Attr) Entry {
	v, of := e.get(attr)
	if !v.ok() {
		return Entry{}
	}
	return of.follow(v)
}

// Lacks reports whether an attribute refers to an entry that the data do not have.
func (e Entry) Lacks(attr dwarf.Attr) bool {
	v, of := e.get(attr)
	return v.ok() && of.follow(v).d == nil
}

// Flag reports whether an attribute of the entry or of what completes it is there and not zero.
func (e Entry) Flag(attr dwarf.Attr) bool {
	v, _ := e.get(attr)
	return v.ok() && v.u != 0
}

// Const returns an attribute that is an integer, and the number of bytes that its encoding has: an
// unsigned value of a signed type has its sign in the highest of them. It is false where the
// attribute is missing or something else.
func (e Entry) Const(attr dwarf.Attr) (v uint64, size int, ok bool) {
	a, of := e.get(attr)
	switch a.form {
	case formData1, formData2, formData4, formData8:
		return a.u, of.u.size(a.form), true
	case formSdata, formUdata, formImplicit, formFlag, formFlagPresent:
		return a.u, 8, true
	}
	return 0, 0, false
}

// Block returns an attribute that is bytes: an expression, a constant. A string has its zero byte.
// nil where it is missing or something else.
func (e Entry) Block(attr dwarf.Attr) []byte {
	v, of := e.get(attr)
	if !v.ok() {
		return nil
	}
	info := of.d.s.Info[:of.u.end]
	switch v.form {
	case formBlock, formExprloc, formBlock1, formBlock2, formBlock4:
		c := at(info, v.u)
		n := c.blockSize(v.form)
		if c.bad || n > uint64(len(info)-c.off) {
			return nil
		}
		return info[c.off : c.off+int(n) : c.off+int(n)]
	case formData16:
		return info[v.u : v.u+16 : v.u+16]
	case formString, formStrp, formLineStrp, formStrx, formStrx1, formStrx2, formStrx3, formStrx4, formGNUStrIndex, formStrpSup, formGNUStrpAlt:
		return append([]byte(of.d.str(of.u, v)), 0)
	}
	return nil
}

// Address returns an attribute that is an address of the object.
func (e Entry) Address(attr dwarf.Attr) (uint64, bool) {
	v := e.own(attr)
	if !isAddr(v.form) {
		return 0, false
	}
	return e.d.addr(e.u, v), true
}

// Indexed returns the address of this index in the unit's table, as expressions refer to it.
func (e Entry) Indexed(index uint64) uint64 { return e.d.addrx(e.u, index) }

// Near returns the entry at an offset from the beginning of e's unit, as expressions refer to types;
// none if it is not in the unit.
func (e Entry) Near(off uint64) Entry { return e.follow(value{form: formRefUdata, u: off}) }

// At returns the entry at an offset of .debug_info, none if there is no unit.
func (e Entry) At(off uint64) Entry { return e.d.entryAt(off) }

// Ranges calls f for each piece of code of the entry, in addresses of the object.
func (e Entry) Ranges(f func(low, high uint64)) {
	e.d.pieces(e.u, e.own(dwarf.AttrLowpc), e.own(dwarf.AttrHighpc), e.own(dwarf.AttrRanges), f)
}

// Begins is the address of a function's first instruction, as calls of it lead there.
func (e Entry) Begins() (uint64, bool) {
	if at, ok := e.Address(dwarf.AttrLowpc); ok {
		return at, true
	}
	first, ok := uint64(0), false
	e.Ranges(func(low, _ uint64) {
		if !ok {
			first, ok = low, true
		}
	})
	return first, ok
}

// EntryPC returns where an inlined call begins, which may be before its code. DWARF 5 may give it as a distance.
func (e Entry) EntryPC() uint64 {
	if entry, given := e.Address(dwarf.AttrEntrypc); given {
		return entry
	}
	low, _ := e.Begins()
	distance, _, _ := e.Const(dwarf.AttrEntrypc)
	return low + distance
}

// OffsetSize is how many bytes an offset has in the unit.
func (e Entry) OffsetSize() int { return e.u.offsize }
