package unwind

import "sort"

// frames is the call frame information of one object: its .eh_frame or its
// .debug_frame section. Nothing in it is trusted: whatever cannot be right is
// as if it were not there.
type frames struct {
	data  []byte
	vaddr uint64 // ELF virtual address of data[0]
	debug bool   // .debug_frame
	hdr   []byte // the search table of .eh_frame_hdr: pairs of 4 bytes, sorted
	hdrAt uint64 // what they count from
	index []fde  // without hdr: all entries, sorted by start
}

// fde is an entry for the addresses [start, end); off is where it stands.
type fde struct {
	start, end uint64
	off        uint64
}

// cie is what entries have in common.
type cie struct {
	codeAlign uint64
	dataAlign int64
	ra        uint64 // column of the return address
	enc       uint8  // of the addresses in entries
	augmented bool   // entries have augmentation data
	signal    bool
	program   []byte
}

// newEHFrames takes .eh_frame and, if there is one, .eh_frame_hdr.
func newEHFrames(data []byte, vaddr uint64, hdr []byte, hdrVaddr uint64) *frames {
	f := &frames{data: data, vaddr: vaddr}
	if c := (cursor{b: hdr}); c.u8() == 1 {
		ptr, count, enc := c.u8(), c.u8(), c.u8()
		c.pointer(ptr, hdrVaddr, hdrVaddr)
		n := c.pointer(count, hdrVaddr, hdrVaddr)
		if count != encOmit && enc == encDataRel|encSdata4 && !c.bad && n > 0 && n <= uint64(len(hdr)-c.p)/8 {
			f.hdr, f.hdrAt = c.take(8*n), hdrVaddr
		}
	}
	if f.hdr == nil {
		f.scan()
	}
	return f
}

// newDebugFrames takes .debug_frame.
func newDebugFrames(data []byte) *frames {
	f := &frames{data: data, debug: true}
	f.scan()
	return f
}

// scan makes the index.
func (f *frames) scan() {
	for off := uint64(0); off < uint64(len(f.data)); {
		e, next, ok := f.entry(off)
		if ok && !e.isCIE {
			if d, _, ok := f.open(off, e); ok && d.start < d.end {
				f.index = append(f.index, d)
			}
		}
		if next <= off {
			break
		}
		off = next
	}
	sort.SliceStable(f.index, func(i, j int) bool { return f.index[i].start < f.index[j].start })
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
func (f *frames) entry(off uint64) (e entry, next uint64, ok bool) {
	if off >= uint64(len(f.data)) {
		return e, 0, false
	}
	c := cursor{b: f.data, p: int(off)}
	n, wide := uint64(c.u32()), false
	if n == 0xffffffff {
		n, wide = c.u64(), true
	}
	if n == 0 || c.bad || n > uint64(len(f.data)-c.p) {
		return e, 0, false // .eh_frame ends with a length of 0
	}
	idAt := uint64(c.p)
	e.end = idAt + n
	next = e.end
	id := uint64(0)
	if wide {
		id = c.u64()
	} else {
		id = uint64(c.u32())
	}
	e.body = uint64(c.p)
	if c.bad || e.body > e.end {
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

// open reads an FDE up to its program, which the cursor then stands at.
func (f *frames) open(off uint64, e entry) (d fde, c cursor, ok bool) {
	ci, ok := f.cie(e.cie)
	if !ok {
		return d, c, false
	}
	c = cursor{b: f.data[:e.end], p: int(e.body)}
	d.off = off
	d.start = c.pointer(ci.enc, f.vaddr, 0)
	d.end = d.start + c.pointer(ci.enc&0x0f, f.vaddr, 0)
	if ci.augmented {
		c.take(c.uleb())
	}
	return d, c, !c.bad
}

// cie reads the CIE at off.
func (f *frames) cie(off uint64) (ci cie, ok bool) {
	e, _, ok := f.entry(off)
	if !ok || !e.isCIE {
		return ci, false
	}
	c := cursor{b: f.data[:e.end], p: int(e.body)}
	version := c.u8()
	if version != 1 && version != 3 && version != 4 {
		return ci, false
	}
	aug := c.cstring()
	if version == 4 {
		if c.u8() != 8 || c.u8() != 0 { // sizes of an address and of a segment selector
			return ci, false
		}
	}
	ci.codeAlign = c.uleb()
	ci.dataAlign = c.sleb()
	if version == 1 {
		ci.ra = uint64(c.u8())
	} else {
		ci.ra = c.uleb()
	}
	if len(aug) > 0 && aug[0] == 'z' {
		ci.augmented = true
		data := cursor{b: f.data[:e.end]}
		n := c.uleb()
		data.p = c.p
		c.take(n)
	letters:
		for _, a := range aug[1:] {
			switch a {
			case 'R':
				ci.enc = data.u8()
			case 'P':
				data.pointer(data.u8(), f.vaddr, 0)
			case 'L':
				data.u8()
			case 'S':
				ci.signal = true
			default:
				break letters // what follows can't be known; z gives its length
			}
		}
		c.bad = c.bad || data.bad
	} else if aug != "" {
		return ci, false
	}
	if c.bad || ci.ra >= numRegs {
		return ci, false
	}
	ci.program = f.data[c.p:e.end]
	return ci, true
}

// find returns the offset of the FDE for an address.
func (f *frames) find(addr uint64) (off uint64, ok bool) {
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
	at := func(i int) (start, off uint64) {
		c := cursor{b: f.hdr, p: 8 * i}
		start = f.hdrAt + uint64(int32(c.u32()))
		return start, f.hdrAt + uint64(int32(c.u32())) - f.vaddr
	}
	i := sort.Search(len(f.hdr)/8, func(i int) bool { s, _ := at(i); return s > addr })
	if i == 0 {
		return 0, false
	}
	_, off = at(i - 1)
	return off, off < uint64(len(f.data))
}

// recipe returns the recipe for an address; nil if there is none.
func (f *frames) recipe(addr uint64) *recipe {
	off, ok := f.find(addr)
	if !ok {
		return nil
	}
	e, _, ok := f.entry(off)
	if !ok || e.isCIE {
		return nil
	}
	d, c, ok := f.open(off, e)
	if !ok || addr < d.start || addr >= d.end {
		return nil
	}
	ci, _ := f.cie(e.cie)
	p := program{f: f, cie: &ci, loc: d.start, target: addr}
	if !p.run(cursor{b: ci.program}) {
		return nil
	}
	p.initial = p.row
	if !p.run(c) {
		return nil
	}
	return p.row.recipe(&ci)
}
