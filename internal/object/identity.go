package object

import (
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// BuildID is the GNU build-id in hexadecimal, "" if the file has none. It is looked for where the
// kernel and collectors find it, in the segments, which every file has that can be executed. The
// sections serve for object files that are not linked, and for files with debug data alone, whose
// segments may describe another file.
func (f *File) BuildID() string {
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			if id := buildID(p, p.Filesz, p.Align, f.ByteOrder); id != "" {
				return id
			}
		}
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE {
			if id := buildID(s, s.FileSize, s.Addralign, f.ByteOrder); id != "" {
				return id
			}
		}
	}
	return ""
}

// mostNotes bounds what is read of notes.
const mostNotes = 1 << 16

// buildID finds the build-id among notes: each has the lengths of a name and of a description, a
// number for its kind, and both, which end at multiples of the alignment from the beginning.
func buildID(r io.ReaderAt, size, align uint64, order binary.ByteOrder) string {
	const header, gnuBuildID = 12, 3
	notes := make([]byte, min(size, mostNotes))
	n, _ := r.ReadAt(notes, 0)
	notes = notes[:n]
	if align != 8 {
		align = 4
	}
	aligned := func(n uint64) uint64 { return (n + align - 1) &^ (align - 1) }
	for len(notes) >= header {
		name, desc, kind := uint64(order.Uint32(notes)), uint64(order.Uint32(notes[4:])), order.Uint32(notes[8:])
		from := aligned(header + name)
		to := from + desc
		if to > uint64(len(notes)) {
			break
		}
		if kind == gnuBuildID && string(notes[header:header+name]) == "GNU\x00" {
			return hex.EncodeToString(notes[from:to])
		}
		notes = notes[min(aligned(to), uint64(len(notes))):]
	}
	return ""
}

// IsBuild reports whether the file is of the build with an id in hexadecimal; every file is of "".
func (f *File) IsBuild(id string) bool { return id == "" || strings.EqualFold(f.BuildID(), id) }

// Build is an error that says how the file differs, if it is not of the build with this id.
func (f *File) Build(id string) error {
	if f.IsBuild(id) {
		return nil
	}
	its := f.BuildID()
	if its == "" {
		return fmt.Errorf("%s: another build than was profiled: it has no build-id, which was %s", f.Path, id)
	}
	return fmt.Errorf("%s: another build than was profiled: its build-id is %s, not %s", f.Path, its, id)
}
