package calltree

import (
	"cmp"
	"slices"
)

// FrameWeight is the weight of a frame.
type FrameWeight struct {
	Frame int32 // index into Tree.Frames
	Weight
}

// Functions returns the weight of each frame with all that it called, directly or
// not: the function profile of the 1993 paper, section 4.4, which is that of all call
// paths of length 1. A sample counts once for a frame, however often it is on its path. The
// heaviest comes first; frames without samples are left out.
func (t *Tree) Functions() []FrameWeight {
	totals, lists := t.Totals(), t.children()
	sums := make([]Weight, len(t.Frames))
	locked := make([]bool, len(t.Frames))
	type level struct {
		child  int32 // to be visited next
		unlock int32 // the frame that this level has locked, or none
	}
	stack := []level{{lists.first[0], none}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		node := top.child
		if node == 0 {
			if top.unlock != none {
				locked[top.unlock] = false
			}
			stack = stack[:len(stack)-1]
			continue
		}
		top.child = lists.next[node]
		if totals[node].Samples == 0 {
			continue
		}
		below := level{lists.first[node], none}
		if frame := t.Nodes[node].Frame; !locked[frame] {
			locked[frame], below.unlock = true, frame
			sums[frame] = sums[frame].Plus(totals[node])
		}
		stack = append(stack, below)
	}
	return t.sorted(sums)
}

// Bodies returns the weight of each frame by itself, without what it called: the body
// profile of the 1993 paper, section 5.2. The heaviest comes first; frames without
// samples are left out.
func (t *Tree) Bodies() []FrameWeight {
	sums := make([]Weight, len(t.Frames))
	for n := 1; n < len(t.Nodes); n++ {
		frame := t.Nodes[n].Frame
		sums[frame] = sums[frame].Plus(t.Self[n])
	}
	return t.sorted(sums)
}

// none stands for a number that there is not.
const none = -1

// sorted returns the frames that have samples, the heaviest first.
func (t *Tree) sorted(sums []Weight) []FrameWeight {
	var all []FrameWeight
	for frame, w := range sums {
		if w.Samples > 0 {
			all = append(all, FrameWeight{int32(frame), w})
		}
	}
	slices.SortFunc(all, func(a, b FrameWeight) int {
		return cmp.Or(cmp.Compare(b.Weight.Weight, a.Weight.Weight), cmp.Compare(b.Samples, a.Samples),
			cmp.Compare(t.Frames[a.Frame].Name, t.Frames[b.Frame].Name), cmp.Compare(a.Frame, b.Frame))
	})
	return all
}
