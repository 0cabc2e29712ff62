package path

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Profile is the weight of a selection, divided among rows.
type Profile struct {
	Rows    []Row // heaviest first
	Samples int   // selected
	Weight  uint64
	Frames  []calltree.Frame // Paths: of all call paths, whether Options.Refinements keep them or not

	// Hidden counts the rows that Options left out, HiddenWeight adds them up.
	Hidden       int
	HiddenWeight uint64
	Cut          calltree.Cut
	Overlapping  bool // rows share samples, as with callees: their weights are no parts of a whole
}

// Row is one call path, or the one frame of a flat profile.
type Row struct {
	Group   string // NAME=VALUE of Options.By, "" without
	Path    CallPath
	Weight  uint64
	Samples int
	Located bool // the first frame is FILE:LINE
}

// Fraction returns the row's share of the weight, between 0 and 1.
func (p *Profile) Fraction(weight uint64) float64 {
	if p.Weight == 0 {
		return 0
	}
	return float64(weight) / float64(p.Weight)
}

// StandardError returns that of a fraction, √(p(1−p)/N) with N the number of
// samples.
func (p *Profile) StandardError(fraction float64) float64 {
	if p.Samples == 0 {
		return 0
	}
	return math.Sqrt(max(0, fraction*(1-fraction)) / float64(p.Samples))
}

// Options shape a profile.
type Options struct {
	Granularity Granularity
	By          string                // split by the values of this field or attribute
	PastMain    bool                  // keep the callers of main
	Interval    time.Duration         // of -by time and cpu, and of slices
	Rows        int                   // at most so many; 0 is all
	Threshold   float64               // only rows of this fraction or more
	Levels      int                   // Paths: only the innermost so many frames; 0 is all
	Templates   bool                  // functions with their template arguments
	Total       bool                  // Flat: with callees, each sample counted once per row
	Refinements []calltree.Refinement // Calls, Paths: only the paths that these keep
	Activations bool                  // Calls: with Calls.Seen

	innermost bool // only the innermost frames of paths matter
}

// missing stands for the value of a sample that has none, in Row.Group.
const missing = "-"

// outside stands for the frames between the outermost frame found and the start
// of the program, and for a call path that is not known at all.
const outside = "?"

// leaf is what samples of the same call path and group have in common.
type leaf struct {
	spot
	group   string
	slice   int64
	partial bool // the path ends before its outermost frame
}

// rowKey is a row before it is one: its frames are those from a node outwards.
type rowKey struct {
	node  int32
	group string
	slice int64
}

type tally struct {
	weight  uint64
	samples int
}

func tallyOf(s *data.Sample) tally { return tally{s.Weight, int(s.Count)} }

// rows add up what counts for the same row.
type rows map[rowKey]tally

func (rs rows) add(key rowKey, t tally) {
	rs[key] = rs[key].plus(t)
}

// Paths returns the call paths of the selection. A path that ends before its
// outermost frame, or main, ends with a frame "?".
func (s *Selection) Paths(t Translator, o Options) (*Profile, error) {
	tr := newTree()
	leaves, err := s.leaves(tr, t, o, frame.shortLabel, nil)
	if err != nil {
		return nil, err
	}
	part := *s
	if len(o.Refinements) > 0 {
		part.count, part.weight = refine(tr, leaves, o)
	}
	p := part.profile(tr, pathRows(tr, leaves, o), o)
	p.Frames = tr.Frames
	return p, nil
}

// refine takes the leaves away whose paths o.Refinements do not keep, and returns the
// samples and the weight of the others.
func refine(tr tree, leaves map[leaf]tally, o Options) (samples int, weight uint64) {
	at := make(map[leaf]int32, len(leaves)) // its whole path
	for l := range leaves {
		at[l] = l.node
		if l.open(o) {
			at[l] = tr.cut(l.node, 0, true)
		}
	}
	t := calltree.Tree{Frames: tr.Frames, Nodes: tr.Nodes, Self: make([]calltree.Weight, len(tr.Nodes))}
	for _, node := range at {
		t.Self[node].Samples = 1
	}
	kept := t.Refine(o.Refinements).Self
	for l, sum := range leaves {
		if kept[at[l]].Samples == 0 {
			delete(leaves, l)
			continue
		}
		samples += sum.samples
		weight += sum.weight
	}
	return samples, weight
}

// open reports whether a path lacks its outermost frames.
func (l leaf) open(o Options) bool {
	return l.node == 0 || l.partial && (o.PastMain || !l.inMain)
}

// pathRows adds up the leaves whose paths are the same as far as they are shown.
func pathRows(tr tree, leaves map[leaf]tally, o Options) rows {
	all := rows{}
	for l, sum := range leaves {
		node := l.node
		open := l.open(o)
		if open || o.Levels > 0 {
			node = tr.cut(node, o.Levels, open)
		}
		all.add(rowKey{node, l.group, l.slice}, sum)
	}
	return all
}

// Flat returns the weight of each frame by itself, or with its callees.
func (s *Selection) Flat(t Translator, o Options) (*Profile, error) {
	tr := newTree()
	if !o.Total {
		o.innermost = true
	}
	leaves, err := s.leaves(tr, t, o, frame.label, nil)
	if err != nil {
		return nil, err
	}
	return s.profile(tr, flatRows(tr, leaves, o.Total), o), nil
}

// flatRows adds up the leaves by their innermost frames, or by all frames on them.
func flatRows(tr tree, leaves map[leaf]tally, total bool) rows {
	all := rows{}
	sums := map[string]map[int32]calltree.Weight{} // of the nodes of each group
	for l, sum := range leaves {
		switch {
		case l.node == 0:
			all.add(rowKey{node: tr.Child(0, tr.Frame(calltree.Frame{Name: outside})), group: l.group}, sum)
		case total:
			if sums[l.group] == nil {
				sums[l.group] = map[int32]calltree.Weight{}
			}
			sums[l.group][l.node] = sums[l.group][l.node].Plus(calltree.Weight{Weight: sum.weight, Samples: sum.samples})
		default:
			all.add(rowKey{node: tr.Child(0, tr.Nodes[l.node].Frame), group: l.group}, sum)
		}
	}
	for group, self := range sums {
		for _, f := range tr.Compact(self).Functions() {
			all.add(rowKey{node: tr.Child(0, f.Frame), group: group}, tally{f.Weight.Weight, f.Samples})
		}
	}
	return all
}

// leaves puts the selection's call paths into the tree and adds up the samples
// of each; slice, unless nil, tells samples apart by their time.
func (s *Selection) leaves(tr tree, t Translator, o Options, label func(frame, Granularity) string,
	slice func(r *run, sample *data.Sample) int64,
) (map[leaf]tally, error) {
	groups, err := s.groups(o)
	if err != nil {
		return nil, err
	}
	all, err := s.resolve(t, o.Templates, o.innermost)
	if err != nil {
		return nil, err
	}
	sh := shape{o.Granularity, label, o.PastMain}
	steps := tr.steps(all, sh)
	leaves := map[leaf]tally{}
	for i, r := range s.runs.all {
		at := tr.add(r, all.of[i], all, steps, sh)
		if groups == nil && slice == nil {
			s.addNodes(leaves, i, at)
			continue
		}
		for _, sample := range s.samples[i] {
			l := leaf{spot: at[sample.Node], partial: sample.Partial}
			if groups != nil {
				l.group = o.By + "=" + groups[i](sample)
			}
			if slice != nil {
				l.slice = slice(r, sample)
			}
			leaves[l] = leaves[l].plus(tallyOf(sample))
		}
	}
	return leaves, nil
}

// addNodes adds up the samples of a run by their nodes, which are much fewer, before
// it adds those to the leaves.
func (s *Selection) addNodes(leaves map[leaf]tally, run int, at []spot) {
	whole, partial := make([]tally, len(at)), make([]tally, len(at))
	for _, sample := range s.samples[run] {
		sums := whole
		if sample.Partial {
			sums = partial
		}
		sums[sample.Node] = sums[sample.Node].plus(tallyOf(sample))
	}
	for node, where := range at {
		for _, part := range []struct {
			sum     tally
			partial bool
		}{{whole[node], false}, {partial[node], true}} {
			if part.sum.samples > 0 {
				l := leaf{spot: where, partial: part.partial}
				leaves[l] = leaves[l].plus(part.sum)
			}
		}
	}
}

// defaultInterval is the length of the stretches that times are told apart by.
const defaultInterval = time.Second

// groups returns what finds the value that a sample of each run is split by, nil
// if there is none.
func (s *Selection) groups(o Options) ([]func(*data.Sample) string, error) {
	if o.By == "" {
		return nil, nil
	}
	getters, err := s.runs.bindAll(o.By, cmp.Or(o.Interval, defaultInterval))
	if err != nil {
		return nil, err
	}
	groups := make([]func(*data.Sample) string, len(getters))
	for i, get := range getters {
		groups[i] = func(sample *data.Sample) string {
			if value, ok := get(sample); ok {
				return value
			}
			return missing
		}
	}
	return groups, nil
}

// profile sorts the rows, and leaves out what the options say.
func (s *Selection) profile(tr tree, all rows, o Options) *Profile {
	p := &Profile{Samples: s.count, Weight: s.weight, Overlapping: o.Total}
	type entry struct {
		rowKey
		tally
	}
	entries := make([]entry, 0, len(all))
	for key, sum := range all {
		entries = append(entries, entry{key, sum})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		switch {
		case a.weight != b.weight:
			return cmp.Compare(b.weight, a.weight)
		case a.group != b.group:
			return cmp.Compare(a.group, b.group)
		}
		return tr.compare(a.node, b.node)
	})
	heaviest := 0.0
	if len(entries) > 0 {
		heaviest = p.Fraction(entries[0].weight)
	}
	p.Cut = calltree.NewCut(o.Threshold, o.Rows, heaviest)
	var room calltree.Room
	depths := (&calltree.Tree{Nodes: tr.Nodes}).Depths()
	for _, key := range entries {
		sum, path := key.tally, CallPath{tr, key.node}
		if p.Cut.Rows > 0 && len(p.Rows) == p.Cut.Rows || p.Fraction(sum.weight) < p.Cut.Threshold || !room.Take(int(depths[key.node])) {
			p.Hidden++
			p.HiddenWeight += sum.weight
			continue
		}
		p.Rows = append(p.Rows, Row{
			Group:   key.group,
			Path:    path,
			Weight:  sum.weight,
			Samples: sum.samples,
			Located: tr.Frames[tr.Nodes[key.node].Frame].Line > 0,
		})
	}
	return p
}
