package listing

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"

	"github.com/profilecollection/pct/internal/object"
)

// code is where the functions of an object begin, whether it has symbols or not.
type code struct {
	starts   []uint64 // ascending
	sections []extent // executable ones, ascending
}

// extent is the addresses from start to before end.
type extent struct{ start, end uint64 }

// readCode reads an object, which must have the build-id given unless that is empty.
func readCode(path, buildID string) (*code, error) {
	f, err := object.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	if !f.IsBuild(buildID) {
		return nil, fmt.Errorf("it was built again since")
	}
	c := &code{}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Type == elf.SHT_PROGBITS {
			c.sections = append(c.sections, extent{s.Addr, s.Addr + s.Size})
			c.starts = append(c.starts, s.Addr)
		}
	}
	slices.SortFunc(c.sections, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	// An object without symbols is no error: it has unwind tables.
	for _, s := range f.FunctionSymbols() {
		c.starts = append(c.starts, s.Value)
	}
	c.starts = append(c.starts, f.EHFrames().Starts()...)
	slices.Sort(c.starts)
	c.starts = slices.Compact(c.starts)
	return c, nil
}

// function returns the extent of the function that holds an address, as far as the
// next one begins; ok is false outside of code.
func (c *code) function(vaddr uint64) (of extent, ok bool) {
	for _, s := range c.sections {
		if vaddr < s.start || vaddr >= s.end {
			continue
		}
		i, found := slices.BinarySearch(c.starts, vaddr)
		if !found {
			i--
		}
		of = extent{max(s.start, c.starts[i]), s.end}
		if i+1 < len(c.starts) {
			of.end = min(of.end, c.starts[i+1])
		}
		return of, true
	}
	return extent{}, false
}
