package session

import (
	"debug/elf"
	"slices"
	"sort"
	"strings"

	"github.com/ianlancetaylor/demangle"
	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/unwind"
)

// symbolNames are the symbols of an object that have a size, by address.
type symbolNames struct {
	all  []symbolName
	read bool // whole
}

type symbolName struct {
	low, high uint64

	name string
}

// readNames reads the symbols of the object.
func (o *debugObject) readNames() {
	t := &o.names
	add := func(list []elf.Symbol) {
		for _, s := range list {
			kind := elf.ST_TYPE(s.Info)
			named := kind == elf.STT_OBJECT || kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC
			if named && s.Section != elf.SHN_UNDEF && s.Section < elf.SHN_LORESERVE && s.Size > 0 {
				t.all = append(t.all, symbolName{s.Value, s.Value + s.Size, s.Name})
			}
		}
	}
	o.tables.Lock()
	defer o.tables.Unlock()
	list, _ := o.file.DynamicSymbols()
	add(list)
	list, _ = o.file.Symbols()
	add(list)
	if o.debug != nil && o.debug != o.file {
		list, _ = o.debug.Symbols()
		add(list)
	}
	for i := range t.all {
		// A full table has stdout@GLIBC_2.2.5, the dynamic one keeps the version apart.
		t.all[i].name, _, _ = strings.Cut(t.all[i].name, "@")
	}
	slices.SortFunc(t.all, func(a, b symbolName) int {
		if a.low != b.low {
			if a.low < b.low {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	t.all = slices.CompactFunc(t.all, func(a, b symbolName) bool { return a.low == b.low && a.name == b.name })
	t.read = true
}

// find returns the symbol that covers an address, and whether it is the only one.
func (t *symbolNames) find(vaddr uint64) (s *symbolName, only bool) {
	i := sort.Search(len(t.all), func(i int) bool { return t.all[i].low > vaddr }) - 1
	for n := 0; i >= 0 && n < mostLookedAt; i, n = i-1, n+1 {
		if vaddr >= t.all[i].high {
			continue
		}
		if s != nil {
			return s, false
		}
		s = &t.all[i]
	}
	return s, true
}

// mostLookedAt bounds how far back the symbol is looked for that covers an address: others may lie in it.
const mostLookedAt = 64

// naming names addresses of a process as gdb does. Where gdb would choose among names, or make one by
// debug data, it is unsure.
type naming struct {
	p        *process
	language value.Language // of the value
	unsure   bool
}

// Data is the name of what covers an address, and how far in it the address lies.
func (n *naming) Data(addr uint64) string {
	name, from := n.name(addr)
	if name == "" || from == 0 {
		return name
	}
	return name + "+" + itoa(int(from))
}

// Function is the name of the function at an address.
func (n *naming) Function(addr uint64) string { return n.Data(addr) }

func (n *naming) name(addr uint64) (name string, from uint64) {
	objects := n.p.unwinder.Objects()
	at := slices.IndexFunc(objects, func(o *unwind.Object) bool { return o.Kind != unwind.Anon && addr >= o.Start && addr < o.End })
	if at < 0 {
		return "", 0
	}
	object := objects[at]
	d := n.p.fileOf(object)
	if d == nil {
		n.unsure = true
		return "", 0
	}
	d.namesOnce.Do(d.readNames)
	if !d.names.read {
		n.unsure = true // the symbols are damaged
		return "", 0
	}
	vaddr := addr - object.Bias
	s, only := d.names.find(vaddr)
	if s == nil {
		n.unsure = n.unsure || d.file.Executable(vaddr)
		return "", 0
	}
	shown, odd := s.name, ".<["
	switch {
	case strings.HasPrefix(shown, "_Z"):
		shown = demangle.Filter(funcname.ForDemangler(shown))
	case strings.HasPrefix(shown, "_R"):
		n.unsure = true // which demanglers read in several ways
	case n.language == value.Ada:
		shown, odd = funcname.DemangleAda(shown), "<["
	}
	if !only || strings.ContainsAny(shown, odd) || strings.Contains(shown, "(anonymous") {
		n.unsure = true
	}
	return shown, vaddr - s.low
}
