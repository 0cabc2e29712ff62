package calltree

// Simple returns a tree in which no function is on a path twice: a path that comes back to one goes on from where it was
// first, as the appendix of the 1993 paper has it. name tells functions apart. It also returns the node that each one
// of t became: nil if each is itself, in which case the trees share their nodes.
func (t *Tree) Simple(name func(*Frame) string) (simple *Tree, became []int32) {
	b := NewBuilder()
	frames := make([]int32, len(t.Frames))
	for i := range t.Frames {
		frames[i] = b.Frame(Frame{Name: name(&t.Frames[i])})
	}
	if len(b.Frames) == len(t.Frames) && t.isSimple() {
		return &Tree{b.Frames, t.Nodes, t.Self}, nil
	}
	became = make([]int32, len(t.Nodes))
	lists, path := t.children(), newTrail(len(b.Frames))
	type level struct {
		child  int32 // to be visited next
		node   int32 // of the new tree
		length int32 // of its path
		put    bool  // its frame is on the path since
		undo   placed
	}
	for stack := []level{{child: lists.first[0]}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		n := top.child
		if n == 0 {
			if top.put {
				path.undo(top.undo, top.length-1)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		top.child = lists.next[n]
		frame := frames[t.Nodes[n].Frame]
		below := level{child: lists.first[n]}
		if at := path.find(frame, top.length); at > 0 {
			below.node, below.length = path.ends[at-1], at
		} else {
			below.node, below.length = b.Child(top.node, frame), top.length+1
			below.put, below.undo = true, path.put(frame, below.node, top.length)
		}
		became[n] = below.node
		stack = append(stack, below)
	}
	self := make([]Weight, len(b.Nodes))
	for n, w := range t.Self {
		self[became[n]] = self[became[n]].Plus(w)
	}
	return &Tree{b.Frames, b.Nodes, self}, became
}

// isSimple reports whether no frame is on a path twice.
func (t *Tree) isSimple() bool {
	on := make([]bool, len(t.Frames)) // the path of n
	lists := t.children()
	for n := lists.first[0]; n != 0; {
		f := t.Nodes[n].Frame
		if on[f] {
			return false
		}
		on[f] = true
		if lists.first[n] != 0 {
			n = lists.first[n]
			continue
		}
		for n != 0 {
			on[t.Nodes[n].Frame] = false
			if lists.next[n] != 0 {
				n = lists.next[n]
				break
			}
			n = t.Nodes[n].Parent
		}
	}
	return true
}
