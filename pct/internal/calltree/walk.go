package calltree

// children are the lists of the nodes called from each node, in their order; 0 ends one.
type children struct{ first, next []int32 }

func (t *Tree) children() children {
	c := children{make([]int32, len(t.Nodes)), make([]int32, len(t.Nodes))}
	for n := len(t.Nodes) - 1; n > 0; n-- {
		parent := t.Nodes[n].Parent
		c.next[n] = c.first[parent]
		c.first[parent] = int32(n)
	}
	return c
}

// fitting evaluates a predicate for each frame.
func (t *Tree) fitting(is func(*Frame) bool) []bool {
	fits := make([]bool, len(t.Frames))
	for f := range t.Frames {
		fits[f] = is(&t.Frames[f])
	}
	return fits
}
