package data

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const kernelSymbolsFile = "kernel.syms"

// KernelSymbol is a function of the kernel, or of one of its modules.
type KernelSymbol struct {
	Addr uint64 // run-time address
	Name string
}

// ReadKernelSymbols reads the file kernel.syms of a run directory: lines in the
// format of nm, "ffffffff81000000 t name", by ascending address. It is an
// fs.ErrNotExist error if there is none.
func ReadKernelSymbols(dir string) ([]KernelSymbol, error) {
	path := filepath.Join(dir, kernelSymbolsFile)
	src, err := readRegular(path)
	if err != nil {
		return nil, err
	}
	var all []KernelSymbol
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s: line %d is not ADDRESS TYPE NAME", path, n)
		}
		addr, err := strconv.ParseUint(fields[0], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %q is not an address", path, n, fields[0])
		}
		all = append(all, KernelSymbol{addr, fields[2]})
	}
	slices.SortStableFunc(all, func(a, b KernelSymbol) int { return cmp.Compare(a.Addr, b.Addr) })
	return all, nil
}
