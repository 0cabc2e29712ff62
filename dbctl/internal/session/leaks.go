package session

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/object"
)

// LeakSanitizer stops the threads of its process by ptrace when that ends. Where we trace
// it, it can't, and the process fails: exit status 1 or 23 instead of the program's.

// leakSymbols are of the runtimes that have it, linked in or imported.
var leakSymbols = []string{"__asan_init", "__lsan_init", "__lsan_do_leak_check"}

// linksLeakCheck reports whether a program is linked with one.
func linksLeakCheck(f *object.File) bool {
	libraries, _ := f.ImportedLibraries()
	if slices.ContainsFunc(libraries, isLeakLibrary) {
		return true
	}
	symbols, _ := f.DynamicSymbols()
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return slices.Contains(leakSymbols, s.Name) })
}

func isLeakLibrary(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "libasan.so") || strings.HasPrefix(name, "liblsan.so") || strings.HasPrefix(name, "libclang_rt.asan")
}

// checksLeaks reports whether a program looks for leaks at its end, in this environment.
func (ps *programs) checksLeaks(exe string, environ []string) bool {
	env := make(map[string]string)
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	preloaded := strings.FieldsFunc(env["LD_PRELOAD"], func(r rune) bool { return r == ':' || r == ' ' })
	if !ps.file(exe).leaks && !slices.ContainsFunc(preloaded, isLeakLibrary) {
		return false
	}
	on := true
	for _, options := range []string{env["ASAN_OPTIONS"], env["LSAN_OPTIONS"]} {
		for _, option := range strings.FieldsFunc(options, func(r rune) bool { return strings.ContainsRune(": ,\t\n", r) }) {
			if value, ok := strings.CutPrefix(option, "detect_leaks="); ok {
				on = !slices.Contains([]string{"0", "false", "no"}, strings.Trim(value, `"'`))
			}
		}
	}
	return on
}

// leakCheckFails says why a program that checks for leaks is not traced, and what can be done.
func leakCheckFails(exe string) string {
	return fmt.Sprintf("%s checks for leaks at its end (LeakSanitizer), which fails under ptrace: "+
		"set ASAN_OPTIONS=detect_leaks=0, or use profile without -gdb and -expr", exe)
}
