package debuginfo

import (
	"bytes"
	"debug/dwarf"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// mostPlaces bounds at how many places of the table of strings a name is looked for in units.
const mostPlaces = 16

// mentions reports whether a unit may have entries with all the words as names. To look for the bytes of a name, or of its
// place in the table of strings, takes much less than to read entries.
func (s *seeker) mentions(unit Entry) bool {
	d, u := unit.d, unit.u
	if !d.table(u).namesPlainly() {
		return true
	}
	info := d.s.Info[u.first:u.end]
	return !slices.ContainsFunc(s.words, func(w *word) bool { return !w.mentioned(info, d.s.Str, u.offsize) })
}

// mentioned reports whether a word may be a name in a unit's data.
func (w *word) mentioned(info, table []byte, offsize int) bool {
	if strings.Contains(w.name, "<") || bytes.Contains(info, []byte(w.name+"\x00")) {
		return true
	}
	places := w.places(table)
	return len(places) > mostPlaces || slices.ContainsFunc(slices.Collect(maps.Keys(places)), func(at uint64) bool {
		return bytes.Contains(info, binary.LittleEndian.AppendUint64(nil, at)[:offsize])
	})
}

// namesPlainly reports whether all names of a unit stand in it or in the table of strings, and what its entries complete
// is in it as well.
func (t *abbrevTable) namesPlainly() bool {
	plainly := func(a abbrev) bool {
		return !slices.ContainsFunc(a.attrs, func(at attribute) bool {
			switch at.attr {
			case dwarf.AttrName:
				return at.form != formString && at.form != formStrp && a.tag != dwarf.TagCompileUnit
			case dwarf.AttrSpecification:
				return at.form != formRef1 && at.form != formRef2 && at.form != formRef4 && at.form != formRef8 && at.form != formRefUdata
			}
			return false
		})
	}
	for _, a := range t.stray {
		if !plainly(a) {
			return false
		}
	}
	return !slices.ContainsFunc(t.dense, func(a abbrev) bool { return !plainly(a) })
}
