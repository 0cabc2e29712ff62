package session

import (
	"debug/elf"
	"encoding/binary"
	"runtime/debug"
	"slices"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/unwind"
)

// What is at the address of an indirect function (IFUNC) chooses the function that serves under its
// name. Objects that have asked it keep the answer, where it is read; one that asks later is listened
// to, by a probe of the choice's own return.

// slots are where an object keeps the addresses of functions that the dynamic linker has found: by
// names, and of its own indirect ones by where these begin.
type slots struct {
	names  map[string][]uint64
	begins map[uint64][]uint64
}

// slotsOf are those of an object; of none if its file can't be read.
func (ps *probes) slotsOf(o *unwind.Object) slots {
	if s, known := ps.slots[o]; known {
		return s
	}
	var s slots
	if file := ps.fileOf(o); file != nil {
		s = readSlots(file.file)
	}
	if ps.slots == nil {
		ps.slots = make(map[*unwind.Object]slots)
	}
	ps.slots[o] = s
	return s
}

func readSlots(f *object.File) (s slots) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			s = slots{} // the file became shorter
		}
	}()
	s = slots{names: make(map[string][]uint64), begins: make(map[uint64][]uint64)}
	names := f.DynamicNames()
	const size = 24 // of a relocation: where, what, and an address
	for _, section := range f.Sections {
		if section.Type != elf.SHT_RELA {
			continue
		}
		for b := f.Contents(section); len(b) >= size; b = b[size:] {
			at, info, begins := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
			switch elf.R_X86_64(info & 0xffffffff) {
			case elf.R_X86_64_JMP_SLOT, elf.R_X86_64_GLOB_DAT:
				if n := info >> 32; n < uint64(len(names)) {
					s.names[names[n]] = append(s.names[names[n]], at)
				}
			case elf.R_X86_64_IRELATIVE:
				s.begins[begins] = append(s.begins[begins], at)
			}
		}
	}
	return s
}

// chosen are the addresses that objects have for an indirect function.
func (ps *probes) chosen(f unwind.Function) (list []uint64) {
	for _, o := range ps.unwinder.Objects() {
		if o.Kind != unwind.File || !ps.unwinder.Mapped(o) {
			continue
		}
		s := ps.slotsOf(o)
		at := s.names[f.Name]
		if o == f.Object {
			at = append(slices.Clone(at), s.begins[f.Addr]...)
		}
		for _, slot := range at {
			// Before it is asked for, it leads elsewhere.
			to, ok := ps.word(slot + o.Bias)
			in := ps.unwinder.ObjectAt(to)
			serves := in != nil && (in == f.Object && to != f.Addr+f.Object.Bias || in.Kind == unwind.VDSO)
			if ok && serves && ps.unwinder.Begins(to) && !slices.Contains(list, to) {
				list = append(list, to)
			}
		}
	}
	return list
}

// A choice is an indirect function that is asked for.
type choice struct {
	want *probe
	of   unwind.Function
}

// indirect probes an indirect function: what was chosen, and what will be.
func (ps *probes) indirect(want *probe, f unwind.Function) {
	for _, to := range ps.chosen(f) {
		ps.function(want, f, to)
	}
	chooser := ps.addFunction(f, f.Addr+f.Object.Bias)
	if !slices.Contains(chooser.chooses, choice{want, f}) {
		chooser.chooses = append(chooser.chooses, choice{want, f})
	}
	ps.point(chooser.enter).enters = chooser
}

// chose is when the function to serve under a name was chosen.
func (ps *probes) chose(chooser *probedFunction, to uint64) {
	for _, c := range chooser.chooses {
		if ps.unwinder.ObjectAt(to) != nil {
			ps.function(c.want, c.of, to)
		}
	}
	if err := ps.put(); err != nil {
		ps.p.tree.sayOnce("PROBE: %v", err)
	}
}
