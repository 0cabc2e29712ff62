package calltree

import "slices"

// A Builder gives out the numbers of frames and nodes.
type Builder struct {
	Frames []Frame
	Nodes  []Node

	frames   table
	children pairs
}

// NewBuilder returns a Builder whose only node is the root.
func NewBuilder() *Builder {
	return &Builder{Nodes: make([]Node, 1)}
}

// Frame returns the number of a frame.
func (b *Builder) Frame(f Frame) int32 {
	id, ok := b.frames.get(f, b.Frames)
	if !ok {
		id = int32(len(b.Frames))
		b.Frames = append(b.Frames, f)
		b.frames.put(id, b.Frames)
	}
	return id
}

// Child returns the node of a frame called from parent.
func (b *Builder) Child(parent, frame int32) int32 {
	key := Node{parent, frame}
	if b.children.used == 0 {
		for node := 1; node < len(b.Nodes); node++ {
			b.children.put(b.Nodes[node], int32(node), b)
		}
	}
	node, ok := b.children.get(key, b)
	if !ok {
		node = int32(len(b.Nodes))
		b.Nodes = append(b.Nodes, key)
		b.children.put(key, node, b)
	}
	return node
}

// Settle lets go of what Child finds nodes by, a third of the memory of a Builder. Child makes it again if it is asked for more.
func (b *Builder) Settle() { b.children = pairs{} }

func (b *Builder) key(node int32) Node { return b.Nodes[node] }

// Insert returns the node whose path has these frames, the innermost first.
func (b *Builder) Insert(frames []int32) int32 {
	var node int32
	for i := len(frames) - 1; i >= 0; i-- {
		node = b.Child(node, frames[i])
	}
	return node
}

// Compact returns the tree of the nodes with weights and of those on their paths alone, which get
// numbers of their own. It shares frames with the Builder.
func (b *Builder) Compact(self map[int32]Weight) *Tree {
	var needed []int32
	known := map[int32]int32{0: 0} // numbers in the tree
	for node := range self {
		for ; ; node = b.Nodes[node].Parent {
			if _, ok := known[node]; ok {
				break
			}
			known[node] = 0
			needed = append(needed, node)
		}
	}
	slices.Sort(needed) // parents first
	t := &Tree{Frames: b.Frames, Nodes: make([]Node, 1, len(needed)+1), Self: make([]Weight, len(needed)+1)}
	for _, node := range needed {
		known[node] = int32(len(t.Nodes))
		t.Nodes = append(t.Nodes, Node{known[b.Nodes[node].Parent], b.Nodes[node].Frame})
	}
	for node, w := range self {
		t.Self[known[node]] = w
	}
	return t
}
