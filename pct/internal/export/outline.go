package export

import (
	"cmp"
	"iter"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// An outline has the nodes of a tree that have samples, or are on the way to such, in
// an order that depends on names alone: those called by the same node by their names.
type outline struct {
	*calltree.Tree
	totals []calltree.Weight
	from   []int32 // where in kids those of a node begin; they end where the next one's begin
	kids   []int32
}

func newOutline(t *calltree.Tree) *outline {
	o := &outline{Tree: t, totals: t.Totals(), from: make([]int32, len(t.Nodes)+1)}
	order := make([]int32, 0, len(t.Nodes))
	used := make([]bool, len(t.Frames))
	for n := 1; n < len(t.Nodes); n++ {
		if o.totals[n].Samples > 0 {
			order = append(order, int32(n))
			o.from[t.Nodes[n].Parent+1]++
			used[t.Nodes[n].Frame] = true
		}
	}
	for n := range t.Nodes {
		o.from[n+1] += o.from[n]
	}
	rank := ranks(t.Frames, used)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(rank[t.Nodes[a].Frame], rank[t.Nodes[b].Frame]) })
	o.kids = make([]int32, len(order))
	next := slices.Clone(o.from)
	for _, n := range order {
		parent := t.Nodes[n].Parent
		o.kids[next[parent]] = n
		next[parent]++
	}
	return o
}

// ranks are the places of the frames that are used in the order of their names: of many
// groups with all the same frames each uses few.
func ranks(frames []calltree.Frame, used []bool) []int32 {
	var order []int32
	for i := range frames {
		if used[i] {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return compareFrames(&frames[a], &frames[b]) })
	rank := make([]int32, len(frames))
	for i, f := range order {
		rank[f] = int32(i)
	}
	return rank
}

func compareFrames(a, b *calltree.Frame) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Object, b.Object), cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line), cmp.Compare(a.Addr, b.Addr))
}

// preorder gives each node with its depth, 1 for an outermost frame, before its
// children.
func (o *outline) preorder() iter.Seq2[int32, int] {
	return func(yield func(int32, int) bool) {
		type level struct{ next, end int32 }
		levels := []level{{o.from[0], o.from[1]}}
		for len(levels) > 0 {
			top := &levels[len(levels)-1]
			if top.next == top.end {
				levels = levels[:len(levels)-1]
				continue
			}
			n := o.kids[top.next]
			top.next++
			if !yield(n, len(levels)) {
				return
			}
			levels = append(levels, level{o.from[n], o.from[n+1]})
		}
	}
}
