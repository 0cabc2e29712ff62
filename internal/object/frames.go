package object

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"sort"
)

// Frames is the call frame information of one object: its .eh_frame, which stays when an object is
// stripped, or its .debug_frame. Each entry is for one function, or for a part of one that the
// compiler put elsewhere. A nil Frames has none.
type Frames struct {
	Base uint64 // virtual address of the data, from which Cursor.Pointer counts in a program

	data   []byte
	layout layout
	debug  bool   // .debug_frame
	within bool   // more than the section: a length of zero is its end
	hdr    []byte // the search table of .eh_frame_hdr: pairs of 4 bytes, sorted
	hdrAt  uint64 // what they count from
	index  []indexed
}

// indexed is an entry of Frames without a search table; they are sorted by start.
type indexed struct{ start, end, off uint64 }

// An FDE is the entry for the code from Start to before End.
type FDE struct {
	Start, End uint64
	CIE        CIE
	Program    Cursor // its instructions
}

// A CIE is what several entries have in common.
type CIE struct {
	CodeAlign uint64
	DataAlign int64
	Return    uint64 // column of the return address
	Encoding  uint8  // of addresses
	Signal    bool   // the frame is that of a signal
	Program   Cursor // its instructions

	augmented bool // entries have augmentation data
}

// EHFrames are those of .eh_frame, nil if there are none. They are found by the segments where
// there are no section headers.
func (f *File) EHFrames() *Frames {
	var hdr []byte
	var hdrAt uint64
	for _, p := range f.Progs {
		if p.Type == elf.PT_GNU_EH_FRAME {
			hdr, hdrAt = readFrom(p, 0), p.Vaddr
		}
	}
	if s := f.Section(".eh_frame"); s != nil {
		return newEHFrames(f.layout(), f.Contents(s), s.Addr, hdr, hdrAt, false)
	}
	if len(hdr) < 4 {
		return nil
	}
	c := Cursor{B: hdr, P: 4, layout: f.layout()}
	at := c.Pointer(hdr[1], hdrAt, hdrAt)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && at >= p.Vaddr && at-p.Vaddr < p.Filesz {
			return newEHFrames(f.layout(), readFrom(p, at-p.Vaddr), at, hdr, hdrAt, true)
		}
	}
	return nil
}

// DebugFrames are those of .debug_frame, nil if there are none.
func (f *File) DebugFrames() *Frames {
	return newDebugFrames(f.layout(), f.Contents(f.DebugSection("frame")))
}

// readFrom reads a segment's file contents from an offset on. What the header
// says of their size need not be true.
func readFrom(p *elf.Prog, off uint64) []byte {
	const usual, most = 16 << 20, 1 << 30
	size := p.Filesz - off
	if size > usual {
		b, _ := io.ReadAll(io.NewSectionReader(p, int64(off), int64(min(size, most))))
		return b
	}
	b := make([]byte, size)
	n, _ := p.ReadAt(b, int64(off))
	return b[:n]
}

// newEHFrames takes .eh_frame and, if there is one, .eh_frame_hdr.
func newEHFrames(l layout, data []byte, base uint64, hdr []byte, hdrAt uint64, within bool) *Frames {
	if len(data) == 0 {
		return nil
	}
	f := &Frames{data: data, Base: base, layout: l, within: within}
	if c := (Cursor{B: hdr, layout: l}); c.U8() == 1 {
		ptr, count, enc := c.U8(), c.U8(), c.U8()
		c.Pointer(ptr, hdrAt, hdrAt)
		n := c.Pointer(count, hdrAt, hdrAt)
		if count != encOmit && enc == encDataRel|encSdata4 && !c.Bad && n > 0 && n <= uint64(len(hdr)-c.P)/8 {
			f.hdr, f.hdrAt = c.Take(8*n), hdrAt
		}
	}
	if f.hdr == nil {
		f.scan()
	}
	return f
}

// newDebugFrames takes .debug_frame.
func newDebugFrames(l layout, data []byte) *Frames {
	if len(data) == 0 {
		return nil
	}
	f := &Frames{data: data, layout: l, debug: true}
	f.scan()
	return f
}

// scan makes the index.
func (f *Frames) scan() {
	f.each(func(off uint64, d FDE) { f.index = append(f.index, indexed{d.Start, d.End, off}) })
	sort.SliceStable(f.index, func(i, j int) bool { return f.index[i].start < f.index[j].start })
}

// Starts are the addresses where the code of each entry begins, in the order of the entries.
func (f *Frames) Starts() []uint64 {
	var starts []uint64
	if f != nil {
		f.each(func(_ uint64, d FDE) { starts = append(starts, d.Start) })
	}
	return starts
}

// each tells all entries and where they stand.
func (f *Frames) each(tell func(off uint64, d FDE)) {
	cies := map[uint64]CIE{}
	for off := uint64(0); off < uint64(len(f.data)); {
		e, next, ok := f.entry(off)
		if ok && !e.isCIE {
			ci, known := cies[e.cie]
			if !known {
				if ci, known = f.cie(e.cie); known {
					cies[e.cie] = ci
				}
			}
			if known {
				if d, ok := f.open(e, ci); ok {
					tell(off, d)
				}
			}
		}
		if next <= off {
			break
		}
		off = next
	}
}

// entry is the frame of a CIE or an FDE: its body follows the identifier.
type entry struct {
	body  uint64 // offsets in data
	end   uint64
	isCIE bool
	cie   uint64 // of an FDE: where its CIE stands
}

// entry reads the head of what stands at off. next is where the next one
// stands, 0 at the end.
func (f *Frames) entry(off uint64) (e entry, next uint64, ok bool) {
	if off >= uint64(len(f.data)) {
		return e, 0, false
	}
	c := Cursor{B: f.data, P: int(off), layout: f.layout}
	n, wide := uint64(c.U32()), false
	if n == 0xffffffff {
		n, wide = c.U64(), true
	}
	if c.Bad || n > uint64(len(f.data)-c.P) {
		return e, 0, false
	}
	if n == 0 { // the end of one object's entries: those of another one may follow
		if f.within {
			return e, 0, false
		}
		return e, uint64(c.P), false
	}
	idAt := uint64(c.P)
	e.end = idAt + n
	next = e.end
	id := uint64(0)
	if wide {
		id = c.U64()
	} else {
		id = uint64(c.U32())
	}
	e.body = uint64(c.P)
	if c.Bad || e.body > e.end {
		return e, next, false
	}
	switch {
	case f.debug:
		e.isCIE = id == 0xffffffff && !wide || id == 1<<64-1
		e.cie = id
	default:
		e.isCIE = id == 0
		e.cie = idAt - id
	}
	return e, next, true
}

// open reads an FDE.
func (f *Frames) open(e entry, ci CIE) (d FDE, ok bool) {
	if rel := ci.Encoding & encRelMask; ci.Encoding&encIndirect != 0 || rel != 0 && rel != encPCRel {
		return d, false // nor if it is left out
	}
	c := Cursor{B: f.data[:e.end], P: int(e.body), layout: f.layout}
	d.CIE = ci
	d.Start = c.Pointer(ci.Encoding, f.Base, 0)
	d.End = d.Start + c.Pointer(ci.Encoding&0x0f, f.Base, 0)
	if ci.augmented {
		c.Take(c.ULEB())
	}
	d.Program = c
	return d, !c.Bad && d.Start < d.End
}

// cie reads the CIE at off.
func (f *Frames) cie(off uint64) (ci CIE, ok bool) {
	e, _, ok := f.entry(off)
	if !ok || !e.isCIE {
		return ci, false
	}
	c := Cursor{B: f.data[:e.end], P: int(e.body), layout: f.layout}
	version := c.U8()
	if version != 1 && version != 3 && version != 4 {
		return ci, false
	}
	aug := c.String()
	if version == 4 {
		size := uint8(8)
		if f.layout.narrow {
			size = 4
		}
		if c.U8() != size || c.U8() != 0 { // sizes of an address and of a segment selector
			return ci, false
		}
	}
	ci.CodeAlign = c.ULEB()
	ci.DataAlign = c.SLEB()
	if version == 1 {
		ci.Return = uint64(c.U8())
	} else {
		ci.Return = c.ULEB()
	}
	if len(aug) > 0 && aug[0] == 'z' {
		ci.augmented = true
		data := Cursor{B: f.data[:e.end], layout: f.layout}
		n := c.ULEB()
		data.P = c.P
		c.Take(n)
		told := false
	letters:
		for _, a := range aug[1:] {
			switch a {
			case 'R':
				ci.Encoding, told = data.U8(), true
			case 'P':
				data.Pointer(data.U8(), f.Base, 0)
			case 'L':
				data.U8()
			case 'S':
				ci.Signal = true
			case 'B', 'G': // how return addresses are signed, on other machines
			default:
				if !told {
					return ci, false
				}
				break letters // what follows can't be known; z gives its length
			}
		}
		c.Bad = c.Bad || data.Bad
	} else if aug != "" {
		return ci, false
	}
	ci.Program = c
	return ci, !c.Bad
}

// Find returns the entry of the function that an address is in.
func (f *Frames) Find(addr uint64) (FDE, bool) {
	off, ok := f.find(addr)
	if !ok {
		return FDE{}, false
	}
	e, _, ok := f.entry(off)
	if !ok || e.isCIE {
		return FDE{}, false
	}
	ci, ok := f.cie(e.cie)
	if !ok {
		return FDE{}, false
	}
	d, ok := f.open(e, ci)
	return d, ok && addr >= d.Start && addr < d.End
}

// find returns the offset of the FDE for an address.
func (f *Frames) find(addr uint64) (off uint64, ok bool) {
	if f == nil {
		return 0, false
	}
	if f.hdr == nil {
		// Entries may overlap where the linker dropped functions and left
		// theirs at address 0; so look at a few.
		i := sort.Search(len(f.index), func(i int) bool { return f.index[i].start > addr })
		for j := i - 1; j >= 0 && j >= i-8; j-- {
			if addr < f.index[j].end {
				return f.index[j].off, true
			}
		}
		return 0, false
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if f.layout.big {
		order = binary.BigEndian
	}
	at := func(n int) uint64 { return f.hdrAt + uint64(int32(order.Uint32(f.hdr[4*n:]))) }
	i := sort.Search(len(f.hdr)/8, func(i int) bool { return at(2*i) > addr })
	if i == 0 {
		return 0, false
	}
	off = at(2*i-1) - f.Base
	return off, off < uint64(len(f.data))
}
