package ring

import (
	"cmp"
	"slices"
	"time"
)

// order merges the records of all rings by time.
type order struct {
	pending []record
}

// settled is how old a record must be to be used: one that was stamped before may
// not have reached its ring yet, if its processor was taken away meanwhile.
const settled = 20 * time.Millisecond

// take returns the records until a time, in order; they are good until the next
// call.
func (o *order) take(until time.Duration) []record {
	slices.SortStableFunc(o.pending, func(a, b record) int { return cmp.Compare(a.time, b.time) })
	n, _ := slices.BinarySearchFunc(o.pending, until, func(r record, t time.Duration) int { return cmp.Compare(r.time, t) })
	now := o.pending[:n:n]
	o.pending = slices.Clone(o.pending[n:])
	return now
}
