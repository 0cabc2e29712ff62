package path

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"sort"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/pct/data"
)

// kernelObject is the object of the kernel proper; those of its modules are called
// [kernel:NAME].
const kernelObject = "[kernel]"

func isKernel(o data.Object) bool { return o.Kind == data.ObjectKernel }

// kernelImage is a kernel with its debug data, for the lines of its addresses.
type kernelImage struct {
	file    string
	symbols map[string][]uint64 // a name may stand for several functions
}

// UseKernel takes lines of the kernel from a file, a vmlinux with symbols and debug
// data. Addresses are matched by the names of functions, as the kernel is at another
// place after each boot.
func (rs *Runs) UseKernel(file string) error {
	f, err := object.Open(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	image := &kernelImage{file, map[string][]uint64{}}
	for _, s := range all {
		if s.Section != elf.SHN_UNDEF && s.Name != "" {
			image.symbols[s.Name] = append(image.symbols[s.Name], s.Value)
		}
	}
	rs.kernel = image
	return nil
}

// kernelName returns the symbol that an address of the kernel belongs to.
func kernelName(symbols []data.KernelSymbol, vaddr uint64) (data.KernelSymbol, bool) {
	i := sort.Search(len(symbols), func(i int) bool { return symbols[i].Addr > vaddr })
	if i == 0 {
		return data.KernelSymbol{}, false
	}
	return symbols[i-1], true
}

// slide is how far the running kernel is from where the image says, told by the
// first function of which there is but one.
func (k *kernelImage) slide(symbols []data.KernelSymbol) (slide uint64, known bool) {
	for _, s := range symbols {
		if at := k.symbols[s.Name]; len(at) == 1 {
			return s.Addr - at[0], true
		}
	}
	return 0, false
}

// address returns where in the image an address of the kernel is, as an offset to its
// function.
func (k *kernelImage) address(symbols []data.KernelSymbol, vaddr uint64) (uint64, bool) {
	s, ok := kernelName(symbols, vaddr)
	at := k.symbols[s.Name]
	if !ok || len(at) == 0 {
		return 0, false
	}
	slide, known := k.slide(symbols)
	if i := slices.Index(at, s.Addr-slide); known && i >= 0 {
		return at[i] + vaddr - s.Addr, true
	}
	return at[0] + vaddr - s.Addr, len(at) == 1
}

// translateKernel fills in the chains of places in the kernel, or in a module.
func (s *symbols) translateKernel(t Translator, image *kernelImage, object objectKey, places []int) error {
	var vaddrs []uint64
	var of []int
	for _, p := range places {
		at := &s.chains[p][0]
		if symbol, ok := kernelName(object.kernel.symbols, at.addr); ok {
			at.function = symbol.Name
		}
		if image == nil || object.path != kernelObject {
			continue
		}
		if vaddr, ok := image.address(object.kernel.symbols, at.addr); ok {
			vaddrs = append(vaddrs, vaddr)
			of = append(of, p)
		}
	}
	if len(vaddrs) == 0 {
		return nil
	}
	answers, err := t.TranslateBuild(image.file, "", vaddrs)
	if err != nil {
		return err
	}
	for i, p := range of {
		outer := s.chains[p][0]
		s.answer(p, object.path, outer.addr, answers[i])
		last := &s.chains[p][len(s.chains[p])-1]
		last.function = cmp.Or(last.function, outer.function)
	}
	return nil
}
