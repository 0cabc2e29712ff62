package calltree

// PathWeight is the weight of a call path.
type PathWeight struct {
	Frames []int32 // indices into Tree.Frames, the outermost first
	Weight
}

// CallPaths are a call path profile.
type CallPaths struct {
	Rows   []PathWeight // the heaviest first; of equal ones the shorter, then by names, from the root on
	Whole  Weight       // of all samples of the tree, with any frames
	Hidden int          // paths below the threshold
	After  int          // paths that would come after the rows, for which there is no Room
	cut    Cut
}

// Cut is how the rows were cut, and are to be: to a number of them, 0 for all.
func (p *CallPaths) Cut(rows int) Cut {
	if p.cut.Lowered && (rows == 0 || rows > p.cut.Rows) {
		return p.cut
	}
	return Cut{p.cut.Threshold, rows, p.cut.Lowered, p.cut.Asked}
}

// Downward returns the weights of the call paths that begin with a root: the downward
// call path profile of the 1993 paper, by the algorithm of its appendix. A path
// begins where a sample's path first, from the outside in, comes to a frame for which
// root holds; each sample counts once for a path. Where a function on a path is called
// again, there is a row of the path that ends in it, and what that calls counts for the
// path that ends in its first call: what is below (main a b a) is below (main a).
//
// Paths with less than the threshold, a fraction of the weight of all samples, are
// counted as hidden.
func (t *Tree) Downward(root func(*Frame) bool, threshold float64) *CallPaths {
	totals, lists, roots := t.Totals(), t.children(), t.fitting(root)
	recs, path := newRecords(t, int32(len(t.Nodes)), lists), newTrail(len(t.Frames))
	type level struct {
		child  int32 // to be visited next
		record int32 // of the path to the level's node, none outside of all roots
		parent int32 // its canonical one, for paths through the node
		length int32 // of that
		unlock bool  // the record was locked for this level
		put    bool  // its frame is on the canonical path since
		undo   placed
	}
	stack := []level{{child: lists.first[0], record: none}}
	for {
		top := &stack[len(stack)-1]
		node := top.child
		if node == 0 {
			if len(stack) == 1 {
				return recs.profile(threshold, false)
			}
			if top.unlock {
				recs.locked[top.record] = 0
			}
			if top.put {
				path.undo(top.undo, top.length-1)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		top.child = lists.next[node]
		if totals[node].Samples == 0 {
			continue
		}
		frame := t.Nodes[node].Frame
		below := level{child: lists.first[node], record: none}
		if top.record != none || roots[frame] {
			below.record = recs.get(top.parent, frame, node)
			if at := path.find(frame, top.length); at > 0 {
				below.parent, below.length = path.ends[at-1], at
			} else {
				below.parent, below.length = below.record, top.length+1
				below.put, below.undo = true, path.put(frame, below.record, top.length)
			}
			if recs.locked[below.record] == 0 {
				recs.locked[below.record], below.unlock = node, true
				recs.weights[below.record] = recs.weights[below.record].Plus(totals[node])
			}
		}
		stack = append(stack, below)
	}
}

// innermost returns, for each node that is of a root, the weight of the samples of
// whose paths it is the innermost such node, and none for the others.
func (t *Tree) innermost(roots []bool) []Weight {
	inside := t.Totals()
	nearest := make([]int32, len(t.Nodes)) // the innermost such node on the path to each, 0 none
	for n := 1; n < len(t.Nodes); n++ {
		out := nearest[t.Nodes[n].Parent]
		nearest[n] = out
		if roots[t.Nodes[n].Frame] {
			inside[out] = inside[out].Minus(inside[n]) // which is whole yet: what is in it stands behind it
			nearest[n] = int32(n)
		}
	}
	for n := range inside {
		if nearest[n] != int32(n) || n == 0 {
			inside[n] = Weight{}
		}
	}
	return inside
}
