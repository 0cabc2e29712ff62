package debuginfo

import (
	"debug/dwarf"
	"iter"
	"sync"
)

// Functions are the entries of functions that have code, and of the copies of those that are inlined
// into them: all whose name or symbol is the given word, also with arguments of a template or parameters, and some
// others. With each comes the function that it is in, or is.
func (d *Data) Functions(word string) iter.Seq2[Entry, Entry] {
	return func(yield func(e, function Entry) bool) {
		for _, u := range d.begun.of(word, func() []*unit { return d.unitsWith(word) }) {
			fd, fu := d.full(u)
			t := fd.walk(fu)
			for i, s := range t.scopes {
				if !yield(Entry{fd, fu, s.off}, Entry{fd, fu, t.scopes[t.outermost(i)].off}) {
					return
				}
			}
		}
	}
}

// nameUnits are the units that may have functions of the words that were looked for; any goroutine may.
type nameUnits struct {
	mu    sync.Mutex
	units map[string][]*unit
}

func (x *nameUnits) of(word string, find func() []*unit) []*unit {
	x.mu.Lock()
	defer x.mu.Unlock()
	units, known := x.units[word]
	if !known {
		units = find()
		if x.units == nil {
			x.units = make(map[string][]*unit)
		}
		x.units[word] = units
	}
	return units
}

// unitsWith are the units that may have functions of a word.
func (d *Data) unitsWith(word string) []*unit {
	w := newWord(word, true)
	var units []*unit
	for _, u := range d.units {
		if !u.compile {
			continue
		}
		if fd, fu := d.full(u); fd.mayHave(fu, w) {
			units = append(units, u)
		}
	}
	return units
}

// mayHave reports whether a unit may have functions of a word.
func (d *Data) mayHave(u *unit, w *word) bool {
	return w.name == "" || u.language == Ada || // whose packages are in names
		w.mentioned(d, u, d.spelled(u, dwarf.AttrAbstractOrigin))
}

// Size is that of the entries of all units, in bytes.
func (d *Data) Size() int { return len(d.s.Info) }
