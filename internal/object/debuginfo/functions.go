package debuginfo

import (
	"debug/dwarf"
	"iter"
)

// Functions are the entries of functions that have code, and of the copies of those that are inlined
// into them: all whose name or symbol begins with the given text, and some others.
func (d *Data) Functions(beginning string) iter.Seq[Entry] {
	w := newWord(beginning, true)
	return func(yield func(Entry) bool) {
		for _, u := range d.units {
			if !u.compile {
				continue
			}
			fd, fu := d.full(u)
			if !fd.mayHave(fu, w) {
				continue
			}
			for _, s := range fd.walk(fu).scopes {
				if !yield(Entry{fd, fu, s.off}) {
					return
				}
			}
		}
	}
}

// mayHave reports whether a unit may have functions whose name or symbol begins with a word.
func (d *Data) mayHave(u *unit, w *word) bool {
	return w.name == "" || u.language == Ada || // whose packages are in names
		!d.table(u).hasPlainly(dwarf.AttrAbstractOrigin) || w.mentioned(d.s.Info[u.first:u.end], d.s.Str, u.offsize)
}

// Size is that of the entries of all units, in bytes.
func (d *Data) Size() int { return len(d.s.Info) }
