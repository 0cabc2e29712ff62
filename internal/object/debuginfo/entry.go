package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"slices"
)

// An Entry is one entry of the tree: in the object, in a file split from it, or in dwz's supplement.
// Its zero value is none.
type Entry struct {
	d   *Data
	u   *unit
	off uint64
}

// each calls f for each attribute of an entry.
func (e Entry) each(f func(dwarf.Attr, value)) {
	c := at(e.d.s.Info[:e.u.end], e.off)
	a, ok := e.d.table(e.u).get(c.uleb())
	if !ok {
		return
	}
	for i := range a.attrs {
		if v := e.u.read(&c, a.attrs[i].form, a.attrs[i].implicit); !c.bad {
			f(a.attrs[i].attr, v)
		}
	}
}

// follow returns the entry that v refers to, none where it can't be found.
func (e Entry) follow(v value) Entry {
	switch v.form {
	case formRef1, formRef2, formRef4, formRef8, formRefUdata:
		off := e.u.start + v.u
		if off < e.u.first || off >= e.u.end {
			return Entry{}
		}
		return Entry{e.d, e.u, off}
	case formRefAddr:
		return e.d.entryAt(v.u)
	case formRefSig8:
		return e.d.types.find(v.u)
	case formGNURefAlt, formRefSup4, formRefSup8:
		if e.d.sup != nil {
			return e.d.sup.entryAt(v.u)
		}
	}
	return Entry{}
}

// entryAt returns the entry at an offset of .debug_info, none if no unit is there.
func (d *Data) entryAt(off uint64) Entry {
	i, found := slices.BinarySearchFunc(d.units, off, func(u *unit, off uint64) int { return cmp.Compare(u.first, off) })
	if !found {
		i--
	}
	if i < 0 || off >= d.units[i].end {
		return Entry{}
	}
	return Entry{d, d.units[i], off}
}
