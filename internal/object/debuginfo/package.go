package debuginfo

import (
	"encoding/binary"
	"os"
	"path/filepath"

	"github.com/profilecollection/pct/internal/object"
)

// splitUnit returns the sections of a unit that the compiler left out of g: from parcel,
// the package OBJECT.dwp that dwp makes of such files, nil if there is none, else from
// the file itself, at the path that g names, or beside g.
func splitUnit(g, parcel *object.File, path string, id uint64) (Sections, bool) {
	if parcel != nil {
		if s, ok := packaged(parcel, id); ok {
			return s, true
		}
	}
	for _, path := range []string{path, filepath.Join(filepath.Dir(g.Path), filepath.Base(path))} {
		if !filepath.IsAbs(path) {
			continue // of whichever directory it was compiled in
		}
		if f, err := object.Map(path); err == nil {
			return sectionsOf(f, ".dwo"), true
		} else if !os.IsNotExist(err) {
			break
		}
	}
	return Sections{}, false
}

// Columns of the index of a package, which are the same in its two versions but for
// the one of range lists.
const (
	columnInfo       = 1
	columnAbbrev     = 3
	columnLocations  = 5 // of .debug_loc, in version 5 of .debug_loclists
	columnStrOffsets = 6
	columnRngLists   = 8 // of version 5
)

// packaged returns the sections of the unit id of the package p. Its index is a hash
// table of ids and a table with a row for each unit: where in each section its part
// is, and how long.
func packaged(p *object.File, id uint64) (Sections, bool) {
	index := p.Content(".debug_cu_index")
	if len(index) < 16 {
		return Sections{}, false
	}
	le := binary.LittleEndian
	version := le.Uint16(index)
	columns, units, slots := uint64(le.Uint32(index[4:])), uint64(le.Uint32(index[8:])), uint64(le.Uint32(index[12:]))
	size := uint64(len(index))
	if columns > size || units > size || slots > size || 16+slots*12+columns*4*(1+2*units) > size {
		return Sections{}, false
	}
	ids, rows := index[16:], index[16+slots*8:]
	kinds := rows[slots*4:]
	offsets := kinds[columns*4:]
	sizes := offsets[columns*4*units:]
	row := uint64(0)
	for i := range slots {
		if r := uint64(le.Uint32(rows[i*4:])); r > 0 && r <= units && le.Uint64(ids[i*8:]) == id {
			row = r
			break
		}
	}
	if row == 0 {
		return Sections{}, false
	}
	all := sectionsOf(p, ".dwo")
	s := Sections{Str: all.Str}
	for i := range columns {
		at := ((row-1)*columns + i) * 4
		from, length := uint64(le.Uint32(offsets[at:])), uint64(le.Uint32(sizes[at:]))
		part := func(b []byte) []byte {
			if from > uint64(len(b)) || length > uint64(len(b))-from {
				return nil
			}
			return b[from : from+length]
		}
		switch kind := le.Uint32(kinds[i*4:]); {
		case kind == columnInfo:
			s.Info = part(all.Info)
		case kind == columnAbbrev:
			s.Abbrev = part(all.Abbrev)
		case kind == columnLocations && version == 5:
			s.LocLists = part(all.LocLists)
		case kind == columnLocations:
			s.Loc = part(all.Loc)
		case kind == columnStrOffsets:
			s.StrOffsets = part(all.StrOffsets)
		case kind == columnRngLists && version == 5:
			s.RngLists = part(all.RngLists)
		}
	}
	return s, true
}
