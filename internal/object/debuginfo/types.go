package debuginfo

import "sync"

// typeUnits are the units that hold one type each, which others refer to by its signature.
type typeUnits struct {
	of          *Data
	read        sync.Once
	bySignature map[uint64]Entry
	roots       []Entry
}

func newTypeUnits(of *Data) *typeUnits { return &typeUnits{of: of} }

// all reads the headers of the units, once. Those of DWARF 4 have a section of their own, whose offsets are
// not those of .debug_info: they are Data of their own.
func (t *typeUnits) all() *typeUnits {
	t.read.Do(func() {
		t.bySignature = make(map[uint64]Entry)
		t.add(t.of, t.of.units)
		if types := t.of.s.Types; len(types) > 0 {
			s := t.of.s
			s.Info = types
			d := &Data{s: s, sup: t.of.sup, lowest: t.of.lowest, names: newNameCache(), units: readUnits(types, true), types: t}
			t.add(d, d.units)
			for _, u := range d.units {
				d.readRoot(u, func(uint64, uint64) {})
			}
		}
	})
	return t
}

func (t *typeUnits) add(d *Data, units []*unit) {
	for _, u := range units {
		if off := u.start + u.typeOff; u.signature != 0 && off > u.first && off < u.end {
			t.bySignature[u.signature] = Entry{d, u, off}
			t.roots = append(t.roots, Entry{d, u, u.first})
		}
	}
}

// find is the type with a signature, none if there is none.
func (t *typeUnits) find(signature uint64) Entry {
	if t == nil {
		return Entry{}
	}
	return t.all().bySignature[signature]
}
