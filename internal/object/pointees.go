package object

import (
	"cmp"
	"debug/elf"
	"slices"
	"sort"
)

// Pointees are the symbols of functions and variables that have a size: they name what pointers lead to.
type Pointees struct{ all []pointee } // by address; of several at one address that with the best name comes last

type pointee struct {
	low, high uint64
	name      string
	bind      elf.SymBind
}

// A Pointee is the symbol that covers an address.
type Pointee struct {
	Name   string // without its version
	Offset uint64 // of the address in it
	Only   bool   // no other symbol covers the address
}

// ReadPointees reads all symbol tables of the files of one object. Files that are nil are left out.
func ReadPointees(files ...*File) *Pointees {
	t := &Pointees{}
	for i, f := range files {
		if f == nil || slices.Contains(files[:i], f) {
			continue
		}
		for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
			t.read(f, kind)
		}
	}
	slices.SortFunc(t.all, func(a, b pointee) int {
		return cmp.Or(cmp.Compare(a.low, b.low), CompareNames([]byte(b.name), b.bind, []byte(a.name), a.bind), cmp.Compare(a.high, b.high))
	})
	t.all = slices.CompactFunc(t.all, func(a, b pointee) bool { return a.low == b.low && a.name == b.name })
	return t
}

func (t *Pointees) read(f *File, kind elf.SectionType) {
	s := f.SectionByType(kind)
	b := f.Contents(s)
	if b == nil || s.Link >= uint32(len(f.Sections)) {
		return
	}
	names := f.Contents(f.Sections[s.Link])
	for e := range f.entries(b) {
		named := isFunction(e.info) || elf.ST_TYPE(e.info) == elf.STT_OBJECT
		if !named || e.section == elf.SHN_UNDEF || e.section >= elf.SHN_LORESERVE || e.size == 0 || e.size > -e.value {
			continue
		}
		if name := symbolName(names, e.name); len(name) > 0 {
			t.all = append(t.all, pointee{low: e.value, high: e.value + e.size, name: string(name), bind: elf.ST_BIND(e.info)})
		}
	}
}

// mostLookedAt bounds how far back the symbol is looked for that covers an address: others may lie in it.
const mostLookedAt = 64

// Find returns the symbol that covers an address and begins last; ok is false if there is none.
func (t *Pointees) Find(vaddr uint64) (found Pointee, ok bool) {
	i := sort.Search(len(t.all), func(i int) bool { return t.all[i].low > vaddr }) - 1
	for n := 0; i >= 0 && n < mostLookedAt; i, n = i-1, n+1 {
		switch s := &t.all[i]; {
		case vaddr >= s.high:
		case ok:
			found.Only = false
			return found, true
		default:
			found, ok = Pointee{Name: s.name, Offset: vaddr - s.low, Only: true}, true
		}
	}
	return found, ok
}
