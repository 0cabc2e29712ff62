package ring

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/pct/data"
)

// symbol is a function of the kernel.
type symbol struct {
	addr   uint64
	name   string
	kind   byte   // as nm has it
	module string // "" for the kernel itself
}

// kernel are its functions, ascending, read when they are first asked for.
type kernel struct {
	symbols []symbol
	note    string // what is to be said of them, "" nothing
}

const kallsyms = "/proc/kallsyms"

// readKernel reads the functions of the kernel that runs: from kallsyms, or if that
// hides the addresses, from a System.map.
func readKernel(kallsyms, systemMap string) *kernel {
	k := &kernel{symbols: readSymbols(kallsyms)}
	if len(k.symbols) > 0 {
		return k
	}
	if systemMap == "" {
		systemMap = "/boot/System.map-" + release()
	}
	k.symbols = readSymbols(systemMap)
	if len(k.symbols) == 0 {
		k.note = fmt.Sprintf("the kernel's functions are not named: %s hides its addresses, and %s cannot be used; its addresses are shown", kallsyms, systemMap)
	} else {
		k.note = fmt.Sprintf("the kernel's functions were named by %s: right only for this very kernel, started with nokaslr", systemMap)
	}
	return k
}

func release() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

// readSymbols reads the code of a table in nm's format; a fourth column names a
// module. It's empty if the table can't be read or is without addresses.
func readSymbols(file string) []symbol {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var symbols []symbol
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 3 || len(words[1]) != 1 || !strings.ContainsAny(words[1], "tTwW") {
			continue
		}
		addr, err := strconv.ParseUint(words[0], 16, 64)
		if err != nil || addr == 0 {
			continue
		}
		s := symbol{addr: addr, name: words[2], kind: words[1][0]}
		if len(words) > 3 {
			s.module = strings.Trim(words[3], "[]")
		}
		symbols = append(symbols, s)
	}
	slices.SortStableFunc(symbols, func(a, b symbol) int {
		switch {
		case a.addr < b.addr:
			return -1
		case a.addr > b.addr:
			return 1
		}
		return 0
	})
	return symbols
}

// widestFunction is how far from the last function's beginning an address may lie.
const widestFunction = 1 << 20

// find returns the function that an address lies in. Of several names for one
// address it's the last in the table, as with binary search in nm's output.
func (k *kernel) find(addr uint64) (symbol, bool) {
	i, _ := slices.BinarySearchFunc(k.symbols, addr, func(s symbol, a uint64) int {
		if s.addr <= a {
			return -1
		}
		return 1
	})
	if i == 0 || addr-k.symbols[i-1].addr > widestFunction {
		return symbol{}, false
	}
	return k.symbols[i-1], true
}

// object is the path of the object that a function belongs to.
func (s symbol) object() string {
	if s.module != "" {
		return "[kernel:" + s.module + "]"
	}
	return "[kernel]"
}

// hits are the functions of the kernel that the samples of a run lie in. They are
// kept with it, since their addresses hold for this boot alone.
type hits struct {
	symbols map[uint64]symbol
	fresh   bool // some are not in the file yet
}

func (h *hits) add(s symbol) {
	if _, known := h.symbols[s.addr]; known {
		return
	}
	if h.symbols == nil {
		h.symbols = map[uint64]symbol{}
	}
	h.symbols[s.addr], h.fresh = s, true
}

// write puts the file in place of an older one, in one step.
func (h *hits) write(dir *data.Dir) error {
	if !h.fresh {
		return nil
	}
	var b strings.Builder
	for _, s := range sortedSymbols(h.symbols) {
		fmt.Fprintf(&b, "%016x %c %s\n", s.addr, s.kind, s.name)
	}
	if err := dir.WriteKernelSymbols([]byte(b.String())); err != nil {
		return err
	}
	h.fresh = false
	return nil
}

func sortedSymbols(m map[uint64]symbol) []symbol {
	list := make([]symbol, 0, len(m))
	for _, s := range m {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b symbol) int {
		if a.addr < b.addr {
			return -1
		}
		return 1
	})
	return list
}
