package debuginfo

import (
	"debug/dwarf"
	"encoding/binary"
	"slices"
	"strings"
)

// mostPlaces bounds at how many places of the table of strings a name is looked for in units.
const mostPlaces = 16

// mentions reports whether a unit may have entries with all the words as names.
func (s *seeker) mentions(unit Entry) bool {
	how := unit.d.spelled(unit.u, dwarf.AttrSpecification)
	return !slices.ContainsFunc(s.words, func(w *word) bool { return !w.mentioned(unit.d, unit.u, how) })
}

// mentioned reports whether a word may be a name in a unit. To look for the bytes of a name, or of its place in the table of
// strings, takes much less than to read entries.
func (w *word) mentioned(d *Data, u *unit, how spelling) bool {
	if strings.Contains(w.name, "<") || how&elsewhere != 0 {
		return true
	}
	places := w.places(d.s.Str)
	if len(places) > mostPlaces || how&byIndex != 0 && d.indexes(u, places) {
		return true
	}
	info := d.s.Info[u.first:u.end]
	if how&byPlace != 0 {
		for at := range places {
			if d.bytes.contains(d.s.Info, info, binary.LittleEndian.AppendUint64(nil, at)[:u.offsize]) {
				return true
			}
		}
	}
	return how&inline != 0 && d.bytes.contains(d.s.Info, info, w.text)
}

// indexes reports whether the unit's table of places of strings may have one of these.
func (d *Data) indexes(u *unit, places map[uint64]bool) bool {
	const header = 8 // whose length is the first half, and counts the second
	if u.version < 5 || u.offsize != 4 || u.strOffsetsBase < header {
		return true
	}
	c := at(d.s.StrOffsets, u.strOffsetsBase-header)
	length := c.uint(4)
	table := at(d.s.StrOffsets, u.strOffsetsBase)
	if length < header/2 || length-header/2 > uint64(len(table.data)-table.off) || c.bad {
		return true
	}
	for b := table.data[table.off:][:length-header/2]; len(b) >= 4; b = b[4:] {
		if places[uint64(binary.LittleEndian.Uint32(b))] {
			return true
		}
	}
	return false
}

// A spelling is where the names of a unit stand.
type spelling uint8

const (
	inline    spelling = 1 << iota // in the unit
	byPlace                        // in the table of strings, at a place that stands in the unit
	byIndex                        // there, at a place that the unit's table of places has
	elsewhere                      // somewhere else, or in entries of other units
)

// spelled tells where the names of a unit stand. Those of entries to which its entries refer by an attribute count, too. Its
// abbreviations tell that, which are not kept for it.
func (d *Data) spelled(u *unit, refers dwarf.Attr) spelling {
	var how spelling
	c := at(d.s.Abbrev, u.abbrevOff)
	for c.uleb() != 0 {
		tag := dwarf.Tag(c.uleb())
		c.u8()
		for {
			attr, form := dwarf.Attr(c.uleb()), form(c.uleb())
			if form == formImplicit {
				c.sleb()
			}
			if attr == 0 && form == 0 {
				break
			}
			switch attr {
			case dwarf.AttrName:
				if tag != dwarf.TagCompileUnit {
					how |= spelledBy(form)
				}
			case refers:
				if form != formRef1 && form != formRef2 && form != formRef4 && form != formRef8 && form != formRefUdata {
					return elsewhere
				}
			}
		}
	}
	if c.bad {
		return elsewhere
	}
	return how
}

func spelledBy(f form) spelling {
	switch f {
	case formString:
		return inline
	case formStrp:
		return byPlace
	case formStrx, formStrx1, formStrx2, formStrx3, formStrx4:
		return byIndex
	}
	return elsewhere
}
