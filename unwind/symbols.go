package unwind

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
)

// symbols are the function symbols of one object, sorted by address. Of those
// at one address the best name comes first.
type symbols struct {
	list []symbol
	text string // the string table
}

type symbol struct {
	addr, size uint64
	name       uint32 // in text
	rank       uint8  // the lower the better
}

// maxName bounds a name, whose end is missing perhaps.
const maxName = 1 << 16

func (s *symbols) name(y *symbol) string {
	t := s.text[y.name:min(uint64(y.name)+maxName, uint64(len(s.text)))]
	if i := strings.IndexByte(t, 0); i >= 0 {
		t = t[:i]
	}
	// A static symbol table may name versions: memcpy@@GLIBC_2.14.
	if i := strings.IndexByte(t, '@'); i > 0 {
		t = t[:i]
	}
	return t
}

const symbolSize = 24

// functions returns the symbols of .symtab, else of .dynsym, else what Go has.
func (img *image) functions() *symbols {
	img.symbolsOnce.Do(func() {
		img.symbols = &symbols{}
		for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
			for _, sec := range img.elf.Sections {
				if sec.Type != kind || sec.Size > maxSection || sec.Link >= uint32(len(img.elf.Sections)) {
					continue
				}
				data, err := sec.Data()
				if err != nil {
					continue
				}
				text, err := img.elf.Sections[sec.Link].Data()
				if err != nil {
					continue
				}
				if s := newSymbols(data, string(text)); len(s.list) > 0 {
					img.symbols = s
					return
				}
			}
		}
		if s := img.goFunctions(); s != nil {
			s.sort()
			img.symbols = s
		}
	})
	return img.symbols
}

func newSymbols(data []byte, text string) *symbols {
	s := &symbols{text: text}
	for ; len(data) >= symbolSize; data = data[symbolSize:] {
		var (
			name  = binary.LittleEndian.Uint32(data)
			kind  = elf.ST_TYPE(data[4])
			bind  = elf.ST_BIND(data[4])
			index = elf.SectionIndex(binary.LittleEndian.Uint16(data[6:]))
			y     = symbol{
				addr: binary.LittleEndian.Uint64(data[8:]),
				size: binary.LittleEndian.Uint64(data[16:]),
				name: name,
			}
		)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || index == elf.SHN_UNDEF ||
			uint64(name) >= uint64(len(text)) || text[name] == 0 || y.addr+y.size < y.addr {
			continue
		}
		// Of aliases take the one a programmer writes: with a size, with
		// the fewest underscores before it, global.
		for i := int(name); i < len(text) && text[i] == '_' && y.rank < 8; i++ {
			y.rank += 2
		}
		if bind == elf.STB_LOCAL {
			y.rank++
		}
		if y.size == 0 {
			y.rank += 32
		}
		s.list = append(s.list, y)
	}
	s.sort()
	return s
}

// sort puts the symbols in order.
func (s *symbols) sort() {
	slices.SortFunc(s.list, func(a, b symbol) int {
		if c := cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.rank, b.rank)); c != 0 {
			return c
		}
		return strings.Compare(s.name(&a), s.name(&b))
	})
	// A symbol without a size extends to the next one.
	end := uint64(0)
	for i := len(s.list) - 1; i >= 0; i-- {
		y := &s.list[i]
		if i+1 < len(s.list) && s.list[i+1].addr != y.addr {
			end = s.list[i+1].addr
		}
		if y.size == 0 && end > y.addr {
			y.size = end - y.addr
		}
	}
}

// find returns the symbol that covers a virtual address, nil if there is none.
func (s *symbols) find(vaddr uint64) *symbol {
	i := sort.Search(len(s.list), func(i int) bool { return s.list[i].addr > vaddr })
	// A function may lie within another, so look at a few before.
	for n := 0; i > 0 && n < 16; n++ {
		first := sort.Search(i, func(j int) bool { return s.list[j].addr >= s.list[i-1].addr })
		for j := first; j < i; j++ {
			if y := &s.list[j]; vaddr-y.addr < y.size {
				return y
			}
		}
		i = first
	}
	return nil
}
