package data

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"sort"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
)

// pointees name what pointers lead to: functions and variables of the objects, as long as their files are
// those that ran. It is a value.Namer.
type pointees struct {
	objects []Object
	known   []pointee // by their start; of files that were read
	read    bool

	functions map[ObjectID]*object.Symbols // of calledAt
}

// A pointee is a symbol of the process.
type pointee struct {
	low, high uint64
	last      uint64 // the highest high so far
	name      string
	bind      elf.SymBind
	code      bool
}

func (p *pointees) Data(addr uint64) string     { return p.at(addr, false) }
func (p *pointees) Function(addr uint64) string { return p.at(addr, true) }

// at is the symbol that covers an address, "symbol+offset".
func (p *pointees) at(addr uint64, code bool) string {
	if addr == 0 {
		return ""
	}
	if !p.read {
		p.read = true
		p.readSymbols()
	}
	i := sort.Search(len(p.known), func(i int) bool { return p.known[i].low > addr }) - 1
	for ; i >= 0 && p.known[i].last > addr; i-- {
		s := &p.known[i]
		switch {
		case addr >= s.high || code && !s.code:
		case addr == s.low:
			return funcname.Demangle(s.name)
		default:
			return fmt.Sprintf("%s+%d", funcname.Demangle(s.name), addr-s.low)
		}
	}
	return ""
}

// readSymbols reads the symbols of all objects.
func (p *pointees) readSymbols() {
	type place struct {
		path string
		bias uint64
	}
	seen := map[place]bool{}
	for _, o := range p.objects {
		at := place{o.Path, o.Bias}
		if o.Kind != 0 || o.BuildID == "" || seen[at] {
			continue
		}
		seen[at] = true
		f, err := object.Open(o.Path)
		if err != nil {
			continue
		}
		if f.IsBuild(o.BuildID) {
			p.add(f, o.Bias)
		}
		f.Close()
	}
	// Of several at one address the one with the best name is found first.
	slices.SortStableFunc(p.known, func(a, b pointee) int {
		return cmp.Or(cmp.Compare(a.low, b.low), object.CompareNames([]byte(b.name), b.bind, []byte(a.name), a.bind))
	})
	last := uint64(0)
	for i := range p.known {
		last = max(last, p.known[i].high)
		p.known[i].last = last
	}
}

// add adds the symbols of a file.
func (p *pointees) add(f *object.File, bias uint64) {
	symbols, err := f.Symbols()
	if err != nil {
		symbols, _ = f.DynamicSymbols()
	}
	for _, s := range symbols {
		kind := elf.ST_TYPE(s.Info)
		code := kind == elf.STT_FUNC
		if s.Section == elf.SHN_UNDEF || s.Size == 0 || !code && kind != elf.STT_OBJECT {
			continue
		}
		p.known = append(p.known, pointee{low: s.Value + bias, high: s.Value + s.Size + bias, name: s.Name, bind: elf.ST_BIND(s.Info), code: code})
	}
}
