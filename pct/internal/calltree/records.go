package calltree

import "slices"

// records are the appendix's PATH-HASH. A record stands for a call path: for the one
// without its last frame, which is canonical, and that frame.
//
// The numbers of records below base are those of nodes of the tree: the record of a
// node's own path, counted from its root, which is all that a program without recursion
// needs if its root is in one place of the tree. The others are extra ones.
type records struct {
	t     *Tree
	base  int32
	lists children

	top     []int32 // by frame: the record of the path of this frame alone, emptyPath none
	extra   []Node  // from base on
	shared  []bool  // nodes whose children are in table
	table   pairs   // children of shared nodes, and the extra records
	weights []Weight
	locked  []int32 // not 0 while a sample's tick was counted already
}

// emptyPath is the record of the path without frames.
const emptyPath = 0

func newRecords(t *Tree, base int32, lists children) *records {
	return &records{
		t: t, base: base, lists: lists,
		top:     make([]int32, len(t.Frames)),
		shared:  make([]bool, base),
		weights: make([]Weight, base),
		locked:  make([]int32, base),
	}
}

// key is the record of the path without its last frame, and that frame.
func (rs *records) key(r int32) Node {
	key := Node{}
	if r >= rs.base {
		key = rs.extra[r-rs.base]
	} else {
		key = rs.t.Nodes[r]
	}
	if rs.top[key.Frame] == r {
		key.Parent = emptyPath
	}
	return key
}

// get is the appendix's get-record. node is the node of the tree that the path comes
// from, or 0.
func (rs *records) get(parent, frame, node int32) int32 {
	switch {
	case parent == emptyPath && rs.top[frame] != emptyPath:
		return rs.top[frame]
	case parent == emptyPath && node != 0:
		rs.top[frame] = node
		return node
	case parent == emptyPath:
		rs.top[frame] = rs.add(parent, frame)
		return rs.top[frame]
	case node != 0 && parent == rs.t.Nodes[node].Parent:
		return node
	case parent < rs.base && !rs.shared[parent]:
		rs.shared[parent] = true
		for child := rs.lists.first[parent]; child != 0; child = rs.lists.next[child] {
			rs.table.put(rs.t.Nodes[child], child, rs)
		}
	}
	if r, ok := rs.table.get(Node{parent, frame}, rs); ok {
		return r
	}
	r := rs.add(parent, frame)
	rs.table.put(Node{parent, frame}, r, rs)
	return r
}

func (rs *records) add(parent, frame int32) int32 {
	rs.extra = append(rs.extra, Node{parent, frame})
	rs.weights = append(rs.weights, Weight{})
	rs.locked = append(rs.locked, 0)
	return rs.base + int32(len(rs.extra)) - 1
}

// canonical is the appendix's Canonicalize-name: the record of the path that ends in the
// first call of the frame which is the last of r's.
func (rs *records) canonical(r int32) int32 {
	key := rs.key(r)
	for out := key.Parent; out != emptyPath; {
		outer := rs.key(out)
		if outer.Frame == key.Frame {
			return out
		}
		out = outer.Parent
	}
	return r
}

// profile returns the rows of the records, whose frames are in the order of a path or,
// if they are reversed, in the other one.
func (rs *records) profile(threshold float64, reversed bool) *CallPaths {
	p := &CallPaths{Whole: rs.t.Whole()}
	p.cut = NewCut(threshold, 0, heaviest(rs.weights, p.Whole))
	for i, w := range rs.weights {
		if w.Samples == 0 {
			continue
		}
		if below(w, p.Whole, p.cut.Threshold) {
			p.Hidden++
			continue
		}
		var frames []int32
		for r := int32(i); r != emptyPath; {
			key := rs.key(r)
			frames = append(frames, key.Frame)
			r = key.Parent
		}
		if !reversed {
			slices.Reverse(frames)
		}
		p.Rows = append(p.Rows, PathWeight{frames, w})
	}
	slices.SortFunc(p.Rows, func(a, b PathWeight) int { return rs.t.compare(&a, &b) })
	return p
}
