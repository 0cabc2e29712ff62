package path

import (
	"cmp"
	"runtime"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// contexts are the samples of a selection at the nodes of one calling context tree: all
// profiles are computed from it.
type contexts struct {
	tree
	shape shape
	parts []*part // in the order of their first samples; one, also of no samples, if they aren't split
}

// partOf says which part of the samples one belongs to.
type partOf struct {
	group string // NAME=VALUE of Options.By, "" without
	slice int64  // number of the stretch of time, 0 without
}

// part is the samples of a part.
type part struct {
	partOf
	*calltree.Weights
}

// missing stands for the value of a sample that has none, in the name of a group.
const missing = "-"

// contexts puts the call paths of the selection into a tree. o.By and slice, unless it is nil, split the samples.
func (s *Selection) contexts(t Translator, o Options, sh shape, slice func(r *run, s *data.Sample) int64) (*contexts, error) {
	split, err := s.splitter(o, slice)
	if err != nil {
		return nil, err
	}
	all, err := s.resolve(t, o.Templates, sh.alone)
	if err != nil {
		return nil, err
	}
	c, _ := s.weigh(all, sh, split)
	return c, nil
}

// splitter is what splits samples into parts, nil if they are one.
func (s *Selection) splitter(o Options, slice func(r *run, s *data.Sample) int64) (func(run int, sample *data.Sample) partOf, error) {
	groups, err := s.groups(o)
	if err != nil || groups == nil && slice == nil {
		return nil, err
	}
	return func(run int, sample *data.Sample) (of partOf) {
		if groups != nil {
			of.group = o.By + "=" + groups[run](sample)
		}
		if slice != nil {
			of.slice = slice(s.runs.all[run], sample)
		}
		return of
	}, nil
}

// weigh makes the tree, and adds up the samples at its nodes, of each part by itself; split is nil if there is one.
// It also returns where each node of each run is.
func (s *Selection) weigh(all *symbols, sh shape, split func(run int, sample *data.Sample) partOf) (c *contexts, at [][]spot) {
	c = &contexts{tree: newTree(), shape: sh}
	steps := c.steps(all, sh)
	known := map[partOf]*part{}
	of := func(at partOf) *part {
		p := known[at]
		if p == nil {
			p = &part{at, calltree.NewWeights(split != nil)}
			known[at], c.parts = p, append(c.parts, p)
		}
		return p
	}
	var p *part
	if split == nil {
		p = of(partOf{})
	}
	for i, r := range s.runs.all {
		nodes := c.add(r, all.of[i], all, steps, sh)
		at = append(at, nodes)
		if split == nil {
			p.Cover(c.Builder)
		}
		for _, sample := range s.samples[i].All() {
			if split != nil {
				p = of(split(i, sample))
			}
			p.Add(c.node(nodes[sample.Node], sample.Partial), weightOf(sample))
		}
	}
	c.Settle()
	if len(c.Nodes) > largeTree {
		// Before other arrays of this size are made, those that the making of the tree took are given back.
		runtime.GC()
	}
	return c, at
}

// largeTree is the number of nodes from which on a tree takes more than some hundred megabytes, in which a collection of garbage takes little time.
const largeTree = 2_000_000

func weightOf(s *data.Sample) calltree.Weight {
	return calltree.Weight{Weight: s.Weight, Samples: int(s.Count)}
}

// lacks reports whether a path lacks its outermost frames.
func (c *contexts) lacks(where spot, partial bool) bool {
	return where.node() == 0 || c.shape.opened && partial && (c.shape.pastMain || !where.inMain())
}

// node returns the node of a sample, which is another one where its path lacks frames.
func (c *contexts) node(where spot, partial bool) int32 {
	if c.lacks(where, partial) {
		return c.open(where.node())
	}
	return where.node()
}

// refine leaves out the samples whose paths the refinements do not keep, and returns the weight of the others.
func (c *contexts) refine(refinements []calltree.Refinement) (left calltree.Weight) {
	kept := (&calltree.Tree{Frames: c.Frames, Nodes: c.Nodes}).Kept(refinements)
	for _, p := range c.parts {
		p.Keep(kept)
		for _, w := range p.All() {
			left = left.Plus(w)
		}
	}
	return left
}

// shorten leaves of each path the innermost frames, at most levels of them, 0 is all.
func (c *contexts) shorten(levels int) {
	if levels == 0 {
		return
	}
	for _, p := range c.parts {
		p.Move(func(node int32) int32 { return c.cut(node, levels) })
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
