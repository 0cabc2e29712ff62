package calltree

import (
	"cmp"
	"slices"
)

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

// profile returns the rows of the records, whose frames are in the order of a path or,
// if they are reversed, in the other one.
func (rs *records) profile(threshold float64, reversed bool) *CallPaths {
	p := &CallPaths{Whole: rs.t.Whole()}
	p.cut = NewCut(threshold, 0, heaviest(rs.weights, p.Whole))
	var rows []int32
	for r, w := range rs.weights {
		switch {
		case w.Samples == 0:
		case below(w, p.Whole, p.cut.Threshold):
			p.Hidden++
		default:
			rows = append(rows, int32(r))
		}
	}
	lengths := rs.lengths()
	var ranks []int32
	slices.SortFunc(rows, func(a, b int32) int {
		x, y := rs.weights[a], rs.weights[b]
		if c := cmp.Or(cmp.Compare(y.Weight, x.Weight), cmp.Compare(y.Samples, x.Samples), cmp.Compare(lengths[a], lengths[b])); c != 0 {
			return c
		}
		if ranks == nil {
			ranks = rs.ranks()
		}
		return cmp.Compare(ranks[a], ranks[b])
	})
	var room Room
	for i, r := range rows {
		if !room.Take(int(lengths[r])) {
			p.After = len(rows) - i
			break
		}
		frames := make([]int32, 0, lengths[r])
		for at := r; at != emptyPath; {
			key := rs.key(at)
			frames = append(frames, key.Frame)
			at = key.Parent
		}
		if !reversed {
			slices.Reverse(frames)
		}
		p.Rows = append(p.Rows, PathWeight{frames, rs.weights[r]})
	}
	return p
}

// lengths returns the number of frames of each record's path. A record has a greater number than that of the path
// without its last frame.
func (rs *records) lengths() []int32 {
	lengths := make([]int32, len(rs.weights))
	for r := 1; r < len(lengths); r++ {
		lengths[r] = lengths[rs.key(int32(r)).Parent] + 1
	}
	return lengths
}

// ranks returns the places of the records in the order of the names on their paths, from the root on.
func (rs *records) ranks() []int32 {
	order := make([]int32, len(rs.t.Frames))
	for f := range order {
		order[f] = int32(f)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rs.t.Frames[a].Name, rs.t.Frames[b].Name), cmp.Compare(a, b))
	})
	// Of each frame the records that end with it, and then of each record those of paths longer by a frame.
	ending, another := make([]int32, len(order)), make([]int32, len(rs.weights))
	for r := len(another) - 1; r > 0; r-- {
		frame := rs.key(int32(r)).Frame
		another[r], ending[frame] = ending[frame], int32(r)
	}
	longer := children{make([]int32, len(rs.weights)), make([]int32, len(rs.weights))}
	for _, frame := range slices.Backward(order) {
		for r := ending[frame]; r != 0; r = another[r] {
			parent := rs.key(r).Parent
			longer.next[r], longer.first[parent] = longer.first[parent], r
		}
	}
	ranks, rank := another, int32(0) // in place of what is done with
	for r, stack := int32(0), []int32(nil); ; {
		ranks[r] = rank
		rank++
		switch first := longer.first[r]; {
		case first != 0:
			stack = append(stack, r)
			r = first
			continue
		}
		for longer.next[r] == 0 && len(stack) > 0 {
			r, stack = stack[len(stack)-1], stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return ranks
		}
		r = longer.next[r]
	}
}
