package path

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"time"

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
	Bare         bool // no function has its arguments, although Options.Arguments asks for them
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
	Arguments   bool                  // Paths: functions with their arguments; nothing else splits the samples
	PastMain    bool                  // keep the callers of main
	Interval    time.Duration         // of -by time and cpu, and of slices
	Rows        int                   // at most so many; 0 is all
	Threshold   float64               // only rows of this fraction or more
	Levels      int                   // Paths: only the innermost so many frames; 0 is all
	Templates   bool                  // functions with their template arguments
	Total       bool                  // Flat: with callees, each sample counted once per row
	Refinements []calltree.Refinement // Calls, Paths: only the paths that these keep
	Activations bool                  // Calls: with Calls.Seen
}

// outside stands for the frames between the outermost frame found and the start
// of the program, and for a call path that is not known at all.
const outside = "?"

// row is a row before it is one: its frames are those from a node outwards.
type row struct {
	group string
	node  int32
	calltree.Weight
}

// Paths returns the call paths of the selection. A path that ends before its
// outermost frame, or main, ends with a frame "?".
func (s *Selection) Paths(t Translator, o Options) (*Profile, error) {
	if o.Arguments {
		if err := s.needArguments(); err != nil {
			return nil, err
		}
		o.By = argumentsField
	}
	c, err := s.contexts(t, o, o.shape(frame.shortLabel), nil)
	if err != nil {
		return nil, err
	}
	bare := o.Arguments && !c.addArguments()
	whole := calltree.Weight{Weight: s.weight, Samples: s.count}
	if len(o.Refinements) > 0 {
		whole = c.refine(o.Refinements)
	}
	c.shorten(o.Levels)
	p := c.profile(c.rows(), whole, o)
	p.Frames, p.Bare = c.Frames, bare
	return p, nil
}

// rows are the call paths of the samples.
func (c *contexts) rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, p := range c.parts {
			for node, w := range p.All() {
				if !yield(row{p.group, node, w}) {
					return
				}
			}
		}
	}
}

// Flat returns the weight of each frame by itself, or with its callees.
func (s *Selection) Flat(t Translator, o Options) (*Profile, error) {
	sh := o.shape(frame.label)
	sh.opened, sh.alone = false, !o.Total
	c, err := s.contexts(t, o, sh, nil)
	if err != nil {
		return nil, err
	}
	rows := c.rows()
	if o.Total {
		var total []row
		for _, p := range c.parts {
			for _, f := range p.Tree(c.Builder).Functions() {
				total = append(total, row{p.group, c.Child(0, f.Frame), f.Weight})
			}
		}
		rows = slices.Values(total)
	}
	return c.profile(rows, calltree.Weight{Weight: s.weight, Samples: s.count}, o), nil
}

// manyRows is how many rows wait before they are sorted among those that are shown.
const manyRows = 10_000

// profile sorts the rows, and leaves out what the options say.
func (c *contexts) profile(all iter.Seq[row], whole calltree.Weight, o Options) *Profile {
	p := &Profile{Samples: whole.Samples, Weight: whole.Weight, Overlapping: o.Total}
	heaviest := uint64(0)
	for r := range all {
		heaviest = max(heaviest, r.Weight.Weight)
	}
	p.Cut = calltree.NewCut(o.Threshold, o.Rows, p.Fraction(heaviest))
	hide := func(r row) {
		p.Hidden++
		p.HiddenWeight += r.Weight.Weight
	}
	order := func(a, b row) int {
		switch {
		case a.Weight.Weight != b.Weight.Weight:
			return cmp.Compare(b.Weight.Weight, a.Weight.Weight)
		case a.group != b.group:
			return cmp.Compare(a.group, b.group)
		}
		return c.compare(a.node, b.node)
	}
	var rows []row // which are shown if no heavier ones come
	full := false  // the first of them, as many as are shown, are in order
	for r := range all {
		most := p.Cut.Rows
		if p.Fraction(r.Weight.Weight) < p.Cut.Threshold || full && order(r, rows[most-1]) > 0 {
			hide(r)
			continue
		}
		rows = append(rows, r)
		if most > 0 && len(rows) >= most+manyRows {
			slices.SortFunc(rows, order)
			for _, r := range rows[most:] {
				hide(r)
			}
			rows, full = rows[:most], true
		}
	}
	slices.SortFunc(rows, order)
	var room calltree.Room
	depths := (&calltree.Tree{Nodes: c.Nodes}).Depths()
	for _, r := range rows {
		if p.Cut.Rows > 0 && len(p.Rows) == p.Cut.Rows || !room.Take(int(depths[r.node])) {
			hide(r)
			continue
		}
		p.Rows = append(p.Rows, Row{
			Group:   r.group,
			Path:    CallPath{c.tree, r.node},
			Weight:  r.Weight.Weight,
			Samples: r.Samples,
			Located: c.Frames[c.Nodes[r.node].Frame].Line > 0,
		})
	}
	return p
}
