package debuginfo

import (
	"cmp"
	"slices"
)

// A span is a piece of code, [low, high), and what it belongs to.
type span struct {
	low, high uint64
	id        int32
	rank      uint64 // where spans overlap, the highest has the code
}

// pieces are the pieces of code of units. Linkers let each unit keep those that many units have: the last one has it.
type pieces struct {
	spans  []span
	known  map[[2]uint64]int32 // index of a span
	recent [1 << 13]int32      // and of those that came last
}

func (p *pieces) add(low, high uint64, unit int32) {
	recent := &p.recent[(low>>4^low>>17)%uint64(len(p.recent))]
	i := *recent
	if int(i) >= len(p.spans) || p.spans[i].low != low || p.spans[i].high != high {
		piece := [2]uint64{low, high}
		known := false
		if i, known = p.known[piece]; !known {
			if p.known == nil {
				p.known = map[[2]uint64]int32{}
			}
			i = int32(len(p.spans))
			p.known[piece] = i
			// Where units overlap, the smaller piece is the more likely one.
			p.spans = append(p.spans, span{low, high, unit, ^(high - low)})
		}
		*recent = i
	}
	p.spans[i].id = unit
}

// A segment begins a piece of code that belongs to id, -1 for nothing; the next
// segment ends it.
type segment struct {
	low uint64
	id  int32
}

// flatten cuts overlapping spans into segments, sorted by address.
func flatten(spans []span) []segment {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.low, b.low) })
	cuts := make([]uint64, 0, 2*len(spans))
	for _, s := range spans {
		cuts = append(cuts, s.low, s.high)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []segment
	var open spanHeap
	last := int32(-1)
	next := 0
	for _, cut := range cuts {
		for ; next < len(spans) && spans[next].low <= cut; next++ {
			open.push(spans[next])
		}
		for len(open) > 0 && open[0].high <= cut {
			open.pop()
		}
		id := int32(-1)
		if len(open) > 0 {
			id = open[0].id
		}
		if id != last {
			out = append(out, segment{cut, id})
			last = id
		}
	}
	return out
}

// lookup returns whom addr belongs to, -1 for nobody.
func lookup(segments []segment, addr uint64) int32 {
	i, found := slices.BinarySearchFunc(segments, addr, func(s segment, a uint64) int { return cmp.Compare(s.low, a) })
	if !found {
		i--
	}
	if i < 0 {
		return -1
	}
	return segments[i].id
}

// spanHeap has the span of the highest rank on top, of two the later one. (It is
// container/heap without its boxes, which were half of the time to read a unit.)
type spanHeap []span

func (h spanHeap) before(i, j int) bool {
	if h[i].rank != h[j].rank {
		return h[i].rank > h[j].rank
	}
	return h[i].id > h[j].id
}

func (h *spanHeap) push(s span) {
	*h = append(*h, s)
	for i := len(*h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.before(i, parent) {
			return
		}
		(*h)[i], (*h)[parent] = (*h)[parent], (*h)[i]
		i = parent
	}
}

func (h *spanHeap) pop() {
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return
		}
		if child+1 < last && h.before(child+1, child) {
			child++
		}
		if !h.before(child, i) {
			return
		}
		(*h)[i], (*h)[child] = (*h)[child], (*h)[i]
		i = child
	}
}

// ranges calls add for each piece of code of the range list v of unit u.
func (d *Data) ranges(u *unit, v value, add func(low, high uint64)) {
	keep := func(low, high uint64) {
		if low < high && low >= d.lowest && low > 0 {
			add(low, high)
		}
	}
	if u.version < 5 {
		d.ranges4(u, u.rangesBase+v.u, keep)
		return
	}
	off := v.u
	if v.form == formRnglistx {
		base := u.rnglistsBase
		c := at(d.s.RngLists, base+off*uint64(u.offsize))
		off = base + c.uint(u.offsize)
	}
	d.ranges5(u, off, keep)
}

// ranges4 reads a list of .debug_ranges, of DWARF 2 to 4.
func (d *Data) ranges4(u *unit, off uint64, add func(low, high uint64)) {
	largest := ^uint64(0) >> (64 - 8*u.addrsize)
	base := u.low
	for c := at(d.s.Ranges, off); !c.bad; {
		low, high := c.uint(u.addrsize), c.uint(u.addrsize)
		switch {
		case low == 0 && high == 0:
			return
		case low == largest:
			base = high
		default:
			add(base+low, base+high)
		}
	}
}

// Kinds of the entries of .debug_rnglists.
const (
	rleEnd = iota
	rleBaseAddrx
	rleStartxEndx
	rleStartxLength
	rleOffsetPair
	rleBase
	rleStartEnd
	rleStartLength
)

// ranges5 reads a list of .debug_rnglists, of DWARF 5.
func (d *Data) ranges5(u *unit, off uint64, add func(low, high uint64)) {
	base := u.low
	for c := at(d.s.RngLists, off); !c.bad; {
		var low, high uint64
		switch c.u8() {
		case rleBaseAddrx:
			base = d.addrx(u, c.uleb())
			continue
		case rleBase:
			base = c.uint(u.addrsize)
			continue
		case rleStartxEndx:
			low, high = d.addrx(u, c.uleb()), d.addrx(u, c.uleb())
		case rleStartxLength:
			low = d.addrx(u, c.uleb())
			high = low + c.uleb()
		case rleOffsetPair:
			low, high = base+c.uleb(), base+c.uleb()
		case rleStartEnd:
			low, high = c.uint(u.addrsize), c.uint(u.addrsize)
		case rleStartLength:
			low = c.uint(u.addrsize)
			high = low + c.uleb()
		default:
			return
		}
		if !c.bad {
			add(low, high)
		}
	}
}
