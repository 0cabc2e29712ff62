package export

// An activation is a function in a format that adds up costs by function, as
// Callgrind's. Such a format takes a recursive function's cost for more than all there is,
// as what it called contains what it called again. So a function has one name for its
// outermost activation on a path and others for those further in, and no name is twice
// on any path: see reduce.
type activation struct {
	function int32
	level    int32 // 1 for the outermost one, 2 for one within that, and so on
}

// reduced are call paths without names that are there twice: a tree, which is not larger
// than that which it was made of.
type reduced struct {
	activations []activation // each once
	names       []int32      // of each activation
	nodes       []reducedNode
	at          []int32 // of each node of the tree: the one that it became
}

type reducedNode struct {
	parent     int32
	activation int32
	line       int32 // of the parent, where it was called; 0 unknown
	depth      int32
}

// reduce makes reduced call paths of an outline. Its frames are of the functions given; two
// functions of the same name, for which the format takes them for the same, have the same name
// number.
//
// A function that is on the path already is there once more, at the next level. But
// where all that lies between its last activation and the new one is of levels from
// 2 up, the path goes on at the last activation, and what lies between is left out: so a
// function that calls itself a thousand times has two names, and two functions that call
// each other have four. Nothing of level 1 is left out: the cost of a
// function's outermost activation, with what it called, is the weight of the samples that
// have it anywhere, each once.
func reduce(o *outline, function, name []int32) *reduced {
	r := &reduced{nodes: make([]reducedNode, 1), at: make([]int32, len(o.Nodes))}
	ids, children := map[activation]int32{}, map[reducedNode]int32{}
	onPath := make([]int32, len(function)) // how often a name is on the path to here
	here := int32(0)
	for n := range o.preorder() {
		frame, caller := o.Nodes[n].Frame, o.Nodes[n].Parent
		parent := r.at[caller]
		for down := parent; here != down; { // to the node that both are below
			if r.nodes[here].depth >= r.nodes[down].depth {
				onPath[r.names[r.nodes[here].activation]]--
				here = r.nodes[here].parent
			} else {
				onPath[r.names[r.nodes[down].activation]]++
				down = r.nodes[down].parent
			}
		}
		here = parent
		a := activation{function[frame], 1}
		if onPath[name[frame]] > 0 {
			last, inner := r.last(parent, name[frame])
			before := r.activations[r.nodes[last].activation]
			if inner && before.level > 1 && before.function == a.function {
				r.at[n] = last
				continue
			}
			a.level = before.level + 1
		}
		id, ok := ids[a]
		if !ok {
			id = int32(len(r.activations))
			r.activations, r.names = append(r.activations, a), append(r.names, name[frame])
			ids[a] = id
		}
		made := reducedNode{parent: parent, activation: id, depth: r.nodes[parent].depth + 1}
		if caller != 0 {
			made.line = int32(o.Frames[o.Nodes[caller].Frame].Line)
		}
		node, ok := children[made]
		if !ok {
			node = int32(len(r.nodes))
			r.nodes = append(r.nodes, made)
			children[made] = node
		}
		r.at[n] = node
	}
	return r
}

// last returns the innermost node of a name on the path of a node, which is there, and
// whether all nodes further in are of levels from 2 up.
func (r *reduced) last(node, name int32) (last int32, inner bool) {
	inner = true
	for r.names[r.nodes[node].activation] != name {
		inner = inner && r.activations[r.nodes[node].activation].level > 1
		node = r.nodes[node].parent
	}
	return node, inner
}
