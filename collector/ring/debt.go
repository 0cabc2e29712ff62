package ring

import (
	"fmt"
	"math/bits"

	"github.com/profilecollection/pct/internal/resource"
)

// A debt is what a full ring has lost, between two records that it has. The samples after the gap stand for
// what is missing, at the rate of those before it: a program that is too fast for us goes on as it was
// most of the time. So the weights are right, though the samples are fewer. Samples of clocks
// stand for their period alone: what is lost is hardly ever theirs.
type debt struct {
	kept uint64 // samples since the last gap
	owed uint64 // records that are missing and of no sample yet
	rate uint64 // so many each sample stands for, beside itself
	all  uint64 // samples, and what was lost
}

// pass has a record of the ring, the next one, stand for what is owed.
func (d *debt) pass(r *record) {
	switch of := r.of.(type) {
	case lost:
		d.owed, d.all = d.owed+of.n, d.all+of.n
		kept := max(d.kept, 1)
		d.rate, d.kept = (d.owed+kept-1)/kept, 0
	case sample:
		if of.spec.clock || of.spec.absence {
			return
		}
		d.kept, d.all = d.kept+1, d.all+1
		if of.beside = min(d.owed, d.rate); of.beside > 0 {
			d.owed -= of.beside
			r.of = of
		}
	}
}

// tellGaps says of each resource that samples were lost of what its figures are worth, and what loses fewer.
func (c *collection) tellGaps() {
	if c.table.lost == 0 {
		return
	}
	c.out.note(fmt.Sprintf("the kernel lost %d records of the run, samples or others, because they came faster than they were read", c.table.lost))
	var owed, all uint64
	for _, r := range c.events.rings {
		if r != nil {
			owed, all = owed+r.owing.owed, all+r.owing.all
		}
	}
	for which, r := range c.cfg.measured {
		if !r.IsTime() {
			c.out.noteOf(which, gaps(r.Resource, r.Interval, len(c.cfg.Argv) > 0, owed, all, c.table.lost))
		}
	}
}

// gaps is what is said of a resource: of all samples, taken or lost, owed are those for which no other one stands.
func gaps(r resource.Resource, interval uint64, launched bool, owed, all, lost uint64) string {
	text := r.Name + ": samples near those that were lost stand for them"
	if low := (100*owed + all/2) / max(all, 1); low > 0 {
		text += fmt.Sprintf(", but not for the last ones: what is shown is too low by some %d%%", low)
	}
	inside := r.Kind().Inside.Source
	if launched && inside != resource.NoSource && inside != resource.Clock {
		return fmt.Sprintf("%s; profile -r %s without -k loses none: it counts in the program", text, r)
	}
	longer := interval << bits.Len64(all/max(all-min(lost, all), 1))
	return fmt.Sprintf("%s; a longer interval, such as -r %s:%d, loses fewer", text, r.Name, longer)
}
