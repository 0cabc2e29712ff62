package calltree

import (
	"cmp"
	"slices"
)

// TreeRow is a node in an outline of a tree.
type TreeRow struct {
	Depth int   // 0 for an outermost frame
	Frame int32 // index into Tree.Frames
	Weight
}

// Outline returns the nodes with all their descendants: the sample tree profile of the 1993
// paper, section 7.2. Each stands before what it called, the heaviest of which comes
// first. Nodes with less than the threshold, a fraction of the weight of all samples, are
// hidden, and only counted; nodes without samples are left out.
//
// The cut is of the threshold and a number of rows, 0 for all; what it leaves of the rows is up to the caller.
func (t *Tree) Outline(threshold float64, most int) (rows []TreeRow, hidden int, cut Cut) {
	totals, lists, whole := t.Totals(), t.children(), t.Whole()
	cut = NewCut(threshold, most, heaviest(totals[1:], whole))
	shown := func(w Weight) bool { return w.Samples > 0 && !below(w, whole, cut.Threshold) }
	for n := 1; n < len(t.Nodes); n++ {
		if totals[n].Samples > 0 && !shown(totals[n]) {
			hidden++
		}
	}
	type visit struct {
		node  int32
		depth int
	}
	stack := []visit{{0, -1}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if top.node != 0 {
			rows = append(rows, TreeRow{top.depth, t.Nodes[top.node].Frame, totals[top.node]})
		}
		first := len(stack)
		for child := lists.first[top.node]; child != 0; child = lists.next[child] {
			if shown(totals[child]) {
				stack = append(stack, visit{child, top.depth + 1})
			}
		}
		slices.SortFunc(stack[first:], func(a, b visit) int { // the heaviest last, to be taken first
			x, y := totals[a.node], totals[b.node]
			return cmp.Or(cmp.Compare(x.Weight, y.Weight), cmp.Compare(x.Samples, y.Samples),
				cmp.Compare(t.name(b.node), t.name(a.node)), cmp.Compare(b.node, a.node))
		})
	}
	return rows, hidden, cut
}

func (t *Tree) name(node int32) string { return t.Frames[t.Nodes[node].Frame].Name }

// heaviest is the greatest fraction of the whole.
func heaviest(all []Weight, whole Weight) float64 {
	greatest := uint64(0)
	for _, w := range all {
		greatest = max(greatest, w.Weight)
	}
	return float64(greatest) / float64(max(1, whole.Weight))
}

// below reports whether a weight is less than a fraction of the whole.
func below(w, whole Weight, threshold float64) bool {
	return whole.Weight > 0 && float64(w.Weight)/float64(whole.Weight) < threshold
}
