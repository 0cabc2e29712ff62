// Package calltree is the calling context tree of samples and the profiles of it:
// those of Hall and Goldberg, "Call Path Profiling of Monotonic Program Resources in
// UNIX" (USENIX 1993), and what gprof makes of a call graph.
//
// A tree is made by a Builder and not changed afterwards; profiles are computed
// from it, each from the start. Nothing here knows where samples come from, or how
// a profile is written.
package calltree

// Frame is what stands at a place on a call path. Two frames are the same function,
// line or object, at the granularity of the tree, if they are equal.
type Frame struct {
	Name string // as reports show it

	// What is known of it, as far as the granularity of the tree keeps it apart.
	Function string
	File     string
	Line     int    // 0 unknown
	Object   string // path of the file
	Addr     uint64 // ELF virtual address; of a caller, of its call
	Inlined  bool   // into the frame that is its parent
}

// Weight is the amount of the resource that samples stand for.
type Weight struct {
	Weight  uint64 // in gticks: µs of a time, one for faults, bytes of I/O
	Samples int
}

// Plus adds two weights.
func (w Weight) Plus(x Weight) Weight { return Weight{w.Weight + x.Weight, w.Samples + x.Samples} }

// Minus takes x, a part of w, away.
func (w Weight) Minus(x Weight) Weight { return Weight{w.Weight - x.Weight, w.Samples - x.Samples} }

// Node is a call path: its frame, called from the path of its parent. It is also its
// key, as two equal paths are one node.
type Node struct{ Parent, Frame int32 }

// Tree is a calling context tree: the sample tree of the 1993 paper, section 5.3. Its
// outermost frames are the children of node 0, which has no frame itself and
// stands for samples without a call path.
type Tree struct {
	Frames []Frame
	Nodes  []Node   // a parent stands before its children
	Self   []Weight // of each node, without its children
}

// Totals returns the weight of each node with all its descendants; that of node 0 is
// all there is.
func (t *Tree) Totals() []Weight {
	totals := append([]Weight(nil), t.Self...)
	for n := len(t.Nodes) - 1; n > 0; n-- {
		parent := t.Nodes[n].Parent
		totals[parent] = totals[parent].Plus(totals[n])
	}
	return totals
}

// Whole returns the weight of all samples.
func (t *Tree) Whole() Weight {
	var sum Weight
	for _, w := range t.Self {
		sum = sum.Plus(w)
	}
	return sum
}

// Depths returns the number of frames on the path of each node.
func (t *Tree) Depths() []int32 {
	depths := make([]int32, len(t.Nodes))
	for n := 1; n < len(t.Nodes); n++ {
		depths[n] = depths[t.Nodes[n].Parent] + 1
	}
	return depths
}

// Path returns the frames of a node's call path, the innermost first.
func (t *Tree) Path(node int32) []int32 {
	var frames []int32
	for ; node != 0; node = t.Nodes[node].Parent {
		frames = append(frames, t.Nodes[node].Frame)
	}
	return frames
}
