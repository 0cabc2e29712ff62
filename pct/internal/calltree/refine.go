package calltree

import (
	"slices"
	"strings"
)

// A Refinement keeps a part of the call paths: Hall, "Call Path Refinement Profiles"
// (IEEE Transactions on Software Engineering, 1995).
type Refinement struct {
	Through []Pattern // functions that a path passes in this order, from the outside in, with any others between them
	Not     bool      // keep the other paths
}

// String says what is kept, for heads of reports.
func (r Refinement) String() string {
	names := make([]string, len(r.Through))
	for i, p := range r.Through {
		names[i] = p.String()
	}
	text := "through " + strings.Join(names, ", then ")
	if r.Not {
		text = "not " + text
	}
	return text
}

// Refine returns the tree of those samples whose paths all refinements keep. It
// shares frames and nodes with t.
func (t *Tree) Refine(refinements []Refinement) *Tree {
	if len(refinements) == 0 {
		return t
	}
	refined := &Tree{Frames: t.Frames, Nodes: t.Nodes, Self: append([]Weight(nil), t.Self...)}
	for node, kept := range t.Kept(refinements) {
		if !kept {
			refined.Self[node] = Weight{}
		}
	}
	return refined
}

// Kept tells of each node whether all refinements keep its path.
func (t *Tree) Kept(refinements []Refinement) []bool {
	kept := slices.Repeat([]bool{true}, len(t.Nodes))
	for _, r := range refinements {
		for node, n := range t.passed(r.Through) {
			kept[node] = kept[node] && (int(n) == len(r.Through)) != r.Not
		}
	}
	return kept
}

// passed returns how many of the patterns the path of each node passes, in order. To
// take each as far out as it is found leaves most for the others.
func (t *Tree) passed(through []Pattern) []int16 {
	fits := make([][]bool, len(through)) // each pattern and frame
	for i, p := range through {
		p = p.Among(t.Frames)
		fits[i] = make([]bool, len(t.Frames))
		for f := range t.Frames {
			fits[i][f] = p.Frame(&t.Frames[f])
		}
	}
	passed := make([]int16, len(t.Nodes))
	for n := 1; n < len(t.Nodes); n++ {
		k := passed[t.Nodes[n].Parent]
		if int(k) < len(through) && fits[k][t.Nodes[n].Frame] {
			k++
		}
		passed[n] = k
	}
	return passed
}
