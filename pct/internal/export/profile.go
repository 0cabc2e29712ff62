// Package export writes call paths in the formats of other tools: folded stacks,
// Callgrind's, speedscope's, the Firefox Profiler's and Graphviz's, and in JSON of our
// own. One file has one format; each writer takes a Profile and an io.Writer, and
// holds no more in memory than a few words for each node and sample.
package export

import (
	"iter"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// Profile is what is exported.
type Profile struct {
	Creator  string        // name and version of the program that writes
	Commands []string      // command lines that were sampled
	Limits   []string      // what selected the samples, if not all are there
	Resource string        // that the weights measure: cpu
	Unit     string        // of the weights: µs, bytes
	Period   time.Duration // mean time between two samples, 0 unknown
	Start    time.Time     // origin of the samples' times
	Groups   []path.Group
	Seen     []path.Cost               // of the nodes of a single group, what samples tell of activations; nil unknown
	Samples  iter.Seq[path.CallSample] // of those in the groups, and maybe others; not used with several groups
}

// split reports whether there is a tree for each value of a field.
func (p *Profile) split() bool {
	return len(p.Groups) > 1 || len(p.Groups) == 1 && p.Groups[0].Name != ""
}

// unknown is the name of what has none.
const unknown = "?"

// whole is one tree of all groups, in which the name of a group is an outermost frame, and
// every sample has a call path.
func (p *Profile) whole() *calltree.Tree {
	if len(p.Groups) == 1 && p.Groups[0].Name == "" && p.Groups[0].Tree.Self[0].Samples == 0 {
		return p.Groups[0].Tree
	}
	if len(p.Groups) == 0 {
		return &calltree.Tree{Nodes: make([]calltree.Node, 1), Self: make([]calltree.Weight, 1)}
	}
	t := &calltree.Tree{
		Frames: append([]calltree.Frame(nil), p.Groups[0].Tree.Frames...),
		Nodes:  make([]calltree.Node, 1),
		Self:   make([]calltree.Weight, 1),
	}
	add := func(parent, frame int32, self calltree.Weight) int32 {
		t.Nodes = append(t.Nodes, calltree.Node{Parent: parent, Frame: frame})
		t.Self = append(t.Self, self)
		return int32(len(t.Nodes) - 1)
	}
	name := func(s string) int32 {
		t.Frames = append(t.Frames, calltree.Frame{Name: s})
		return int32(len(t.Frames) - 1)
	}
	outside := name(unknown)
	for _, g := range p.Groups {
		totals := g.Tree.Totals()
		at := make([]int32, len(totals))
		if g.Name != "" {
			at[0] = add(0, name(g.Name), calltree.Weight{})
		}
		if self := g.Tree.Self[0]; self.Samples > 0 {
			add(at[0], outside, self)
		}
		for n := 1; n < len(totals); n++ {
			if totals[n].Samples > 0 {
				at[n] = add(at[g.Tree.Nodes[n].Parent], g.Tree.Nodes[n].Frame, g.Tree.Self[n])
			}
		}
	}
	return t
}

// joined is one tree of all groups without their names, and what to add to the number
// of a node of each group for its number there. Weights are left out.
func (p *Profile) joined() (*calltree.Tree, []int32) {
	if len(p.Groups) == 1 {
		return p.Groups[0].Tree, []int32{0}
	}
	t := &calltree.Tree{Nodes: make([]calltree.Node, 1)}
	var bases []int32
	for _, g := range p.Groups {
		t.Frames = g.Tree.Frames // the same ones of all
		base := int32(len(t.Nodes) - 1)
		bases = append(bases, base)
		for _, node := range g.Tree.Nodes[1:] {
			if node.Parent != 0 {
				node.Parent += base
			}
			t.Nodes = append(t.Nodes, node)
		}
	}
	return t, bases
}

// selected gives the samples that are in the tree, where there is one.
func (p *Profile) selected() iter.Seq[path.CallSample] {
	return func(yield func(path.CallSample) bool) {
		self := p.Groups[0].Tree.Self
		for s := range p.Samples {
			if int(s.Node) < len(self) && self[s.Node].Samples > 0 && !yield(s) {
				return
			}
		}
	}
}

// title says in a line what the profile is of.
func (p *Profile) title() string {
	return line(strings.Join(append(append([]string(nil), p.Commands...), p.Limits...), "; "))
}

// line is a name on one line: what steers a terminal or is no UTF-8 is replaced, and a
// name that is empty becomes a question mark.
func line(s string) string {
	if s = visible.Text(strings.TrimSpace(s)); s == "" {
		return unknown
	}
	return s
}
