package debuginfo

import (
	"debug/dwarf"
	"iter"
)

// Unit is the root entry of the unit that e is in, none of none.
func (e Entry) Unit() Entry {
	if e.d == nil {
		return Entry{}
	}
	return Entry{e.d, e.u, e.u.first}
}

// Children are the entries directly within e.
func (e Entry) Children() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if e.d == nil {
			return
		}
		table := e.d.table(e.u)
		c := at(e.d.s.Info[:e.u.end], e.off)
		a, ok := table.get(c.uleb())
		if !ok || !a.children {
			return
		}
		e.u.skip(&c, a)
		for depth := 0; c.off < len(c.data); {
			off := uint64(c.off)
			code := c.uleb()
			if code == 0 {
				if depth == 0 {
					return
				}
				depth--
				continue
			}
			a, ok := table.get(code)
			if !ok || c.bad {
				return
			}
			if depth == 0 && !yield(Entry{e.d, e.u, off}) {
				return
			}
			if !a.children {
				e.u.skip(&c, a)
				continue
			}
			if next := e.u.sibling(&c, a); next > uint64(c.off) && next < e.u.end {
				c.off = int(next)
				continue
			}
			if depth++; depth == maxDepth {
				return
			}
		}
	}
}

// Units are the root entries of all units that may hold code, where a unit was split off from the file
// that has its entries.
func (d *Data) Units() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, u := range d.units {
			if !u.compile {
				continue
			}
			fd, fu := d.full(u)
			if !yield(Entry{fd, fu, fu.first}) {
				return
			}
		}
	}
}

// UnitAt is the root entry of the unit that has the code at an address, none if there is none.
func (d *Data) UnitAt(addr uint64) Entry {
	id := lookup(d.code, addr)
	if id < 0 {
		return Entry{}
	}
	fd, fu := d.full(d.units[id])
	return Entry{fd, fu, fu.first}
}

// Completed is the entry that completes a declaration, elsewhere in its unit outside of functions and
// types; none if there is none.
func (e Entry) Completed() Entry { return completes(e.Unit(), e, 0) }

func completes(in, e Entry, depth int) Entry {
	for c := range in.Children() {
		if v := c.own(dwarf.AttrSpecification); v.ok() && c.follow(v) == e {
			return c
		}
		if c.Tag() == dwarf.TagNamespace && depth < maxHops {
			if d := completes(c, e, depth+1); d.OK() {
				return d
			}
		}
	}
	return Entry{}
}

// Outer is the entry of the function that a function stands in, none if it stands in none.
func (e Entry) Outer() Entry {
	if e.d == nil {
		return Entry{}
	}
	t := e.d.walk(e.u)
	i, _ := t.container(e.off)
	for ; i >= 0; i = int(t.containers[i].parent) {
		if t.containers[i].tag == dwarf.TagSubprogram {
			return Entry{e.d, e.u, t.containers[i].off}
		}
	}
	return Entry{}
}
