package debuginfo

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A Place is an address in a function.
type Place struct{ Addr, Function uint64 }

// LinePlaces are where code of a line begins, the lowest address in each function, behind its prologue. The file is meant by its path or the end of that. If the line has no code, next is the first one behind it that has, 0 if
// none has.
func (d *Data) LinePlaces(file string, line int) (places []Place, next int) {
	lowest := make(map[Entry]Place)
	for _, u := range d.units {
		if !u.compile {
			continue
		}
		t := d.lineTable(u)
		meant := make([]bool, len(t.files))
		for i, f := range t.files {
			meant[i] = f == file || strings.HasSuffix(f, "/"+file)
		}
		for _, s := range t.sequences {
			rows := t.rows[s.from : s.to-1] // the last one has no code
			for _, r := range rows {
				switch {
				case int(r.file) >= len(meant) || !meant[r.file] || int(r.line) < line:
				case int(r.line) > line:
					if next == 0 || int(r.line) < next {
						next = int(r.line)
					}
				default:
					d.place(lowest, r.addr)
				}
			}
		}
	}
	if len(lowest) > 0 {
		next = 0
	}
	byAddr := func(a, b Place) int { return cmp.Compare(a.Addr, b.Addr) }
	return slices.SortedFunc(maps.Values(lowest), byAddr), next
}

// place keeps an address if it is the lowest in its function.
func (d *Data) place(lowest map[Entry]Place, addr uint64) {
	blocks := d.ScopeAt(addr).Blocks
	if len(blocks) == 0 {
		return
	}
	begins, ok := blocks[0].Begins()
	if ok && begins == addr {
		addr = d.Body(addr)
	}
	if before, known := lowest[blocks[0]]; ok && (!known || addr < before.Addr) {
		lowest[blocks[0]] = Place{addr, begins}
	}
}
