package path

import (
	"debug/elf"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/translators"
)

// vdsoPath is the object of the code that the kernel maps into all processes.
const vdsoPath = proc.VDSO

// nameVDSO fills in the chains of places in the vDSO by the symbols of the one that the
// kernel gave this process, if it is of the same build: it is in no file that a
// translator could read.
func (s *symbols) nameVDSO(o objectKey, places []int) bool {
	f, err := object.VDSO()
	if err != nil || o.buildID == "" || !f.IsBuild(o.buildID) {
		return false
	}
	functions, err := f.DynamicSymbols()
	if err != nil {
		return false
	}
	for _, p := range places {
		vaddr := s.places[p].vaddr
		i := slices.IndexFunc(functions, func(f elf.Symbol) bool {
			// Each has a second, weak name.
			return strings.HasPrefix(f.Name, "__vdso_") && vaddr-f.Value < f.Size
		})
		answer := translators.Location{}
		if i >= 0 {
			answer.Func = functions[i].Name
		}
		s.answer(p, o.path, vaddr, []translators.Location{answer})
	}
	return true
}
