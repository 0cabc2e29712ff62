package debuginfo

import "iter"

// Functions are the entries of all functions that have code, and of the copies of those that are inlined
// into them.
func (d *Data) Functions() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, u := range d.units {
			if !u.compile {
				continue
			}
			fd, fu := d.full(u)
			for _, s := range fd.walk(fu).scopes {
				if !yield(Entry{fd, fu, s.off}) {
					return
				}
			}
		}
	}
}
