// Package debuginfo answers, from DWARF of version 2 to 5, which source line an
// instruction belongs to and which functions, inlined ones included, it is in.
//
// It reads as little as it can: of each unit at first the header and the root
// entry, of a unit that holds an address asked for all entries and the line
// table, once. Type units are read where an entry refers to one. Data that is damaged or of unknown kind yields fewer
// answers, never an error or an endless loop; only little-endian data is read.
package debuginfo

// Sections holds the debug sections of an object, uncompressed, nil where there
// is none. They are not changed, and must stay as long as the Data.
type Sections struct {
	Info, Abbrev, Line, LineStr, Str, StrOffsets, Addr, Ranges, RngLists, Loc, LocLists []byte
	Types                                                                               []byte // type units of DWARF 4
}

// Data is the debug information of an object. Any number of goroutines may ask it.
type Data struct {
	s      Sections
	sup    *Data  // what dwz took out of several objects, nil if none
	lowest uint64 // code below this address is code that the linker dropped
	// split returns, of the file of this path, the sections of the unit of this id that the
	// compiler left out of the object (split DWARF), without .dwo in their names.
	split func(path string, id uint64) (Sections, bool)
	units []*unit
	code  []segment // by index of unit
	bytes rarity    // of s.Info
	names *nameCache
	named nameIndex
	begun nameUnits
	types *typeUnits
}

// A Frame is a function and a line in it: that of the instruction, or that of
// the call which was inlined. Func and File may be empty, Line may be 0.
type Frame struct {
	Func, File string
	Line       int
	Inlined    bool // into the next frame's function, wanted or not; only told of a frame with Func, or without a line
}

// Located reports whether the frame's line is known.
func (f Frame) Located() bool { return f.File != "" && f.Line > 0 }

// Detail says what of an instruction's frames is wanted; its zero value is all. What
// is not wanted need not be read.
type Detail struct {
	Innermost bool // no other frames
	NoLines   bool // functions alone
	NoNames   bool // functions only of frames whose line is not known
}

// New makes ready the debug information in s; sup is that of the file which dwz
// made for s and others, or nil, and lowest is the lowest address of code.
func New(s Sections, sup *Data, lowest uint64) *Data {
	d := &Data{s: s, sup: sup, lowest: lowest, names: newNameCache()}
	d.units = readUnits(s.Info, false)
	d.types = newTypeUnits(d)
	var p pieces
	for _, u := range d.units {
		d.readRoot(u, func(low, high uint64) { p.add(low, high, int32(u.index)) })
	}
	d.code = flatten(p.spans)
	return d
}

// Frames returns the frames of the instruction at addr, innermost first, none
// where addr is not in any unit. Where the unit does not say the function, as in
// assembly, there is one frame without. They are appended to frames.
func (d *Data) Frames(frames []Frame, addr uint64, want Detail) []Frame {
	id := lookup(d.code, addr)
	if id < 0 {
		return frames
	}
	u := d.units[id]
	lines := &lineTable{}
	if !want.NoLines {
		lines = d.lineTable(u)
	}
	var f Frame
	f.File, f.Line = lines.find(addr)
	if want.Innermost && want.NoNames && f.Located() {
		return append(frames, f) // without the unit's tree, which is most of the data
	}
	td, tu := d.full(u)
	t := td.walk(tu)
	i := lookup(t.code, addr)
	if i < 0 && f.File != "" {
		return append(frames, f)
	}
	for ; i >= 0; i = t.scopes[i].parent {
		s := &t.scopes[i]
		if !want.NoNames || !f.Located() {
			f.Func = t.name(i, Entry{td, tu, s.off})
		}
		for s.again {
			i = s.parent
			s = &t.scopes[i]
		}
		f.Inlined = s.parent >= 0
		frames = append(frames, f)
		if want.Innermost {
			break
		}
		f = Frame{}
		if !want.NoLines {
			f = Frame{File: lines.file(s.callFile), Line: int(s.callLine)}
		}
	}
	return frames
}
