package addr2line

import (
	"debug/elf"
	"encoding/binary"
	"strings"

	"github.com/profilecollection/pct/internal/object"
)

// On x86-64 a call into another object goes through a stub of the procedure
// linkage table. No symbol names it; what it jumps to does: the stub holds
//
//	jmp *SLOT(%rip)       ff 25 DISPLACEMENT
//
// perhaps after endbr64 and with a bnd prefix, and a relocation of SLOT names the
// function. The stubs of .plt that only bind lazily, where .plt.sec holds those
// that are called, hold instead
//
//	push $INDEX           68 INDEX
//
// with the number of the relocation in .rela.plt.

// An object's calls of indirect functions of its own go through stubs as well; the
// relocation then has the address of the function that chooses, whose symbol is
// the indirect function's.

// stubs returns the stubs of f; resolver returns the function at an address.
func stubs(f *object.File, resolver func(vaddr uint64) string) []stub {
	if f.Machine != elf.EM_X86_64 {
		return nil
	}
	bySlot, byIndex := slots(f, resolver)
	var all []stub
	for _, s := range f.Sections {
		if !strings.HasPrefix(s.Name, ".plt") {
			continue
		}
		size := uint64(16)
		if s.Name == ".plt.got" && s.Entsize == 8 {
			size = 8
		}
		code := f.Contents(s)
		for at := uint64(0); at+size <= uint64(len(code)); at += size {
			low := s.Addr + at
			if name := target(code[at:at+size], low, bySlot, byIndex); name != "" {
				all = append(all, stub{low, low + size, name + "@plt"})
			}
		}
	}
	return all
}

// A stub is the code [low, high).
type stub struct {
	low, high uint64
	name      string // "function@plt"
}

// target returns the name of the function that a stub at address low calls, ""
// for one that calls none.
func target(code []byte, low uint64, bySlot map[uint64]string, byIndex []string) string {
	i := 0
	if len(code) >= 4 && binary.BigEndian.Uint32(code) == 0xf30f1efa { // endbr64
		i = 4
	}
	if len(code) >= i+5 && code[i] == 0x68 {
		if n := binary.LittleEndian.Uint32(code[i+1:]); n < uint32(len(byIndex)) {
			return byIndex[n]
		}
		return ""
	}
	if i < len(code) && code[i] == 0xf2 { // bnd
		i++
	}
	if len(code) < i+6 || code[i] != 0xff || code[i+1] != 0x25 {
		return ""
	}
	displacement := int32(binary.LittleEndian.Uint32(code[i+2:]))
	return bySlot[low+uint64(i)+6+uint64(int64(displacement))]
}

// slots returns the names of functions by the address where their own address is
// kept, and by number of the relocation in .rela.plt.
func slots(f *object.File, resolver func(vaddr uint64) string) (bySlot map[uint64]string, byIndex []string) {
	names := f.DynamicNames()
	if names == nil {
		return nil, nil
	}
	bySlot = map[uint64]string{}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		b := f.Contents(s)
		for ; len(b) >= 24; b = b[24:] {
			slot, info := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
			name := ""
			switch elf.R_X86_64(info & 0xffffffff) {
			case elf.R_X86_64_JMP_SLOT, elf.R_X86_64_GLOB_DAT:
				if n := info >> 32; n < uint64(len(names)) {
					name = names[n]
				}
			case elf.R_X86_64_IRELATIVE:
				name = resolver(binary.LittleEndian.Uint64(b[16:]))
			}
			if name != "" {
				bySlot[slot] = name
			}
			if s.Name == ".rela.plt" {
				byIndex = append(byIndex, name)
			}
		}
	}
	return bySlot, byIndex
}
