package gmon

import (
	"cmp"
	"debug/elf"
	"fmt"
	"github.com/profilecollection/pct/internal/object"
	"slices"
	"strings"
)

// A symbol is a function, from its address to before the next one's, as gprof takes it: the
// C library's histogram has bins that are no function's alone, and a translator, asked
// for an address, doesn't tell where its function ends.
type symbol struct {
	address uint64
	name    string
	local   bool
}

// symbols are the functions of an object by address, and where the last of them ends.
type symbols struct {
	all []symbol
	end uint64
}

// readSymbols reads the functions of a program: those of its symbol table or, where it is
// stripped, the dynamic ones.
func readSymbols(program string) (*symbols, error) {
	f, err := object.Open(program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	defer f.Close()
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB {
		return nil, fmt.Errorf("%s is not a program for a 64-bit little-endian machine", program)
	}
	table, err := f.Symbols()
	if err != nil || len(table) == 0 {
		table, _ = f.DynamicSymbols()
	}
	s := &symbols{}
	for _, entry := range table {
		if int(entry.Section) >= len(f.Sections) || !isFunction(entry) {
			continue
		}
		section := f.Sections[entry.Section]
		if section.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		s.end = max(s.end, section.Addr+section.Size)
		s.all = append(s.all, symbol{entry.Value, entry.Name, elf.ST_BIND(entry.Info) == elf.STB_LOCAL})
	}
	if len(s.all) == 0 {
		return nil, fmt.Errorf("%s has no symbols; gmon.out needs the program that was executed, before strip", program)
	}
	slices.SortStableFunc(s.all, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.address, b.address), preferred(a, b))
	})
	s.all = slices.CompactFunc(s.all, func(a, b symbol) bool { return a.address == b.address })
	return s, nil
}

func isFunction(entry elf.Symbol) bool {
	switch elf.ST_TYPE(entry.Info) {
	case elf.STT_FUNC, elf.STT_GNU_IFUNC:
		return entry.Section != elf.SHN_UNDEF && entry.Name != ""
	case elf.STT_NOTYPE: // labels of assembler
		return entry.Section != elf.SHN_UNDEF && entry.Name != "" && !strings.ContainsAny(entry.Name, ".$")
	}
	return false
}

// preferred orders names of one address as gprof prefers them: global ones, and those
// with fewer underscores in front.
func preferred(a, b symbol) int {
	if a.local != b.local {
		if b.local {
			return -1
		}
		return 1
	}
	return cmp.Compare(underscores(a.name), underscores(b.name))
}

func underscores(name string) int {
	return min(2, len(name)-len(strings.TrimLeft(name, "_")))
}

// at returns the number of the function at an address, -1 if there is none.
func (s *symbols) at(address uint64) int {
	if address >= s.end {
		return -1
	}
	i, found := slices.BinarySearchFunc(s.all, address, func(x symbol, a uint64) int { return cmp.Compare(x.address, a) })
	if !found {
		i--
	}
	return i
}

// endOf returns where a function ends.
func (s *symbols) endOf(i int) uint64 {
	if i+1 < len(s.all) {
		return s.all[i+1].address
	}
	return s.end
}
