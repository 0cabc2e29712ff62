package pprof

import (
	"debug/elf"
	"slices"

	"github.com/google/pprof/profile"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/pct/data"
)

// objects become mappings. Addresses in a profile are run-time ones, of the run in
// which an object was seen first.
type objects struct {
	known map[string]*mappedObject
	used  []*mappedObject // in the order of their mappings
}

// mappedObject is one with its locations, whose addresses are still those in
// the file.
type mappedObject struct {
	path, buildID string
	file          bool
	start, end    uint64 // of what is mapped, ELF virtual addresses
	bias          uint64
	locations     []*profile.Location
}

func newObjects(mapped []data.Object) *objects {
	all := &objects{known: map[string]*mappedObject{}}
	for _, o := range mapped {
		seen, ok := all.known[o.Path]
		if !ok {
			seen = &mappedObject{path: o.Path, buildID: o.BuildID, file: o.Kind == 0, bias: o.Bias, start: o.Start - o.Bias, end: o.End - o.Bias}
			all.known[o.Path] = seen
		}
		if seen.buildID != o.BuildID {
			seen.buildID = "" // it was built again between the runs
		}
		if o.Bias == seen.bias {
			seen.start, seen.end = min(seen.start, o.Start-o.Bias), max(seen.end, o.End-o.Bias)
		}
	}
	return all
}

// use puts a location at an address of an object.
func (all *objects) use(l *profile.Location, path string, vaddr uint64) {
	o, ok := all.known[path]
	if !ok {
		o = &mappedObject{path: path}
		all.known[path] = o
	}
	if o.locations == nil {
		all.used = append(all.used, o)
	}
	if o.start == o.end {
		o.start, o.end = vaddr, vaddr+1
	}
	o.start, o.end = min(o.start, vaddr), max(o.end, vaddr+1)
	o.locations = append(o.locations, l)
}

// place makes the mappings, none of which overlaps another one. That of the program comes
// first: by it readers name the profile.
func (all *objects) place(program string) []*profile.Mapping {
	slices.SortStableFunc(all.used, func(a, b *mappedObject) int {
		switch {
		case a.path == program && b.path != program:
			return -1
		case b.path == program && a.path != program:
			return 1
		}
		return 0
	})
	var mappings []*profile.Mapping
	for _, o := range all.used {
		start, end := pages(o.start, o.end)
		offset := uint64(0)
		if o.file {
			start, end, offset = o.segment(start, end)
		}
		bias := o.bias
		if overlaps(mappings, start+bias, end+bias) {
			bias = above(mappings) - start
		}
		m := &profile.Mapping{
			ID: id(len(mappings)), Start: start + bias, Limit: end + bias, Offset: offset, File: valid(o.path), BuildID: o.buildID,
		}
		// All names that there are stand in the profile: pprof would look for others in the file
		// that is there now, which may be another one than was sampled.
		m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = true, true, true, true
		for _, l := range o.locations {
			l.Mapping = m
			l.Address += bias
		}
		mappings = append(mappings, m)
	}
	return mappings
}

func overlaps(mappings []*profile.Mapping, start, end uint64) bool {
	for _, m := range mappings {
		if start < m.Limit && m.Start < end || end <= start {
			return true
		}
	}
	return false
}

// above returns an address above all mappings of programs; the kernel's stay where
// they are.
func above(mappings []*profile.Mapping) uint64 {
	const kernel = 1 << 63
	top := uint64(1 << 32)
	for _, m := range mappings {
		if m.Limit < kernel {
			top = max(top, m.Limit)
		}
	}
	return top + page
}

// segment returns the executable segment of the file that all locations lie in, as it
// is mapped, and where it is in the file: pprof finds code by it. Where there is none
// it returns what it was given.
func (o *mappedObject) segment(start, end uint64) (from, to, offset uint64) {
	f, err := object.Open(o.path)
	if err != nil {
		return start, end, start
	}
	defer f.Close()
	if !f.IsBuild(o.buildID) {
		return start, end, start
	}
	least, most := o.locations[0].Address, o.locations[0].Address
	for _, l := range o.locations {
		least, most = min(least, l.Address), max(most, l.Address)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && least >= p.Vaddr && most-p.Vaddr < p.Memsz {
			from, to = pages(p.Vaddr, p.Vaddr+p.Memsz)
			return from, to, p.Off - (p.Vaddr - from)
		}
	}
	return start, end, start
}
