package expression

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// mostCompiled bounds how often Ranges compiles an expression.
const mostCompiled = 1 << 15

// Ranges compiles an expression for all code of the functions that are meant, in
// the innermost of them where they are inlined into each other. The codes are in the order of their
// addresses and do not overlap. Where one of them cannot be had natively, that is the error. No code
// and no error means that there is no such function.
func (o *Object) Ranges(source string, functions Meant) ([]*Code, error) {
	known := map[debuginfo.Entry]bool{}
	accepted := func(e debuginfo.Entry) bool {
		f := e
		for range mostNested {
			origin := f.Origin()
			if !origin.OK() {
				break
			}
			f = origin
		}
		if !functions.perhaps(f) {
			return false
		}
		yes, ok := known[f]
		if !ok {
			yes = functions.entry(f)
			known[f] = yes
		}
		return yes
	}
	var codes []*Code
	compiled := 0
	for _, r := range o.code(accepted) {
		for pc := r.low; pc < r.high; {
			if compiled++; compiled > mostCompiled {
				return nil, errors.New("the functions have too much code")
			}
			at := slices.IndexFunc(o.Activations(pc), accepted)
			if at < 0 {
				return nil, fmt.Errorf("the debug data disagree on the function at %#x", pc)
			}
			c, err := o.Compile(source, pc, at)
			if err != nil {
				return nil, err
			}
			c.Low, c.High = pc, min(c.High, r.high)
			codes = append(codes, c)
			pc = c.High
		}
	}
	return codes, nil
}

// stretch is a stretch of code.
type stretch struct{ low, high uint64 }

// code is the code of functions, in the order of its addresses, without overlaps.
func (o *Object) code(accepted func(debuginfo.Entry) bool) []stretch {
	var all []stretch
	for e := range o.data.Functions() {
		if accepted(e) {
			e.Ranges(func(low, high uint64) {
				if low < high {
					all = append(all, stretch{low, high})
				}
			})
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.low, b.low) })
	merged := all[:0]
	for _, s := range all {
		if n := len(merged); n > 0 && s.low <= merged[n-1].high {
			merged[n-1].high = max(merged[n-1].high, s.high)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// functionNames are those by which a function may be meant: its symbol, and its name in the source, also
// without template arguments.
func functionNames(f debuginfo.Entry) []string {
	var names []string
	if linkage := f.Linkage(); linkage != "" {
		names = append(names, linkage, funcname.Demangle(linkage))
	}
	if path := f.Path(); path != nil {
		names = append(names, strings.Join(path, "::"))
	} else if len(names) == 0 {
		names = append(names, f.Name())
	}
	if f.Language() == debuginfo.Ada {
		name := funcname.DemangleAda(f.Name())
		names = append(names, name, name[strings.LastIndexByte(name, '.')+1:])
	}
	return plainToo(names)
}

// plainToo adds the names without arguments of templates.
func plainToo(names []string) []string {
	for _, name := range names {
		if plain := funcname.Plain(name); plain != name {
			names = append(names, plain)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.Sort(names)
	return slices.Compact(names)
}
