package object

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"path/filepath"
)

// DebugRoot is where distributions install debug data.
const DebugRoot = "/usr/lib/debug"

// A Finder finds the files that hold the debug data of others. It looks at local files alone.
type Finder struct {
	Roots []string // directories like DebugRoot
}

// Installed is the Finder of what the distribution installs.
func Installed() Finder { return Finder{Roots: []string{DebugRoot}} }

// DebugFile maps the file that holds the debug data of f: f itself, which stays as it is open, or
// one that a distribution or objcopy split from it; nil if there is none.
func (d Finder) DebugFile(f *File) *File {
	if f.HasDebugInfo() {
		return f
	}
	if g := d.OfBuild(f.BuildID()); g != nil {
		return g
	}
	_, crc := f.debugLink()
	return first(d.LinkedFiles(f), func(g *File) bool { return g.HasDebugInfo() && g.belongsTo(f, crc) })
}

// OfBuild maps the debug file that is installed for a build, nil if there is none.
func (d Finder) OfBuild(id string) *File {
	return first(d.BuildFiles(id), func(g *File) bool { return g.IsBuild(id) })
}

// Supplement maps the file into which dwz put what f has in common with others, nil if there is
// none.
func (d Finder) Supplement(f *File) *File {
	_, id := f.supplementLink()
	if id == "" {
		return nil
	}
	return first(d.SupplementFiles(f), func(g *File) bool { return g.BuildID() == id || g.checksum() == id })
}

// first maps the first of the files that is the right one, nil if none is.
func first(paths []string, right func(*File) bool) *File {
	for _, path := range paths {
		g, err := Map(path)
		if err != nil {
			continue
		}
		if right(g) {
			return g
		}
		g.Close()
	}
	return nil
}

// BuildFiles are the paths where the debug file of a build may be installed.
func (d Finder) BuildFiles(id string) []string {
	if len(id) <= 2 {
		return nil
	}
	var paths []string
	for _, root := range d.Roots {
		paths = append(paths, filepath.Join(root, ".build-id", id[:2], id[2:]+".debug"))
	}
	return paths
}

// LinkedFiles are the paths where the debug file may be that f names in its .gnu_debuglink.
func (d Finder) LinkedFiles(f *File) []string {
	name, _ := f.debugLink()
	if name == "" {
		return nil
	}
	var paths []string
	for _, dir := range f.dirs() {
		paths = append(paths, filepath.Join(dir, name), filepath.Join(dir, ".debug", name))
		if filepath.IsAbs(dir) {
			for _, root := range d.Roots {
				paths = append(paths, filepath.Join(root, dir, name))
			}
		}
	}
	return paths
}

// SupplementFiles are the paths where the supplement of f may be.
func (d Finder) SupplementFiles(f *File) []string {
	name, id := f.supplementLink()
	if id == "" {
		return nil
	}
	paths := []string{name}
	if !filepath.IsAbs(name) {
		paths = nil
		for _, dir := range f.dirs() {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return append(paths, d.BuildFiles(id)...)
}

// dirs are the directories of the path of f, and of the file that it leads to.
func (f *File) dirs() []string {
	dirs := []string{filepath.Dir(f.Path)}
	if real, err := filepath.EvalSymlinks(f.Path); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = append(dirs, filepath.Dir(real))
	}
	return dirs
}

// debugLink is the name of the debug file in .gnu_debuglink, "" if there is none, and its check
// sum.
func (f *File) debugLink() (name string, crc uint32) {
	link := f.Content(".gnu_debuglink")
	end := bytes.IndexByte(link, 0)
	at := (end + 4) &^ 3
	if end <= 0 || at+4 > len(link) {
		return "", 0
	}
	return filepath.Base(string(link[:end])), f.ByteOrder.Uint32(link[at:])
}

// belongsTo says whether the debug file g is of the same build as f: by their
// build-ids if both have one, else by the check sum.
func (g *File) belongsTo(f *File, crc uint32) bool {
	if a, b := f.BuildID(), g.BuildID(); a != "" && b != "" {
		return a == b
	}
	return crc32.ChecksumIEEE(g.data) == crc
}

// supplementLink returns name and build-id of the supplement of f, in its GNU or
// its DWARF 5 form.
func (f *File) supplementLink() (name, id string) {
	if b := f.Content(".gnu_debugaltlink"); b != nil {
		if n := bytes.IndexByte(b, 0); n > 0 {
			return string(b[:n]), hex.EncodeToString(b[n+1:])
		}
	}
	name, id, isSupplement := f.debugSup()
	if isSupplement {
		return "", ""
	}
	return name, id
}

// checksum returns what links of the DWARF 5 form call the supplement f by.
func (f *File) checksum() string {
	_, id, isSupplement := f.debugSup()
	if !isSupplement {
		return ""
	}
	return id
}

// debugSup reads the section .debug_sup: of a supplement its checksum, of others
// name and checksum of their supplement.
func (f *File) debugSup() (name, id string, isSupplement bool) {
	const version = 5
	b := f.Content(".debug_sup")
	if len(b) < 3 || f.ByteOrder.Uint16(b) != version {
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
