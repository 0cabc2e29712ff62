package main

import (
	"sync"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/translators/internal/debuginfo"
)

// debugData reads the debug data that g holds; lowest is the lowest address of code.
func debugData(d object.Finder, g *object.File, lowest uint64) *debuginfo.Data {
	var sup *debuginfo.Data
	if s := d.Supplement(g); s != nil {
		sup = debuginfo.New(debugSections(s, ""), nil, 0)
	}
	data := debuginfo.New(debugSections(g, ""), sup, lowest)
	parcel := sync.OnceValue(func() *object.File {
		p, err := object.Map(g.Path + ".dwp")
		if err != nil {
			return nil
		}
		return p
	})
	data.SetSplit(func(path string, id uint64) (debuginfo.Sections, bool) { return splitUnit(g, parcel(), path, id) })
	return data
}

// debugSections returns the sections .debug_NAME, followed by suffix.
func debugSections(f *object.File, suffix string) debuginfo.Sections {
	get := func(name string) []byte { return f.Contents(f.DebugSection(name + suffix)) }
	return debuginfo.Sections{
		Info:       get("info"),
		Abbrev:     get("abbrev"),
		Line:       get("line"),
		LineStr:    get("line_str"),
		Str:        get("str"),
		StrOffsets: get("str_offsets"),
		Addr:       get("addr"),
		Ranges:     get("ranges"),
		RngLists:   get("rnglists"),
	}
}
