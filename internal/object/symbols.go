package object

import (
	"bytes"
	"cmp"
	"debug/elf"
	"os/exec"
	"slices"
	"sort"
)

// Symbols are those of one symbol table that name code.
type Symbols struct {
	Functions []Symbol // by address; of several at one address that with the best name comes first
	Ada       bool     // some of it is Ada

	labels []Symbol // code without a type, as assembly has it, in the same order
	names  []byte   // the string table
}

// A Symbol names the code from Low to before High.
type Symbol struct {
	Low, High uint64
	Indirect  bool // it is called once, and gives the address of the function

	bind    elf.SymBind
	unsized bool   // it ends where its section ends or the next symbol begins
	name    uint32 // offset
	last    uint64 // the highest High so far, to know how far to look back
}

// ReadSymbols reads the symbols of the first of the files that has a full table, else the dynamic
// symbols of the first that has some. Files that are nil are left out.
func ReadSymbols(files ...*File) *Symbols {
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		for _, f := range files {
			if f == nil {
				continue
			}
			if t := f.symbols(kind); t != nil {
				return t
			}
		}
	}
	return &Symbols{}
}

// MiniDebug returns the ELF file that f holds in .gnu_debugdata, as Fedora's do:
// a symbol table packed by xz, which is unpacked by the command xz. It is nil
// where there is none, or where f has all symbols anyway.
func (f *File) MiniDebug() *File {
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
	g, err := Parse(f.Path, data)
	if err != nil {
		return nil
	}
	return g
}

// FunctionSymbols are the symbols of functions in the full and in the dynamic table, in their
// order, without those of other objects.
func (f *File) FunctionSymbols() []elf.Symbol {
	symbols, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	return slices.DeleteFunc(slices.Concat(symbols, dynamic), func(s elf.Symbol) bool {
		return s.Section == elf.SHN_UNDEF || !isFunction(s.Info)
	})
}

func isFunction(info byte) bool {
	kind := elf.ST_TYPE(info)
	return kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC
}

// symbols reads one table of f, nil if it has none.
func (f *File) symbols(kind elf.SectionType) *Symbols {
	s := f.SectionByType(kind)
	b := f.Contents(s)
	if b == nil || s.Link >= uint32(len(f.Sections)) {
		return nil
	}
	t := &Symbols{names: f.Contents(f.Sections[s.Link])}
	for e := range f.entries(b) {
		if e.name >= uint32(len(t.names)) || t.names[e.name] == 0 {
			continue
		}
		if bytes.HasPrefix(t.names[e.name:], []byte("__gnat_")) {
			t.Ada = true // it uses the runtime library of GNAT, or is it
		}
		if e.section == elf.SHN_UNDEF || int(e.section) >= len(f.Sections) || e.value == 0 {
			continue
		}
		in := f.Sections[e.section]
		if in.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		y := Symbol{Low: e.value, High: e.value + e.size, name: e.name, bind: elf.ST_BIND(e.info)}
		if e.size == 0 {
			y.High, y.unsized = in.Addr+in.Size, true
		}
		switch kind := elf.ST_TYPE(e.info); {
		case isFunction(e.info):
			y.Indirect = kind == elf.STT_GNU_IFUNC
			t.Functions = append(t.Functions, y)
		case kind == elf.STT_NOTYPE:
			t.labels = append(t.labels, y)
		}
	}
	t.order(t.Functions)
	t.order(t.labels)
	return t
}

// DynamicNames are the names of all dynamic symbols, by the number that relocations give.
func (f *File) DynamicNames() []string {
	table := f.SectionByType(elf.SHT_DYNSYM)
	if table == nil || table.Link >= uint32(len(f.Sections)) {
		return nil
	}
	text := f.Contents(f.Sections[table.Link])
	var names []string
	for e := range f.entries(f.Contents(table)) {
		names = append(names, string(symbolName(text, e.name)))
	}
	return names
}

// tableEntry is an entry of a symbol table.
type tableEntry struct {
	name        uint32
	info        byte
	section     elf.SectionIndex
	value, size uint64
}

// entries yields the entries of the symbol table b.
func (f *File) entries(b []byte) func(yield func(tableEntry) bool) {
	order := f.ByteOrder
	return func(yield func(tableEntry) bool) {
		if f.Class == elf.ELFCLASS64 {
			for ; len(b) >= elf.Sym64Size; b = b[elf.Sym64Size:] {
				if !yield(tableEntry{order.Uint32(b), b[4], elf.SectionIndex(order.Uint16(b[6:])), order.Uint64(b[8:]), order.Uint64(b[16:])}) {
					return
				}
			}
			return
		}
		for ; len(b) >= elf.Sym32Size; b = b[elf.Sym32Size:] {
			if !yield(tableEntry{order.Uint32(b), b[12], elf.SectionIndex(order.Uint16(b[14:])), uint64(order.Uint32(b[4:])), uint64(order.Uint32(b[8:]))}) {
				return
			}
		}
	}
}

// order sorts symbols and ends those of no size.
func (t *Symbols) order(y []Symbol) {
	slices.SortFunc(y, func(a, b Symbol) int {
		if a.Low != b.Low {
			return cmp.Compare(a.Low, b.Low)
		}
		return CompareNames(symbolName(t.names, a.name), a.bind, symbolName(t.names, b.name), b.bind)
	})
	next := ^uint64(0)
	for i := len(y) - 1; i >= 0; i-- {
		if i+1 < len(y) && y[i+1].Low > y[i].Low {
			next = y[i+1].Low
		}
		if y[i].unsized {
			y[i].High = min(y[i].High, next)
		}
	}
	last := uint64(0)
	for i := range y {
		last = max(last, y[i].High)
		y[i].last = last
	}
}

// Find returns the symbol of the function, else of the label, that an address is in; nil if there
// is none.
func (t *Symbols) Find(vaddr uint64) *Symbol {
	if y := t.FindFunction(vaddr); y != nil {
		return y
	}
	return among(t.labels, vaddr)
}

// FindFunction is Find of functions alone.
func (t *Symbols) FindFunction(vaddr uint64) *Symbol { return among(t.Functions, vaddr) }

// among returns the symbol of y that covers vaddr and begins last; of several at one address the
// first.
func among(y []Symbol, vaddr uint64) (best *Symbol) {
	i := sort.Search(len(y), func(i int) bool { return y[i].Low > vaddr }) - 1
	for ; i >= 0 && y[i].last > vaddr; i-- {
		if best != nil && y[i].Low != best.Low {
			break
		}
		if vaddr < y[i].High {
			best = &y[i]
		}
	}
	return best
}

// Name is the name of a symbol without its version.
func (t *Symbols) Name(y *Symbol) string { return string(symbolName(t.names, y.name)) }

// symbolName is the symbol name at off in a string table, without its version: a full table has
// memcpy@@GLIBC_2.14.
func symbolName(table []byte, off uint32) []byte {
	if uint64(off) >= uint64(len(table)) {
		return nil
	}
	b := table[off:]
	if n := bytes.IndexByte(b, 0); n >= 0 {
		b = b[:n]
	}
	if n := bytes.IndexByte(b, '@'); n > 0 {
		b = b[:n]
	}
	return b
}

// CompareNames is negative if, of two names of one function, a is rather the one that its users
// call it by: that with fewer underscores before it, then that which more objects see, then that
// which comes first by its letters.
func CompareNames(a []byte, aBind elf.SymBind, b []byte, bBind elf.SymBind) int {
	underscores := func(s []byte) (n int) {
		for n < len(s) && s[n] == '_' {
			n++
		}
		return n
	}
	if n := cmp.Or(underscores(a)-underscores(b), reach(aBind)-reach(bBind)); n != 0 {
		return n
	}
	return bytes.Compare(a, b)
}

// reach is the less, the more objects see a symbol.
func reach(b elf.SymBind) int {
	switch b {
	case elf.STB_GLOBAL:
		return 0
	case elf.STB_WEAK:
		return 1
	}
	return 2
}
