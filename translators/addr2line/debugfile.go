package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"path/filepath"
	"sync"

	"github.com/profilecollection/pct/translators/internal/debuginfo"
)

// A finder finds the files that hold the debug information of others. It looks
// at local files alone.
type finder struct {
	dirs []string // roots like /usr/lib/debug
}

// debugFile returns the file that holds the debug information of f: f itself,
// or one that a distribution or objcopy split from it; nil if there is none.
func (d finder) debugFile(f *file) *file {
	if f.has("info") {
		return f
	}
	if id := f.buildID(); id != "" {
		if g := d.byBuildID(id); g != nil {
			return g
		}
	}
	return d.byLink(f)
}

// byBuildID returns the debug file installed under the build-id, nil if none.
func (d finder) byBuildID(id string) *file {
	if len(id) <= 2 {
		return nil
	}
	for _, dir := range d.dirs {
		g, err := openFile(filepath.Join(dir, ".build-id", id[:2], id[2:]+".debug"))
		if err != nil {
			continue
		}
		if g.buildID() == id {
			return g
		}
		g.close()
	}
	return nil
}

// byLink returns the debug file that f names in its .gnu_debuglink, nil if it is
// not to be found or belongs to another build.
func (d finder) byLink(f *file) *file {
	link := f.section(".gnu_debuglink")
	end := bytes.IndexByte(link, 0)
	crcAt := (end + 4) &^ 3
	if end <= 0 || crcAt+4 > len(link) {
		return nil
	}
	name, crc := filepath.Base(string(link[:end])), binary.LittleEndian.Uint32(link[crcAt:])
	dirs := []string{filepath.Dir(f.path)}
	if real, err := filepath.EvalSymlinks(f.path); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = append(dirs, filepath.Dir(real))
	}
	for _, dir := range dirs {
		try := []string{filepath.Join(dir, name), filepath.Join(dir, ".debug", name)}
		if filepath.IsAbs(dir) {
			for _, root := range d.dirs {
				try = append(try, filepath.Join(root, dir, name))
			}
		}
		for _, path := range try {
			g, err := openFile(path)
			if err != nil {
				continue
			}
			if g.has("info") && g.belongsTo(f, crc) {
				return g
			}
			g.close()
		}
	}
	return nil
}

// belongsTo says whether the debug file g is of the same build as f: by their
// build-ids if both have one, else by the check sum.
func (g *file) belongsTo(f *file, crc uint32) bool {
	if a, b := f.buildID(), g.buildID(); a != "" && b != "" {
		return a == b
	}
	return crc32.ChecksumIEEE(g.data) == crc
}

// debugInfo reads the debug information that g holds; lowest is the lowest
// address of code.
func (d finder) debugInfo(g *file, lowest uint64) *debuginfo.Data {
	var sup *debuginfo.Data
	if s := d.supplement(g); s != nil {
		sup = debuginfo.New(s.debugSections(""), nil, 0)
	}
	data := debuginfo.New(g.debugSections(""), sup, lowest)
	parcel := sync.OnceValue(func() *file {
		p, err := openFile(g.path + ".dwp")
		if err != nil {
			return nil
		}
		return p
	})
	data.SetSplit(func(path string, id uint64) (debuginfo.Sections, bool) { return splitUnit(g, parcel(), path, id) })
	return data
}

// debugSections returns the sections .debug_NAME, followed by suffix.
func (f *file) debugSections(suffix string) debuginfo.Sections {
	get := func(name string) []byte { return f.debugSection(name + suffix) }
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

// supplement returns the file into which dwz put what g has in common with
// others, nil if there is none.
func (d finder) supplement(g *file) *file {
	name, id := g.supplementLink()
	if id == "" {
		return nil
	}
	dirs := []string{filepath.Dir(g.path)}
	if real, err := filepath.EvalSymlinks(g.path); err == nil {
		dirs = append(dirs, filepath.Dir(real))
	}
	for _, dir := range dirs {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, name)
		}
		s, err := openFile(path)
		if err != nil {
			continue
		}
		if s.buildID() == id || s.checksum() == id {
			return s
		}
		s.close()
	}
	return d.byBuildID(id)
}

// supplementLink returns name and build-id of the supplement of g, in its GNU or
// its DWARF 5 form.
func (g *file) supplementLink() (name, id string) {
	if b := g.section(".gnu_debugaltlink"); b != nil {
		if n := bytes.IndexByte(b, 0); n > 0 {
			return string(b[:n]), hex.EncodeToString(b[n+1:])
		}
	}
	name, id, isSupplement := g.debugSup()
	if isSupplement {
		return "", ""
	}
	return name, id
}

// checksum returns what links of the DWARF 5 form call the supplement g by.
func (g *file) checksum() string {
	_, id, isSupplement := g.debugSup()
	if !isSupplement {
		return ""
	}
	return id
}

// debugSup reads the section .debug_sup: of a supplement its checksum, of others
// name and checksum of their supplement.
func (g *file) debugSup() (name, id string, isSupplement bool) {
	const version = 5
	b := g.section(".debug_sup")
	if len(b) < 3 || binary.LittleEndian.Uint16(b) != version {
		return "", "", false
	}
	n := bytes.IndexByte(b[3:], 0)
	if n < 0 {
		return "", "", false
	}
	rest := b[3+n+1:]
	size, used := binary.Uvarint(rest)
	if used <= 0 || size > uint64(len(rest)-used) {
		return "", "", false
	}
	return string(b[3 : 3+n]), hex.EncodeToString(rest[used : used+int(size)]), b[2] == 1
}
