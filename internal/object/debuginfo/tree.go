package debuginfo

import (
	"debug/dwarf"
	"sync/atomic"
)

// A tree is what is kept of a unit's entries: the functions that have code, with
// those inlined into them, and the entries that give others a qualified name.
type tree struct {
	scopes     []scope
	names      []atomic.Pointer[string] // of the scopes, nil where not asked for yet
	code       []segment                // by index of scope
	containers []container
}

// A scope is a function with code, or one inlined into its parent.
type scope struct {
	off      uint64 // of its entry
	origin   uint64 // of the entry of its function, if that is another one in the unit; else 0
	parent   int32  // index of the scope it was inlined into, -1 for none
	callFile uint64
	callLine uint64
	again    bool // it is a part of its parent's activation: see putBack
}

// A container is an entry that has functions within.
type container struct {
	off, end uint64
	parent   int32 // index, -1 for the unit
	tag      dwarf.Tag
}

// maxDepth bounds how deep entries may nest.
const maxDepth = 4096

// walk reads the whole tree of u, once.
func (d *Data) walk(u *unit) *tree {
	u.readTree.Do(func() {
		w := walker{d: d, u: u, t: &tree{}}
		u.tree = w.t
		w.walk()
		w.t.code = flatten(w.spans)
		w.t.names = make([]atomic.Pointer[string], len(w.t.scopes))
	})
	return u.tree
}

type walker struct {
	d     *Data
	u     *unit
	t     *tree
	spans []span
}

// level is where the walk stands: the innermost scope and container around.
type level struct {
	scope, container int32
	depth            uint64 // of the scope
	opened           int32  // the container that ends with this level, or -1
}

func (w *walker) walk() {
	u := w.u
	table := w.d.table(u)
	c := at(w.d.s.Info[:u.end], u.first)
	here := level{scope: -1, container: -1, opened: -1}
	var outer []level
	for c.off < len(c.data) {
		off := uint64(c.off)
		code := c.uleb()
		if code == 0 {
			if here.opened >= 0 {
				w.t.containers[here.opened].end = uint64(c.off)
			}
			if len(outer) == 0 {
				return
			}
			here = outer[len(outer)-1]
			outer = outer[:len(outer)-1]
			continue
		}
		a, ok := table.get(code)
		if !ok || len(outer) == maxDepth {
			break
		}
		inner := here
		inner.opened = -1
		switch a.tag {
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine:
			w.function(&c, off, a, &inner)
		case dwarf.TagArrayType, dwarf.TagEnumerationType, dwarf.TagSubroutineType, dwarf.TagCallSite, tagGNUCallSite:
			// Nothing below is of use: go on behind it, if that is known.
			if next := u.sibling(&c, a); next > uint64(c.off) && next < u.end && a.children {
				c.off = int(next)
				continue
			}
		default:
			u.skip(&c, a)
		}
		if !a.children {
			continue
		}
		switch a.tag {
		case dwarf.TagNamespace, dwarf.TagClassType, dwarf.TagStructType, dwarf.TagUnionType,
			dwarf.TagInterfaceType, dwarf.TagModule, dwarf.TagSubprogram:
			inner.opened = int32(len(w.t.containers))
			w.t.containers = append(w.t.containers, container{off: off, end: u.end, parent: here.container, tag: a.tag})
			inner.container = inner.opened
		}
		outer = append(outer, here)
		here = inner
	}
}

const tagGNUCallSite dwarf.Tag = 0x4109

// function reads the entry of a function and, where it has code, makes it the
// scope of level l.
func (w *walker) function(c *cursor, off uint64, a *abbrev, l *level) {
	var low, high, ranges, origin, callFile, callLine, callColumn value
	for i := range a.attrs {
		at := &a.attrs[i]
		v := w.u.read(c, at.form, at.implicit)
		switch at.attr {
		case dwarf.AttrLowpc:
			low = v
		case dwarf.AttrHighpc:
			high = v
		case dwarf.AttrRanges:
			ranges = v
		case dwarf.AttrCallFile:
			callFile = v
		case dwarf.AttrCallLine:
			callLine = v
		case dwarf.AttrCallColumn:
			callColumn = v
		case dwarf.AttrAbstractOrigin:
			origin = v
		}
	}
	s := scope{off: off, parent: -1, callFile: callFile.u, callLine: callLine.u}
	if e := (Entry{w.d, w.u, off}).follow(origin); e.u == w.u {
		s.origin = e.off
	}
	depth := uint64(1)
	if a.tag == dwarf.TagInlinedSubroutine {
		s.parent = l.scope
		depth = l.depth + 1
	}
	id := int32(len(w.t.scopes))
	n := len(w.spans)
	w.d.pieces(w.u, low, high, ranges, func(low, high uint64) {
		w.spans = append(w.spans, span{low, high, id, depth})
	})
	if len(w.spans) > n {
		s.again = s.parent >= 0 && w.putBack(&s, &w.t.scopes[s.parent], callColumn.u)
		w.t.scopes = append(w.t.scopes, s)
		l.scope, l.depth = id, depth
	}
}

// putBack reports whether an inlined scope is a part of the function around it, which GCC
// split off to inline the rest elsewhere, and has put back: for the compiler the part is inlined
// into the function of the same name, and called where that is declared. No call of a
// function that calls itself can stand there.
func (w *walker) putBack(s, around *scope, callColumn uint64) bool {
	if s.origin == 0 || s.origin != around.origin && s.origin != around.off {
		return false
	}
	var file, line, column uint64
	Entry{w.d, w.u, s.origin}.each(func(attr dwarf.Attr, v value) {
		switch attr {
		case dwarf.AttrDeclFile:
			file = v.u
		case dwarf.AttrDeclLine:
			line = v.u
		case dwarf.AttrDeclColumn:
			column = v.u
		}
	})
	return line > 0 && column > 0 && file == s.callFile && line == s.callLine && column == callColumn
}
