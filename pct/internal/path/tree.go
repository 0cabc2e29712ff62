package path

import (
	"cmp"
	"slices"
)

// entry is the function where a program starts for its author; the frames that
// call it belong to the start-up code.
const entry = "main"

// A tree is the calling context tree of all runs at one granularity: its nodes
// are call paths, a node's parent is its caller. Node 0 is the root.
type tree struct {
	nodes  []treeNode
	labels []string

	located map[int32]bool // labels that are FILE:LINE

	labelIDs map[string]int32
	children map[treeNode]int32
}

// treeNode is a node's key: two equal paths are one node.
type treeNode struct {
	parent int32
	label  int32
}

// spot is where a call path of a run is in the tree.
type spot struct {
	node   int32
	inMain bool // main is on the path
}

func newTree() *tree {
	return &tree{nodes: make([]treeNode, 1), located: map[int32]bool{}, labelIDs: map[string]int32{}, children: map[treeNode]int32{}}
}

// label returns the id of a label.
func (t *tree) label(label string) int32 {
	id, ok := t.labelIDs[label]
	if !ok {
		id = int32(len(t.labels))
		t.labels = append(t.labels, label)
		t.labelIDs[label] = id
	}
	return id
}

// child returns the node of a frame called from parent.
func (t *tree) child(parent, label int32) int32 {
	key := treeNode{parent, label}
	node, ok := t.children[key]
	if !ok {
		node = int32(len(t.nodes))
		t.nodes = append(t.nodes, key)
		t.children[key] = node
	}
	return node
}

// A step is what a frame does to a call path.
type step struct {
	label int32
	main  bool
}

// shape says how a tree is made of frames.
type shape struct {
	granularity Granularity
	label       func(frame, Granularity) string
	pastMain    bool // keep the callers of main
}

// steps labels the frames of each place, outermost first.
func (t *tree) steps(all *symbols, sh shape) [][]step {
	steps := make([][]step, len(all.chains))
	for i, chain := range all.chains {
		if sh.granularity == Address {
			chain = chain[len(chain)-1:] // inlined functions share the address
		}
		for _, f := range slices.Backward(chain) {
			label := t.label(sh.label(f, sh.granularity))
			if sh.granularity == Line && f.located() {
				t.located[label] = true
			}
			steps[i] = append(steps[i], step{label, f.function == entry})
		}
	}
	return steps
}

// add puts the nodes of a run into the tree and returns where each went. place
// gives the place of each, whose steps are taken from the caller's node.
func (t *tree) add(r *run, place []int32, steps [][]step, sh shape) []spot {
	at := make([]spot, len(r.Nodes))
	for id := 1; id < len(r.Nodes); id++ {
		if place[id] == unselected {
			continue // with innermost places, parents are: the path begins where it ends
		}
		where := at[r.Nodes[id].Parent]
		for _, s := range steps[place[id]] {
			if s.main && !where.inMain {
				where.inMain = true
				if !sh.pastMain {
					where.node = 0
				}
			}
			if sh.granularity.coarse() && where.node != 0 && t.nodes[where.node].label == s.label {
				continue
			}
			where.node = t.child(where.node, s.label)
		}
		at[id] = where
	}
	return at
}

// path returns the labels from a node outwards, at most levels of them; 0 is all.
func (t *tree) path(node int32, levels int) []string {
	var labels []string
	for ; node != 0 && (levels == 0 || len(labels) < levels); node = t.nodes[node].parent {
		labels = append(labels, t.labels[t.nodes[node].label])
	}
	return labels
}

// insert returns the node whose path has these labels, the innermost first.
func (t *tree) insert(labels []string) int32 {
	var node int32
	for i := len(labels) - 1; i >= 0; i-- {
		node = t.child(node, t.label(labels[i]))
	}
	return node
}

// compare orders paths by their labels from the inside outwards.
func (t *tree) compare(a, b int32) int {
	for a != b && a != 0 && b != 0 {
		x, y := t.nodes[a], t.nodes[b]
		if c := cmp.Compare(t.labels[x.label], t.labels[y.label]); c != 0 {
			return c
		}
		a, b = x.parent, y.parent
	}
	return cmp.Compare(a, b)
}
