package debuginfo

import "debug/dwarf"

// Attributes of skeletons in DWARF 4, as GCC and LLVM write them.
const (
	attrGNUDwoName    dwarf.Attr = 0x2130
	attrGNUDwoID      dwarf.Attr = 0x2131
	attrGNURangesBase dwarf.Attr = 0x2132
	attrGNUAddrBase   dwarf.Attr = 0x2133
)

// full returns where the tree of u is: in u itself, or where u is the skeleton of
// one in another file, there.
func (d *Data) full(u *unit) (*Data, *unit) {
	if !u.dwoName.ok() || d.split == nil {
		return d, u
	}
	u.readFull.Do(func() {
		u.fullData, u.fullUnit = d, u
		s, ok := d.split(join(u.compDir, d.str(u, u.dwoName)), u.dwoID)
		if !ok {
			return
		}
		// Addresses stay in the object; so do the ranges of DWARF 4.
		s.Addr, s.Ranges = d.s.Addr, d.s.Ranges
		full := &Data{s: s, lowest: d.lowest, names: newNameCache(), units: readUnits(s.Info, false)}
		full.types = newTypeUnits(full)
		for _, v := range full.units {
			v.firstTables()
			full.readRoot(v, func(uint64, uint64) {})
			v.addrBase, v.low, v.rangesBase, v.isSplit = u.addrBase, u.low, u.rangesBase, true
			if v.compile && v.dwoID == u.dwoID {
				u.fullData, u.fullUnit = full, v
			}
		}
	})
	return u.fullData, u.fullUnit
}
