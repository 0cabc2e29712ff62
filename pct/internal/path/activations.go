package path

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Activations are the calling contexts of a selection, with those of their calls that
// samples saw.
type Activations struct {
	Rows    []ActivationRow // heaviest first
	Samples int             // selected
	Weight  uint64
	Unit    string // of weights
	Hidden  int    // rows that Options left out
	Cut     calltree.Cut
	// Uncounted are the directories of runs without counts, of which only the shares are known.
	Uncounted []string
}

// ActivationRow is one calling context.
type ActivationRow struct {
	Path   CallPath
	Weight calltree.Weight // of its function with all that it called
	Calls  uint64          // activations of the function in this context that a sample saw, 0 unknown
	Cost   float64         // of one of them, in Activations.Unit
	Error  float64         // its standard error
	Short  bool            // most of them ended before a second sample: Cost is above their mean, and there is no Error
}

// cost adds up what is known of the activations of a context.
type cost struct {
	calls    uint64
	weight   float64 // of all samples that saw them
	once     float64 // of the samples, if each activation had been seen once
	variance float64 // of weight
}

const (
	// phase is the variance, in periods squared, of the number of samples that an activation
	// gets, which begins and ends anywhere between two of them: at most 1/4 where they are a
	// period apart, 1/3 where each stands anywhere in its own interval.
	phase = 1. / 3
	// seenTwice is the number of samples, in an activation's mean, from which the mean can be
	// told: in fewer, most of them may be shorter than a period.
	seenTwice = 2
	// certain is the number of standard deviations that a bound is above the mean.
	certain = 2
)

// add adds the activations of a run that samples of its period, in the unit, saw.
func (c *cost) add(calls uint64, weight, period float64) {
	n := float64(calls)
	c.calls += calls
	c.weight += weight
	c.once += n * period
	c.variance += n * phase * period * period
}

// estimate sets what a row says of them.
func (c *cost) estimate(row *ActivationRow) {
	if c.calls == 0 || c.weight == 0 {
		return
	}
	n := float64(c.calls)
	row.Calls, row.Cost, row.Error = c.calls, c.weight/n, math.Sqrt(c.variance)/n
	if c.weight < seenTwice*c.once {
		row.Short = true
		row.Cost, row.Error = max(c.weight, c.once)/n+certain*row.Error, 0
	}
}

// NotCounted says that a run has no counts of activations.
type NotCounted struct{ Dir string }

func (e *NotCounted) Error() string {
	return e.Dir + " has no counts of calls: they are counted by profile -calls"
}

// counted returns the tree of functions with the costs of its nodes. Of each run all samples must be
// selected, or none; if no run of the selection has counts, that is an error of type *NotCounted.
func (s *Selection) counted(t Translator, o Options) (*Calls, []cost, error) {
	var uncounted []string
	known := false
	for i, r := range s.runs.all {
		switch n := len(s.samples[i]); {
		case n == 0:
		case r.Calls == nil:
			uncounted = append(uncounted, r.Dir)
		case n < len(r.Samples):
			return nil, nil, fmt.Errorf("calls are counted of the whole of %s, of which only some samples are selected", r.Dir)
		default:
			known = true
		}
	}
	if !known && len(uncounted) > 0 {
		return nil, nil, &NotCounted{uncounted[0]}
	}
	c, all, err := s.calls(t, o)
	if err != nil {
		return nil, nil, err
	}
	c.Uncounted = uncounted
	costs := make([]cost, len(c.Builder.Nodes))
	for i := range s.runs.all {
		c.activations(costs, i, all)
	}
	return c, costs, nil
}

// Activations returns the calling contexts of functions.
func (s *Selection) Activations(t Translator, o Options) (*Activations, error) {
	c, sums, err := s.counted(t, o)
	if err != nil {
		return nil, err
	}
	a := &Activations{Samples: s.count, Weight: s.weight, Unit: s.runs.measured().Header.Unit, Uncounted: c.Uncounted}
	tr, totals := c.tree, c.Groups[0].Tree.Totals()
	heaviest := uint64(0)
	for _, w := range totals[1:] {
		heaviest = max(heaviest, w.Weight)
	}
	a.Cut = calltree.NewCut(o.Threshold, o.Rows, float64(heaviest)/float64(max(1, s.weight)))
	var nodes []int32
	for n := int32(1); int(n) < len(totals); n++ {
		switch w := totals[n].Weight; {
		case totals[n].Samples == 0:
		case float64(w) < a.Cut.Threshold*float64(s.weight):
			a.Hidden++
		default:
			nodes = append(nodes, n)
		}
	}
	depth := c.Groups[0].Tree.Depths()
	slices.SortFunc(nodes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(totals[b].Weight, totals[a].Weight), cmp.Compare(depth[a], depth[b]), tr.compare(a, b))
	})
	if most := a.Cut.Rows; most > 0 && len(nodes) > most {
		a.Hidden += len(nodes) - most
		nodes = nodes[:most]
	}
	var deep room
	for _, n := range nodes {
		row := ActivationRow{Path: CallPath{tr, n}, Weight: totals[n]}
		if !deep.take(row.Path) {
			a.Hidden++
			continue
		}
		sums[n].estimate(&row)
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}

// activations adds what a run knows of activations to the nodes of their functions. Functions
// that were inlined have none: an activation is of the function that they are in.
func (c *Calls) activations(sums []cost, run int, all *symbols) {
	r := c.selected.runs.all[run]
	samples := c.selected.samples[run]
	if len(samples) == 0 || r.Calls == nil {
		return
	}
	// A path that is open has other nodes than one that is not, with a frame "?".
	type weights struct{ whole, open uint64 }
	below := make([]weights, len(r.Nodes))
	for _, sample := range samples {
		if (leaf{spot: c.at[run][sample.Node], partial: sample.Partial}).open(c.o) {
			below[sample.Node].open += sample.Weight
		} else {
			below[sample.Node].whole += sample.Weight
		}
	}
	period := float64(samples[0].Weight) / float64(samples[0].Count)
	for id := len(r.Nodes) - 1; id > 0; id-- {
		w := below[id]
		if w == (weights{}) {
			continue
		}
		parent := r.Nodes[id].Parent
		below[parent].whole += w.whole
		below[parent].open += w.open
		node := c.at[run][id].node
		for range len(all.chains[all.of[run][id]]) - 1 {
			node = c.Builder.Nodes[node].Parent
		}
		if node == 0 {
			continue
		}
		if w.open > 0 {
			open := c.tree.open(node)
			calls := uint64(r.Calls[id])
			if w.whole > 0 {
				calls = 0
			}
			sums[open].add(calls, float64(w.open), period)
		}
		if w.whole > 0 {
			sums[node].add(uint64(r.Calls[id]), float64(w.whole), period)
		}
	}
}
