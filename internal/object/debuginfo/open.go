package debuginfo

import (
	"sync"

	"github.com/profilecollection/pct/internal/object"
)

// Open makes ready the debug data that a mapped file holds, and that it says are in others; lowest is
// the lowest address of code. The file must stay open as long as the Data is used.
func Open(d object.Finder, g *object.File, lowest uint64) *Data {
	var sup *Data
	if s := d.Supplement(g); s != nil {
		sup = New(sectionsOf(s, ""), nil, 0)
	}
	data := New(sectionsOf(g, ""), sup, lowest)
	parcel := sync.OnceValue(func() *object.File {
		p, err := object.Map(g.Path + ".dwp")
		if err != nil {
			return nil
		}
		return p
	})
	data.split = func(path string, id uint64) (Sections, bool) { return splitUnit(g, parcel(), path, id) }
	return data
}

// sectionsOf returns the sections .debug_NAME, followed by suffix.
func sectionsOf(f *object.File, suffix string) Sections {
	get := func(name string) []byte { return f.Contents(f.DebugSection(name + suffix)) }
	return Sections{
		Info:       get("info"),
		Abbrev:     get("abbrev"),
		Line:       get("line"),
		LineStr:    get("line_str"),
		Str:        get("str"),
		StrOffsets: get("str_offsets"),
		Addr:       get("addr"),
		Ranges:     get("ranges"),
		RngLists:   get("rnglists"),
		Loc:        get("loc"),
		LocLists:   get("loclists"),
		Types:      get("types"),
	}
}
