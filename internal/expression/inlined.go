package expression

import (
	"cmp"
	"debug/dwarf"
	"slices"
)

// An Inlined is a call of a function that was inlined.
type Inlined struct {
	Name   string      // as in Calls
	Entry  uint64      // the address at which the call begins
	Within uint64      // the address at which the code begins of the function that it is in, or of that function's part
	Ranges [][2]uint64 // of its code
}

// Inlined are the inlined calls of functions, by address; of those that begin at one address the outermost is
// first. Those of functions that the linker has dropped, whose addresses are others', are not among them, as far as the
// debug data tell.
func (o *Object) Inlined(functions Meant) []Inlined {
	var all []Inlined
	for e, function := range o.data.Functions(functions.last) {
		if e.Tag() != dwarf.TagInlinedSubroutine || !functions.entry(e) {
			continue
		}
		i := Inlined{Name: CallName(e)}
		e.Ranges(func(low, high uint64) {
			if low < high {
				i.Ranges = append(i.Ranges, [2]uint64{low, high})
			}
		})
		if len(i.Ranges) == 0 {
			continue
		}
		// Compilers mean the beginning of the call, which may be before its code.
		if i.Entry = e.EntryPC(); !i.Contains(i.Entry) {
			i.Entry = i.Ranges[0][0]
		}
		if o.data.FunctionAt(i.Entry) != function {
			continue
		}
		function.Ranges(func(low, high uint64) {
			if low <= i.Entry && i.Entry < high {
				i.Within = low
			}
		})
		all = append(all, i)
	}
	slices.SortStableFunc(all, func(a, b Inlined) int { return cmp.Compare(a.Entry, b.Entry) })
	return all
}

// Contains reports whether an address is in the code of the call.
func (i *Inlined) Contains(addr uint64) bool {
	return slices.ContainsFunc(i.Ranges, func(r [2]uint64) bool { return r[0] <= addr && addr < r[1] })
}
