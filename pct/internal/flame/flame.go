// Package flame draws calling context trees as flame graphs: documents of one file,
// SVG or HTML, which need nothing else and no network, and are complete without
// their script.
//
// A frame is as wide as the share of its call path with all that it calls, and stands
// above its caller. An inverted graph has the innermost functions at its root, and on
// each frame what called it: it shows what is hot wherever it is called from.
//
// The layout is computed here; the script zooms, searches, and fits the frames to the
// window. Names come from profiled programs: they are in the document as text alone,
// never in its script.
package flame

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Group is a tree, and what its samples have in common.
type Group struct {
	Name string // "" if there is but one
	Tree *calltree.Tree
}

// Options shape a graph.
type Options struct {
	Title     string
	Facts     []string // lines about the data, below the title
	Inverted  bool     // HTML: that view first
	Threshold float64  // leave out frames narrower than this fraction of the width

	// Compared says that the samples are to be compared with those of Base, a set of
	// this name, and coloured by how they differ.
	Compared string
	Base     []Group
}

// Graph is a flame graph, ready to be written.
type Graph struct {
	o          Options
	t          *tree
	layouts    [2]*layout // as flames, and inverted; nil as long as nobody has asked for it
	notes      []string
	comparison bool
}

// New makes a graph of groups, each of which stands on a frame of its own if it has
// a name.
func New(groups []Group, o Options) *Graph {
	g := &Graph{o: o, t: merge(groups, o.Base), comparison: o.Compared != ""}
	if g.comparison {
		g.notes = g.t.vanished()
	}
	return g
}

// up is the graph as flames.
func (g *Graph) up() *layout { return g.layout(0, false) }

// down is the inverted graph.
func (g *Graph) down() *layout { return g.layout(1, true) }

func (g *Graph) layout(which int, inverted bool) *layout {
	if g.layouts[which] == nil {
		g.layouts[which] = newLayout(g.t, inverted, g.o.Threshold)
	}
	return g.layouts[which]
}

// tree is a calling context tree whose frames are told apart by their names, with
// what a base has at the same places.
type tree struct {
	b          *calltree.Builder
	objects    []string          // of each frame: the first one that it was found in, "" unknown
	grouped    bool              // the children of the root are groups
	self, base []calltree.Weight // base is nil if there is none
	whole      amount
}

// amount is what a place has, and what it has in the base.
type amount struct{ of, base calltree.Weight }

func (a amount) plus(b amount) amount {
	return amount{a.of.Plus(b.of), a.base.Plus(b.base)}
}

// share returns the fraction of a part of the whole, by weight; by samples, where
// these weigh nothing.
func share(part, whole calltree.Weight) float64 {
	switch {
	case whole.Weight > 0:
		return float64(part.Weight) / float64(whole.Weight)
	case whole.Samples > 0:
		return float64(part.Samples) / float64(whole.Samples)
	}
	return 0
}

func merge(groups, base []Group) *tree {
	t := &tree{b: calltree.NewBuilder()}
	for _, set := range [][]Group{groups, base} {
		for _, group := range set {
			t.grouped = t.grouped || group.Name != ""
		}
	}
	if len(groups) == 1 && len(base) == 0 && !t.grouped && t.share(groups[0].Tree) {
		return t
	}
	t.b, t.objects = calltree.NewBuilder(), nil
	for i, set := range [][]Group{groups, base} {
		for _, group := range set {
			at := t.add(group)
			t.self = append(t.self, make([]calltree.Weight, len(t.b.Nodes)-len(t.self))...)
			if len(base) > 0 {
				t.base = append(t.base, make([]calltree.Weight, len(t.b.Nodes)-len(t.base))...)
			}
			sums, whole := t.self, &t.whole.of
			if i == 1 {
				sums, whole = t.base, &t.whole.base
			}
			for node, w := range group.Tree.Self {
				sums[at[node]] = sums[at[node]].Plus(w)
				*whole = whole.Plus(w)
			}
		}
	}
	return t
}

// share takes the nodes of a tree as they are, if its frames have different names already.
func (t *tree) share(of *calltree.Tree) bool {
	for i := range of.Frames {
		if int(t.frame(of.Frames[i].Name, of.Frames[i].Object)) != i {
			return false
		}
	}
	t.b.Nodes, t.self, t.whole.of = of.Nodes, of.Self, of.Whole()
	return true
}

// add puts the nodes of a group into the tree and returns where each went.
func (t *tree) add(group Group) []int32 {
	frames := map[int32]int32{} // of those on call paths: of many groups each has few
	at := make([]int32, len(group.Tree.Nodes))
	if t.grouped {
		at[0] = t.b.Child(0, t.frame(group.Name, groupObject))
	}
	for n := 1; n < len(at); n++ {
		node := group.Tree.Nodes[n]
		frame, ok := frames[node.Frame]
		if !ok {
			frame = t.frame(group.Tree.Frames[node.Frame].Name, group.Tree.Frames[node.Frame].Object)
			frames[node.Frame] = frame
		}
		at[n] = t.b.Child(at[node.Parent], frame)
	}
	return at
}

// groupObject stands for the object of a frame that is a group.
const groupObject = "\x00group"

// frame returns the number of the frame of a name. That of a group is another one.
func (t *tree) frame(name, object string) int32 {
	key := calltree.Frame{Name: name}
	if object == groupObject {
		key.Object = object
	}
	f := t.b.Frame(key)
	if int(f) == len(t.objects) {
		t.objects = append(t.objects, object)
	}
	t.objects[f] = cmp.Or(t.objects[f], object)
	return f
}

// amounts is what each node has.
type amounts struct{ of, base []calltree.Weight }

func (a amounts) at(node int32) (sum amount) {
	sum.of = a.of[node]
	if a.base != nil {
		sum.base = a.base[node]
	}
	return sum
}

// own returns the amount of each node without its descendants.
func (t *tree) own() amounts { return amounts{t.self, t.base} }

// totals returns the amount of each node with all its descendants.
func (t *tree) totals() (all amounts) {
	all.of = (&calltree.Tree{Nodes: t.b.Nodes, Self: t.self}).Totals()
	if t.base != nil {
		all.base = (&calltree.Tree{Nodes: t.b.Nodes, Self: t.base}).Totals()
	}
	return all
}

// mostVanished is the number of call paths told that only the base has.
const mostVanished = 5

// vanished tells of the outermost frames that only the base has.
func (t *tree) vanished() []string {
	totals := t.totals()
	var nodes []int32
	var sum calltree.Weight
	gone := func(n int32) bool { return totals.of[n].Samples == 0 && totals.base[n].Samples > 0 }
	for n := 1; n < len(t.b.Nodes); n++ {
		if gone(int32(n)) && (t.b.Nodes[n].Parent == 0 || !gone(t.b.Nodes[n].Parent)) {
			nodes = append(nodes, int32(n))
			sum = sum.Plus(totals.base[n])
		}
	}
	if len(nodes) == 0 {
		return []string{"Nothing vanished: every call path of the base is there."}
	}
	slices.SortStableFunc(nodes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(totals.base[b].Weight, totals.base[a].Weight), cmp.Compare(totals.base[b].Samples, totals.base[a].Samples))
	})
	notes := []string{fmt.Sprintf("Vanished since the base, and not drawn: %s with %s of the base.",
		plural(len(nodes), "call path"), percent(share(sum, t.whole.base)))}
	for _, n := range nodes[:min(len(nodes), mostVanished)] {
		var names []string
		for at := n; at != 0; at = t.b.Nodes[at].Parent {
			names = append(names, t.name(t.b.Nodes[at].Frame, 60))
		}
		if len(names) > 4 {
			names = append(names[:4], "…")
		}
		notes = append(notes, fmt.Sprintf("%s: %s", percent(share(totals.base[n], t.whole.base)), strings.Join(names, " ← ")))
	}
	return notes
}

// function is a frame wherever it is.
type function struct {
	frame       int32
	self, total amount
}

// functions returns all functions with their own amounts and those with all that they
// call, in which each sample counts once. The first has most of the whole.
func (t *tree) functions() []function {
	all := make([]function, len(t.b.Frames))
	for i := range all {
		all[i].frame = int32(i)
	}
	for _, side := range []struct {
		self []calltree.Weight
		of   func(*amount) *calltree.Weight
	}{
		{t.self, func(a *amount) *calltree.Weight { return &a.of }},
		{t.base, func(a *amount) *calltree.Weight { return &a.base }},
	} {
		if side.self == nil {
			continue
		}
		whole := &calltree.Tree{Frames: t.b.Frames, Nodes: t.b.Nodes, Self: side.self}
		for _, f := range whole.Functions() {
			*side.of(&all[f.Frame].total) = f.Weight
		}
		for _, f := range whole.Bodies() {
			*side.of(&all[f.Frame].self) = f.Weight
		}
	}
	all = slices.DeleteFunc(all, func(f function) bool {
		return t.objects[f.frame] == groupObject || f.total.of.Samples == 0
	})
	slices.SortFunc(all, func(a, b function) int {
		return cmp.Or(
			cmp.Compare(share(b.total.of, t.whole.of), share(a.total.of, t.whole.of)),
			cmp.Compare(share(b.self.of, t.whole.of), share(a.self.of, t.whole.of)),
			cmp.Compare(t.b.Frames[a.frame].Name, t.b.Frames[b.frame].Name))
	})
	return all
}

// standardError returns that of a fraction of n samples, √(p(1−p)/n).
func standardError(p float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Sqrt(max(0, p*(1-p)) / float64(n))
}
