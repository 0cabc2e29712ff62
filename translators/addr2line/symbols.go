package main

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"os/exec"
	"slices"
	"sort"
	"strings"

	"github.com/profilecollection/pct/internal/object"
)

// A symbolTable finds the function at an address by ELF symbols alone.
type symbolTable struct {
	functions []symbol // sorted by address, as labels
	labels    []symbol // code without a type, as assembly has it
	names     []byte   // the string table
	ada       bool     // some of it is Ada
}

type symbol struct {
	low, high uint64
	last      uint64 // the highest high so far, to know how far to look back
	name      uint32 // offset
	bind      elf.SymBind
	unsized   bool // it ends where its section ends or the next symbol begins
}

// readSymbols reads the symbols of the first of the files that has a full table,
// else the dynamic symbols of the first that has some.
func readSymbols(files ...*object.File) *symbolTable {
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		for _, f := range files {
			if f == nil {
				continue
			}
			if t := symbolsIn(f, kind); t != nil {
				return t
			}
		}
	}
	return &symbolTable{}
}

// miniDebug returns the ELF file that f holds in .gnu_debugdata, as Fedora's do:
// a symbol table packed by xz, which is unpacked by the command xz. It is nil
// where there is none, or where f has all symbols anyway.
func miniDebug(f *object.File) *object.File {
	packed := f.Content(".gnu_debugdata")
	if packed == nil || f.SectionByType(elf.SHT_SYMTAB) != nil {
		return nil
	}
	xz := exec.Command("xz", "-dc")
	xz.Stdin = bytes.NewReader(packed)
	data, err := xz.Output()
	if err != nil {
		return nil
	}
	g, err := object.Parse(f.Path, data)
	if err != nil {
		return nil
	}
	return g
}

// symbols reads one table of f, nil if it has none.
func symbolsIn(f *object.File, kind elf.SectionType) *symbolTable {
	s := f.SectionByType(kind)
	b := f.Contents(s)
	if b == nil || s.Link >= uint32(len(f.Sections)) {
		return nil
	}
	t := &symbolTable{names: f.Contents(f.Sections[s.Link])}
	for e := range entries(f, b) {
		if e.name < uint32(len(t.names)) && bytes.HasPrefix(t.names[e.name:], []byte("__gnat_")) {
			t.ada = true // it uses the runtime library of GNAT, or is it
		}
		if e.section == elf.SHN_UNDEF || int(e.section) >= len(f.Sections) || e.value == 0 {
			continue
		}
		in := f.Sections[e.section]
		if in.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		y := symbol{low: e.value, high: e.value + e.size, name: e.name, bind: elf.ST_BIND(e.info)}
		if e.size == 0 {
			y.high, y.unsized = in.Addr+in.Size, true
		}
		switch elf.ST_TYPE(e.info) {
		case elf.STT_FUNC, elf.STT_GNU_IFUNC:
			t.functions = append(t.functions, y)
		case elf.STT_NOTYPE:
			t.labels = append(t.labels, y)
		}
	}
	t.functions = sorted(t.functions)
	t.labels = sorted(t.labels)
	return t
}

// elfSymbol is an entry of a symbol table.
type elfSymbol struct {
	name        uint32
	info        byte
	section     elf.SectionIndex
	value, size uint64
}

// entries yields the entries of the symbol table b.
func entries(f *object.File, b []byte) func(yield func(elfSymbol) bool) {
	le := binary.LittleEndian
	return func(yield func(elfSymbol) bool) {
		if f.Class == elf.ELFCLASS64 {
			for ; len(b) >= elf.Sym64Size; b = b[elf.Sym64Size:] {
				if !yield(elfSymbol{le.Uint32(b), b[4], elf.SectionIndex(le.Uint16(b[6:])), le.Uint64(b[8:]), le.Uint64(b[16:])}) {
					return
				}
			}
			return
		}
		for ; len(b) >= elf.Sym32Size; b = b[elf.Sym32Size:] {
			if !yield(elfSymbol{le.Uint32(b), b[12], elf.SectionIndex(le.Uint16(b[14:])), uint64(le.Uint32(b[4:])), uint64(le.Uint32(b[8:]))}) {
				return
			}
		}
	}
}

// sorted sorts symbols by address and ends those of no size.
func sorted(y []symbol) []symbol {
	slices.SortFunc(y, func(a, b symbol) int { return cmp.Compare(a.low, b.low) })
	next := ^uint64(0)
	for i := len(y) - 1; i >= 0; i-- {
		if i+1 < len(y) && y[i+1].low > y[i].low {
			next = y[i+1].low
		}
		if y[i].unsized {
			y[i].high = min(y[i].high, next)
		}
	}
	last := uint64(0)
	for i := range y {
		last = max(last, y[i].high)
		y[i].last = last
	}
	return y
}

// find returns the raw name of the function at vaddr, "" if there is none.
func (t *symbolTable) find(vaddr uint64) string {
	if name := t.among(t.functions, vaddr); name != "" {
		return name
	}
	return t.among(t.labels, vaddr)
}

// among returns the name of the last symbol of y that covers vaddr, of several at
// one address the best one.
func (t *symbolTable) among(y []symbol, vaddr uint64) string {
	i := sort.Search(len(y), func(i int) bool { return y[i].low > vaddr }) - 1
	best := -1
	for ; i >= 0 && y[i].last > vaddr; i-- {
		if best >= 0 && y[i].low != y[best].low {
			break
		}
		if vaddr < y[i].high && (best < 0 || t.better(y[i], y[best])) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return t.name(y[best])
}

// better says whether, of two names of one function, a's is rather the one that
// its users call it by.
func (t *symbolTable) better(a, b symbol) bool {
	x, y := t.name(a), t.name(b)
	underscores := func(s string) int { return len(s) - len(strings.TrimLeft(s, "_")) }
	if n, m := underscores(x), underscores(y); n != m {
		return n < m
	}
	if a.bind != b.bind {
		return rank(a.bind) < rank(b.bind)
	}
	return x < y
}

func rank(b elf.SymBind) int {
	switch b {
	case elf.STB_GLOBAL:
		return 0
	case elf.STB_WEAK:
		return 1
	}
	return 2
}

// name returns the name of y without its version.
func (t *symbolTable) name(y symbol) string {
	return cString(t.names, uint64(y.name))
}

// cString returns the symbol name at off in a string table, without its version.
func cString(table []byte, off uint64) string {
	if off >= uint64(len(table)) {
		return ""
	}
	b := table[off:]
	if n := bytes.IndexByte(b, 0); n >= 0 {
		b = b[:n]
	}
	if n := bytes.IndexByte(b, '@'); n > 0 {
		b = b[:n]
	}
	return string(b)
}
