package path

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
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
	Scaled  float64 // the greatest factor by which costs of a run are greater than weights, as sampled says; 1 if none is
	Lacking float64 // the greatest part of a run's CPU time that is in no cost, though the clock sees the kernel
	// Uncounted are the directories of runs without counts, of which only the shares are known.
	Uncounted []string
}

// ActivationRow is one calling context.
type ActivationRow struct {
	Path   CallPath
	Weight calltree.Weight // of its function with all that it called
	Share  float64         // the standard error of its share of all weights
	Cost                   // of the function in this context
}

// NotCounted says that a run has no counts of activations.
type NotCounted struct{ Dir string }

func (e *NotCounted) Error() string {
	return e.Dir + " has no counts of calls: they are counted by profile -calls"
}

// counted returns the tree of functions with the costs of its nodes. Of each run all samples must be
// selected, or none; if no run of the selection has counts, that is an error of type *NotCounted.
func (s *Selection) counted(t Translator, o Options) (*Calls, []activated, error) {
	var uncounted []string
	known := false
	for i, r := range s.runs.all {
		switch n := s.samples[i].Len(); {
		case n == 0:
		case r.Calls == nil:
			uncounted = append(uncounted, r.Dir)
		case n < r.Packed.Len():
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
	costs := make([]activated, len(c.Builder.Nodes))
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
	for i, r := range s.runs.all {
		if s.samples[i].Len() > 0 {
			how := sampled(r)
			a.Scaled, a.Lacking = max(a.Scaled, how.scale), max(a.Lacking, how.lacking)
		}
	}
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
	var room calltree.Room
	for _, n := range nodes {
		row := ActivationRow{Path: CallPath{tr, n}, Weight: totals[n], Cost: sums[n].cost()}
		if !room.Take(int(depth[n])) {
			a.Hidden++
			continue
		}
		row.Share = row.ShareError(calltree.Weight{Samples: s.count, Weight: s.weight}, row.Weight.Weight)
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}

// activations adds what a run knows of activations to the nodes of their functions. Functions
// that were inlined have none: an activation is of the function that they are in.
func (c *Calls) activations(sums []activated, run int, all *symbols) {
	r := c.selected.runs.all[run]
	samples := c.selected.samples[run]
	if samples.Len() == 0 || r.Calls == nil {
		return
	}
	// A path that is open has other nodes than one that is not, with a frame "?".
	type weights struct{ whole, open seen }
	below, saw := make([]weights, len(r.Nodes)), r.saw()
	for _, sample := range samples.All() {
		if c.lacks(c.at[run][sample.Node], sample.Partial) {
			below[sample.Node].open.add(saw(sample))
		} else {
			below[sample.Node].whole.add(saw(sample))
		}
	}
	how := sampled(r)
	for id := len(r.Nodes) - 1; id > 0; id-- {
		w := below[id]
		if w == (weights{}) {
			continue
		}
		parent := r.Nodes[id].Parent
		below[parent].whole.add(w.whole)
		below[parent].open.add(w.open)
		node := c.at[run][id].node()
		for range len(all.chains[all.of[run][id]]) - 1 {
			node = c.Builder.Nodes[node].Parent
		}
		if node == 0 {
			continue
		}
		lasting, known := r.Lasting[data.NodeID(id)], r.Lasting != nil
		if w.open.weight > 0 {
			open := c.open(node)
			calls := uint64(r.Calls[id])
			lasting := lasting
			if w.whole.weight > 0 {
				calls, lasting = 0, data.Lasting{}
			}
			sums[open].add(calls, lasting, known, w.open, how)
		}
		if w.whole.weight > 0 {
			sums[node].add(uint64(r.Calls[id]), lasting, known, w.whole, how)
		}
	}
}

// saw returns what tells what each sample of counted call paths stands for. Those of one node with values are several;
// what is known of all together is told with the first.
func (r *run) saw() func(s *data.Sample) seen {
	told := make(map[data.NodeID]bool, len(r.Lasting))
	return func(s *data.Sample) seen {
		l, ok := r.Lasting[s.Node]
		if !ok || told[s.Node] {
			return seen{weight: s.Weight}
		}
		told[s.Node] = true
		return seen{weight: s.Weight, heavy: uint64(l.Heavy), heavier: uint64(l.Heavier), squares: uint64(l.Squares)}
	}
}

// sampled says how the samples of a run, of which there are some, tell of activations.
//
// Clocks have no sample of some of the CPU time that the kernel counts: of interrupts, and of system calls that its tick has not
// met yet. Where that is little, it tells by how much costs are too low. Where it is much, who knows what it was: of a clock that sees
// user mode alone, the program's own system calls.
func sampled(r *run) sampling {
	const little, few = 0.2, 10
	first := r.Packed.First()
	how := sampling{period: float64(first.Weight) / float64(first.Count), scale: 1}
	how.irregular = r.Header.Period == 0
	saw := r.saw()
	for _, s := range r.Packed.All() {
		how.whole.add(saw(s))
	}
	weight := float64(how.whole.weight)
	n := weight / how.period
	how.clump = 1 + float64(how.whole.squares-how.whole.heavier)/n
	for _, n := range r.Lost {
		weight += float64(n) * how.period
	}
	if r.Header.Resource == resource.CPU && r.Header.Unit == resource.Microsecond && r.Meta.CPU > 0 && !UserMode(r.Meta.Notes) {
		cpu := float64(r.Meta.CPU-r.Meta.Unsampled) / 1e3
		d := cpu - weight
		how.missing = min(unexplained(d, how.period)/weight, little)
		switch {
		case d > how.period && d <= little*weight:
			how.scale = cpu / weight
		case d > few*how.period && d > little*weight:
			how.lacking = d / cpu
		}
	}
	return how
}
