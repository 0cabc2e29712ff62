package path

import (
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// A CallPath is the frames of a row. It is kept as a node of the tree of all paths: the rows of a deep
// recursion have as many frames as the square of its depth.
type CallPath struct {
	t    tree
	node int32
}

// Names returns the names of the frames, the innermost first.
func (p CallPath) Names() []string {
	names := make([]string, 0, p.Depth())
	for node := p.node; node != 0; node = p.t.Nodes[node].Parent {
		names = append(names, p.t.name(node))
	}
	return names
}

// Innermost returns the name of the innermost frame.
func (p CallPath) Innermost() string { return p.t.name(p.node) }

// Depth returns the number of frames.
func (p CallPath) Depth() int {
	if p.t.Builder == nil {
		return 0
	}
	n := 0
	for node := p.node; node != 0; node = p.t.Nodes[node].Parent {
		n++
	}
	return n
}

// PathOf returns the path of frames of these names, the innermost first, in a tree of its own.
func PathOf(names ...string) CallPath {
	t := newTree()
	var node int32
	for _, name := range slices.Backward(names) {
		node = t.Child(node, t.Frame(calltree.Frame{Name: name}))
	}
	return CallPath{t, node}
}
