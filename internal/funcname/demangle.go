package funcname

import (
	"strings"
	"sync"

	"github.com/ianlancetaylor/demangle"
)

// longestName bounds demangled names to 2^longestName bytes: some symbols of a
// few hundred bytes stand for megabytes.
const longestName = 14

// Demangle returns the readable name of a C++, Rust or Fortran module's symbol,
// without parameters, result type and clone suffixes, and any other symbol as it
// is. (Ada's can't be told from C's by themselves: see DemangleAda.)
func Demangle(symbol string) string {
	if name, ok := fortran(symbol); ok {
		return name
	}
	return demangle.Filter(ForDemangler(symbol), demangle.NoParams, demangle.MaxLength(longestName))
}

// fortran reads __MODULE_MOD_PROCEDURE, and of a submodule
// __MODULE.SUBMODULE_MOD_PROCEDURE, as gfortran writes them.
func fortran(symbol string) (string, bool) {
	rest, ok := strings.CutPrefix(symbol, "__")
	if !ok {
		return "", false
	}
	module, procedure, ok := strings.Cut(rest, "_MOD_")
	if !ok || module == "" || procedure == "" {
		return "", false
	}
	// Clones (.constprop.0) are the procedure itself.
	procedure, _, _ = strings.Cut(procedure, ".")
	return module + "::" + procedure, true
}

// A Demangler is Demangle, or another reading of symbols, with a memory: one name
// is wanted for many addresses, and reading it is dear. Any number of goroutines
// may use it. Its zero value is ready.
type Demangler struct {
	Read func(symbol string) string // Demangle if nil

	mu    sync.RWMutex
	known map[string]string
}

// Name returns the readable form of symbol.
func (d *Demangler) Name(symbol string) string {
	d.mu.RLock()
	name, ok := d.known[symbol]
	d.mu.RUnlock()
	if ok {
		return name
	}
	read := d.Read
	if read == nil {
		read = Demangle
	}
	name = read(symbol) // twice, where two want it at once
	d.mu.Lock()
	if d.known == nil {
		d.known = map[string]string{}
	}
	d.known[symbol] = name
	d.mu.Unlock()
	return name
}

// Plain returns a readable name without arguments of templates and parameters. Names of operators are
// not changed.
func Plain(name string) string {
	if strings.Contains(name, "operator") {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
