package object

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"slices"
)

// IsGo reports whether the file was made by Go's linker.
func (f *File) IsGo() bool {
	return f.Section(".note.go.buildid") != nil || f.Section(".go.buildinfo") != nil
}

// GoTable is what a Go program keeps for its own stack traces, however it is stripped: its
// functions and lines. It is nil if there is none that can be read. Package gosym keeps notes while
// a table is asked: one goroutine at a time may do that.
func (f *File) GoTable() *gosym.Table {
	i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool {
		return s.Name == ".gopclntab" || s.Name == ".data.rel.ro.gopclntab"
	})
	if i < 0 || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		return nil
	}
	table := f.Sections[i]
	content := f.Contents(table)
	text, ok := f.goText(table.Addr, content)
	if !ok {
		return nil
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(content, text))
	if err != nil || len(t.Funcs) == 0 {
		return nil
	}
	return t
}

// GoSymbols are the functions of GoTable as symbols, nil if there are none.
func (f *File) GoSymbols() *Symbols {
	table := f.GoTable()
	if table == nil {
		return nil
	}
	t := &Symbols{}
	for i := range table.Funcs {
		of := &table.Funcs[i]
		t.Functions = append(t.Functions, Symbol{Low: of.Entry, High: of.End, name: uint32(len(t.names))})
		t.names = append(append(t.names, of.Name...), 0)
	}
	t.order(t.Functions)
	return t
}

// Magic numbers of the table: since Go 1.18 its addresses count from where Go's code begins, which
// is not where the section .text does if there is C in the program.
const (
	goMagic118 = 0xfffffff0
	goMagic120 = 0xfffffff1
)

// goText finds where Go's code begins: the table says so or, since Go 1.26, the description of the module.
func (f *File) goText(addr uint64, table []byte) (text uint64, ok bool) {
	const (
		word        = 8
		inTable     = word + 2*word        // runtime.pcHeader.textStart
		inModule    = (1 + 6*3 + 3) * word // runtime.moduledata.text: behind a pointer, six slices, findfunctab, minpc and maxpc
		leastModule = inModule + 2*word
	)
	if len(table) < 8*word {
		return 0, false
	}
	if magic := binary.LittleEndian.Uint32(table); magic != goMagic118 && magic != goMagic120 {
		return 0, true // addresses are whole
	}
	if text = f.pointer(addr + inTable); f.Executable(text) {
		return text, true
	}
	module := f.Section(".go.module")
	if module == nil || module.Size < leastModule || f.pointer(module.Addr) != addr {
		return 0, false
	}
	text = f.pointer(module.Addr + inModule)
	least := f.pointer(module.Addr + inModule - 2*word) // minpc
	return text, f.Executable(text) && least == text
}

// pointer is the word at an address of the file's data, as the dynamic linker would make it.
func (f *File) pointer(addr uint64) uint64 {
	le := binary.LittleEndian
	const entry = 24 // of a section of relocations
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || f.Machine != elf.EM_X86_64 {
			continue
		}
		for b := f.Contents(s); len(b) >= entry; b = b[entry:] {
			if le.Uint64(b) == addr && elf.R_X86_64(le.Uint32(b[8:])) == elf.R_X86_64_RELATIVE {
				return le.Uint64(b[16:])
			}
		}
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && addr >= s.Addr && addr-s.Addr+8 <= s.Size {
			if b := f.Contents(s); addr-s.Addr+8 <= uint64(len(b)) {
				return le.Uint64(b[addr-s.Addr:])
			}
		}
	}
	return 0
}
