package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/unwind"
)

// judge says what is wrong with a pattern for which there is no function: it is an error, unless an object
// that is loaded later may have one, or a process that is followed.
func (ps *probes) judge(want *probe, unbegun bool) {
	if want.found || ps.p.tree.ending {
		return
	}
	why, later := ps.lacks(want)
	if p := ps.p; later || p.tree.habit(p.runs.rule).spawns {
		p.tree.sayOnce("%s", why)
	} else {
		p.refuse(errors.New(why), unbegun)
	}
}

// lacks says what there is not of what a pattern asks for, and whether it may come later.
func (ps *probes) lacks(want *probe) (why string, later bool) {
	program, libraries, loads := ps.loaded()
	loads = loads && ps.linker != 0
	if want.object != "" && !slices.ContainsFunc(append(libraries, ps.p.exe), func(path string) bool { return isObject(path, want.object) }) {
		switch {
		case loads:
			return fmt.Sprintf("%s has not loaded %s, whose functions are probed as soon as it has", program, want.object), true
		case len(libraries) == 0:
			return fmt.Sprintf("%s has loaded no object %s: it is linked statically", program, want.object), false
		}
		return fmt.Sprintf("%s has loaded no object %s, but %s", program, want.object, strings.Join(libraries, ", ")), false
	}
	later = loads && want.object == ""
	where := want.object
	switch {
	case where != "":
	case len(libraries) == 0:
		where = program
	default:
		where = fmt.Sprintf("%s and the %d libraries that it has loaded", program, len(libraries))
	}
	if later {
		where += ", unless it loads one later"
	}
	if want.kind == atLine {
		return ps.noLine(want, where), later
	}
	return fmt.Sprintf("no function matches %q in %s%s", want.names.pattern, where, ps.instead(want)), later
}

// loaded are the names of the program and of its libraries, and whether any of them may load more.
func (ps *probes) loaded() (program string, libraries []string, loads bool) {
	p := ps.p
	for _, o := range ps.unwinder.Objects() {
		if o.Kind != unwind.File || !ps.unwinder.Mapped(o) {
			continue
		}
		if o.Path != p.exe {
			libraries = append(libraries, filepath.Base(o.Path))
		}
		if c, err := readCode(p.mappedAs(o)); err == nil {
			loads = loads || c.loads
		}
	}
	return filepath.Base(p.exe), libraries, loads
}

// instead is what may be meant by a name that no function has.
func (ps *probes) instead(want *probe) string {
	all := &code{}
	for _, f := range ps.unwinder.Functions(func(string) bool { return true }) {
		if isObject(f.Object.Path, want.object) {
			all.functions = append(all.functions, f.Name)
		}
	}
	if near := nearest(want.names.pattern, []*code{all}); near != "" || !plainName(want.names.pattern) {
		return near
	}
	for _, o := range ps.unwinder.Objects() {
		if o.Kind != unwind.File || !isObject(o.Path, want.object) || !ps.unwinder.Mapped(o) {
			continue
		}
		if file := ps.fileOf(o); file != nil && file.debug != nil && mentions(file.debug, want.names.pattern) {
			return ": if it is one, all its calls are inlined"
		}
	}
	return ""
}

// isObject reports whether a file is the object of a name: a path, or a name that may lack the end
// of its version; "" is any.
func isObject(path, name string) bool {
	return name == "" || path == name || isLibrary(filepath.Base(path), name)
}
