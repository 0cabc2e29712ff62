package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/unwind"
)

// callSites are where the functions begin that a clock counts.
func (p *process) callSites(what counted) ([]*callSite, error) {
	u, err := unwind.New(p.pid, p.tree.cache)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	if what.resource == resource.Alloc {
		return p.allocSites(u)
	}
	found := named(u, what.function)
	program, _ := proc.Exe(p.pid)
	var chosen []unwind.Function
	elsewhere := ""
	if what.library == "" {
		elsewhere = "; for one of a library give both names, such as calls:libc.so.6:malloc"
	}
	for _, f := range found {
		base := filepath.Base(f.Object.Path)
		switch {
		case f.Object.Kind != unwind.File:
		case isLibrary(base, what.library), what.library == f.Object.Path, what.library == "" && f.Object.Path == program:
			chosen = append(chosen, f)
		default:
			elsewhere = fmt.Sprintf("; that of the library is calls:%s:%s", base, what.function)
		}
	}
	where := filepath.Base(program)
	if what.library != "" {
		where = what.library
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%s has no function %s: it may be inlined, or the file is stripped%s", where, what.function, elsewhere)
	}
	var sites []*callSite
	seen := make(map[uint64]bool)
	for _, f := range chosen {
		if f.Indirect {
			return nil, fmt.Errorf("%s of %s is an indirect function (IFUNC): name one of its implementations", what.function, where)
		}
		if addr := f.Addr + f.Object.Bias; !seen[addr] {
			seen[addr] = true
			sites = append(sites, &callSite{addr: addr})
		}
	}
	return sites, nil
}

// isLibrary reports whether a file is the library of a name, which may lack the end of its
// version: links lead from there.
func isLibrary(base, name string) bool {
	return name != "" && (base == name || strings.HasPrefix(base, name+"."))
}

// portion is what compilers append to the name of a function for a part of it, which is no call.
var portion = regexp.MustCompile(`\.(cold|part)(\.\d+)?$`)

// named are the functions of a name, in the source language without parameters, or of a
// symbol. Without a namespace or class it stands for all, unless there is one without.
func named(u *unwind.Unwinder, function string) []unwind.Function {
	exact := u.Functions(func(name string) bool {
		whole := funcname.OfSymbol(name)
		if whole == function {
			return true
		}
		if !strings.HasPrefix(whole, "_") || portion.MatchString(whole) {
			return false // Go's names, too
		}
		name = readable(whole)
		return name == function || funcname.Plain(name) == function
	})
	if len(exact) > 0 {
		return exact
	}
	return u.Functions(func(symbol string) bool {
		return strings.HasPrefix(symbol, "_") && !portion.MatchString(symbol) && strings.HasSuffix(funcname.Plain(readable(symbol)), "::"+function)
	})
}

// allocSites are the functions that allocate memory: those of the program if it has its
// own, else of the library that stands before the C library, else of that.
func (p *process) allocSites(u *unwind.Unwinder) ([]*callSite, error) {
	program, _ := proc.Exe(p.pid)
	functions := u.Functions(func(symbol string) bool { return allocators[symbol] != nil })
	var owner *unwind.Object
	rank := func(o *unwind.Object) int {
		switch {
		case o == nil || o.Kind != unwind.File || isLinker(o.Path):
			return 0
		case cLibrary(o.Path):
			return 1
		case o.Path != program:
			return 2
		}
		return 3
	}
	for _, f := range functions {
		if f.Name == "malloc" && rank(f.Object) > rank(owner) {
			owner = f.Object
		}
	}
	if owner == nil {
		return nil, errors.New("no symbol of malloc: the program may be linked statically and stripped")
	}
	var sites []*callSite
	seen := make(map[uint64]bool)
	for _, f := range functions {
		addr := f.Addr + f.Object.Bias
		asks := allocators[f.Name]
		// Memory is mapped by the C library, whosoever malloc it is.
		mine := f.Object == owner || asks == mapping && rank(f.Object) == 1
		if !mine || f.Indirect || seen[addr] {
			continue
		}
		seen[addr] = true
		sites = append(sites, &callSite{addr: addr, asks: asks, object: objectRange{owner.Start, owner.End}})
	}
	return sites, nil
}

// isLinker knows the dynamic linker, which has a malloc for itself.
func isLinker(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-2")
}
