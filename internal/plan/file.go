package plan

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// An Object is an executable or library with plans for its code. It is known by its build ID, or if it has
// none by its path.
type Object struct {
	ID        []byte
	Path      string
	Thread    uint64    // how far below the thread pointer its thread-local variables begin; 0: it has none there
	Stretches []Stretch // in the order of their addresses, without overlaps
}

// A Stretch is code of an object in which some expressions are evaluated, or the arguments of the functions
// that it is in.
type Stretch struct {
	Low, High uint64
	Uses      []Use // one of an expression at most; of arguments each in its turn
	Calls     int   // the functions, by the number that records have; 0: they have no arguments
}

// A Use is how an expression is evaluated.
type Use struct {
	Expression int // Argument: none
	Plan       int // the number by which records name what is written
	Code       []Instr
	Entries    Entries
}

// Entries are what the callers passed in the registers that instructions ask for.
type Entries map[int64]*Passed

// Passed are the calls of a function that tell what a register held that they passed. What the caller was passed itself
// may be a part of it, so that they lead in circles where functions call themselves.
type Passed struct{ Sites []Site }

// A Site is a call, by the address that it returns to, with what tells in the caller's frame what a register
// held that it passed: code that writes 8 bytes.
type Site struct {
	Returns uint64
	Code    []Instr
	Entries Entries
}

// Bounds of a file of plans, as collector/planfile.h has them.
const (
	Argument        = 1<<16 - 1 // in place of the number of an expression
	MostExpressions = 32
	MostWritten     = 1<<15 - 1024 // bytes of all values of a sample

	mostObjects   = 16
	mostID        = 32
	mostFile      = 64 << 20
	fileMagic     = "PCTplans2\n"
	fileHeader    = 64
	fileArguments = 56 // where it is told
)

// File makes the file of plans that the C library reads. head is what the files of values begin with; arguments are
// those of all functions.
func File(expressions int, arguments bool, head []byte, objects []Object) ([]byte, error) {
	if expressions > MostExpressions || len(objects) > mostObjects {
		return nil, fmt.Errorf("%d expressions in %d objects are too many", expressions, len(objects))
	}
	var f file
	for _, o := range objects {
		f.thread = o.Thread
		if err := f.object(o); err != nil {
			return nil, err
		}
	}
	b := make([]byte, fileHeader)
	copy(b, fileMagic)
	for i, n := range []int{fileHeader, expressions, len(objects), f.stretches, f.uses, f.entries, f.sites, f.instrs, len(head), len(f.paths)} {
		binary.LittleEndian.PutUint32(b[16+4*i:], uint32(n))
	}
	if arguments {
		b[fileArguments] = 1
	}
	if f.noThread {
		return nil, errors.New("the place of a thread-local variable is unknown")
	}
	for _, part := range [][]byte{f.object64, f.stretch32, f.use16, f.entry8, f.site16, f.instr16, head, f.paths} {
		b = append(b, part...)
	}
	if len(b) > mostFile {
		return nil, errors.New("the plans of the expressions are too large")
	}
	return b, nil
}

// file is what is put together.
type file struct {
	object64, stretch32, use16, entry8, site16, instr16, paths []byte
	stretches, uses, entries, sites, instrs                    int
	known                                                      map[string]int  // first instruction, by the bytes of the code
	lists                                                      map[*Passed]int // numbers of entries
	thread                                                     uint64          // of the object
	noThread                                                   bool            // a thread-local variable has no place
}

func (f *file) object(o Object) error {
	if len(o.ID) > mostID {
		return fmt.Errorf("%s has a build ID of %d bytes", o.Path, len(o.ID))
	}
	var id [mostID]byte
	copy(id[:], o.ID)
	b := append(f.object64, id[:]...)
	for _, n := range []int{len(o.ID), f.stretches, len(o.Stretches), len(f.paths), len(o.Path), 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	f.object64 = b
	f.paths = append(f.paths, o.Path...)
	for _, s := range o.Stretches {
		f.stretches++
		b := binary.LittleEndian.AppendUint64(f.stretch32, s.Low)
		b = binary.LittleEndian.AppendUint64(b, s.High)
		for _, n := range []int{f.uses, len(s.Uses), s.Calls, 0} {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
		f.stretch32 = b
		for _, u := range s.Uses {
			f.use(u)
		}
	}
	return nil
}

func (f *file) use(u Use) {
	f.uses++
	b := binary.LittleEndian.AppendUint16(f.use16, uint16(u.Expression))
	b = binary.LittleEndian.AppendUint16(b, uint16(u.Plan))
	first := f.code(f.numbered(u.Code, u.Entries))
	b = binary.LittleEndian.AppendUint32(b, uint32(first))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(u.Code)))
	f.use16 = binary.LittleEndian.AppendUint32(b, 0)
}

// numbered is code that names entries by their numbers, and thread-local variables by their offset from the thread
// pointer.
func (f *file) numbered(code []Instr, entries Entries) []Instr {
	if !slices.ContainsFunc(code, func(i Instr) bool { return i.Op == Entry || i.Op == Thread }) {
		return code
	}
	code = slices.Clone(code)
	for i := range code {
		switch code[i].Op {
		case Entry:
			code[i].Arg = int64(f.entry(entries[code[i].Arg]))
		case Thread:
			code[i].Arg -= int64(f.thread)
			f.noThread = f.noThread || code[i].Arg >= 0
		}
	}
	return code
}

// entry returns the number by which instructions name calls.
func (f *file) entry(p *Passed) int {
	n, ok := f.lists[p]
	if ok {
		return n
	}
	if f.lists == nil {
		f.lists = map[*Passed]int{}
	}
	n = f.entries
	f.lists[p] = n // before those that it leads to, which may lead back
	f.entries++
	f.entry8 = append(f.entry8, make([]byte, 8)...)
	var list []byte
	for _, s := range p.Sites {
		first := f.code(f.numbered(s.Code, s.Entries))
		list = binary.LittleEndian.AppendUint64(list, s.Returns)
		list = binary.LittleEndian.AppendUint32(list, uint32(first))
		list = binary.LittleEndian.AppendUint32(list, uint32(len(s.Code)))
	}
	binary.LittleEndian.PutUint32(f.entry8[8*n:], uint32(f.sites))
	binary.LittleEndian.PutUint32(f.entry8[8*n+4:], uint32(len(p.Sites)))
	f.site16 = append(f.site16, list...)
	f.sites += len(p.Sites)
	return n
}

// code returns the number of the first instruction.
func (f *file) code(code []Instr) int {
	var b []byte
	for _, i := range code {
		b = append(b, byte(i.Op), i.Size, 0, 0, 0, 0, 0, 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(i.Arg))
	}
	if first, ok := f.known[string(b)]; ok {
		return first
	}
	if f.known == nil {
		f.known = map[string]int{}
	}
	first := f.instrs
	f.known[string(b)] = first
	f.instr16 = append(f.instr16, b...)
	f.instrs += len(code)
	return first
}

// A Ranged is a use for a stretch of code, which those of other expressions may overlap.
type Ranged struct {
	Low, High uint64
	Use       Use
}

// Stretches are the stretches of code in which the same uses hold.
func Stretches(all []Ranged) []Stretch {
	var edges []uint64
	for _, r := range all {
		edges = append(edges, r.Low, r.High)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	slices.SortFunc(all, func(a, b Ranged) int { return cmp.Compare(a.Low, b.Low) })
	var stretches []Stretch
	var here []Ranged
	for i := 0; i+1 < len(edges); i++ {
		for len(all) > 0 && all[0].Low == edges[i] {
			here = append(here, all[0])
			all = all[1:]
		}
		here = slices.DeleteFunc(here, func(r Ranged) bool { return r.High <= edges[i] })
		if len(here) == 0 {
			continue
		}
		s := Stretch{Low: edges[i], High: edges[i+1]}
		for _, r := range here {
			s.Uses = append(s.Uses, r.Use)
		}
		stretches = append(stretches, s)
	}
	return stretches
}
