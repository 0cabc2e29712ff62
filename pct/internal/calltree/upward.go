package calltree

import "slices"

// Upward returns the weights of the call paths that end with a root. It is
// symmetric to Downward: it is that of the tree of the reversed paths, each from its innermost
// frame for which root holds outwards. Rows have their outermost frame first all the
// same.
//
// That tree is not made. Reversed paths without recursion have no record twice, and nothing but records in common. In a
// recursive program all go on in the same ways once they came back to a function, however deep: see state.
func (t *Tree) Upward(root func(*Frame) bool, threshold float64) *CallPaths {
	u := &upward{
		t: t, recs: newRecords(t, emptyPath+1, children{}), path: newTrail(len(t.Frames)),
		states: make([]state, 1), begin: make([]int32, 1), onward: Tree{Nodes: make([]Node, 1), Self: make([]Weight, 1)},
	}
	for node, w := range t.innermost(t.fitting(root)) {
		if w.Samples > 0 {
			u.add(int32(node), w)
		}
	}
	u.addRecursive()
	return u.recs.profile(threshold, true)
}

// upward is the reversed paths of an upward profile.
type upward struct {
	t    *Tree
	recs *records
	path *trail

	states []state // from 1
	number pairs   // of each state
	onward Tree    // of the states: each is below that to which its path goes on, and its frame is the record that it comes to
	starts []start
	begin  []int32 // of each state, the last of the starts whose paths come to it as their first, from 1; 0 none

	simple []int32 // records of a path up to where it comes back to a function, with the one that does
	ahead  []step  // states of a path that are new
}

// A step is a state, and the record that its path comes to there.
type step struct {
	state
	to int32
}

// A state of a path that came back to a function is the node of the tree that it goes on from, and the record of its canonical
// path up to there. Where it goes from there depends on nothing else.
type state struct{ node, record int32 }

// A start is where paths with samples begin that come back to a function.
type start struct {
	node   int32
	next   int32 // with the same state
	weight Weight
}

// key is a state as a pair.
func (u *upward) key(number int32) Node { return u.states[number].pair() }

func (s state) pair() Node { return Node{s.node, s.record} }

// walk goes from a node outwards as long as no function is on the path twice. It leaves the records in simple, and returns
// the state in which the path goes on, none at its end.
func (u *upward) walk(node int32) (at state, length int32) {
	u.simple = u.simple[:0]
	for at = (state{node, emptyPath}); at.node != 0; {
		frame := u.t.Nodes[at.node].Frame
		record := u.recs.get(at.record, frame, 0)
		u.simple = append(u.simple, record)
		at = state{u.t.Nodes[at.node].Parent, record}
		if back := u.path.find(frame, length); back > 0 {
			at.record = u.path.ends[back-1]
			return at, back
		}
		u.path.put(frame, record, length)
		length++
	}
	return at, length
}

// add adds the samples of whose paths a node is the innermost root.
func (u *upward) add(node int32, w Weight) {
	at, length := u.walk(node)
	if at.node == 0 {
		for _, record := range u.simple {
			u.recs.weights[record] = u.recs.weights[record].Plus(w)
		}
		return
	}
	first := u.follow(at, length)
	u.starts = append(u.starts, start{node, u.begin[first], w})
	u.begin[first] = int32(len(u.starts))
	u.onward.Self[first] = u.onward.Self[first].Plus(w)
}

// follow returns the number of a state at which the walk is, and gives numbers to those that it goes on to.
func (u *upward) follow(at state, length int32) int32 {
	u.ahead = u.ahead[:0]
	var known int32
	for at.node != 0 {
		if number, ok := u.number.get(at.pair(), u); ok {
			known = number
			break
		}
		frame := u.t.Nodes[at.node].Frame
		record := u.recs.get(at.record, frame, 0)
		u.ahead = append(u.ahead, step{at, record})
		at = state{u.t.Nodes[at.node].Parent, record}
		if back := u.path.find(frame, length); back > 0 {
			at.record, length = u.path.ends[back-1], back
		} else {
			u.path.put(frame, record, length)
			length++
		}
	}
	for _, s := range slices.Backward(u.ahead) {
		u.states, u.begin = append(u.states, s.state), append(u.begin, 0)
		u.onward.Nodes, u.onward.Self = append(u.onward.Nodes, Node{known, s.to}), append(u.onward.Self, Weight{})
		known = int32(len(u.states) - 1)
		u.number.put(s.pair(), known, u)
	}
	return known
}

// addRecursive adds the samples of paths that have states, each once for a record: where its path comes to it last.
func (u *upward) addRecursive() {
	recs, totals, lists := u.recs, u.onward.Totals(), u.onward.children()
	type level struct {
		child  int32 // to be visited next
		unlock int32 // the record that this level has locked, emptyPath none
	}
	stack := []level{{child: lists.first[0]}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		at := top.child
		if at == 0 {
			recs.locked[top.unlock] = 0
			stack = stack[:len(stack)-1]
			continue
		}
		top.child = lists.next[at]
		below := level{child: lists.first[at]}
		if record := u.onward.Nodes[at].Frame; recs.locked[record] == 0 {
			recs.locked[record], below.unlock = at, record
			recs.weights[record] = recs.weights[record].Plus(totals[at])
		}
		for s := u.begin[at]; s != 0; s = u.starts[s-1].next {
			u.walk(u.starts[s-1].node)
			for _, record := range u.simple {
				if recs.locked[record] == 0 {
					recs.weights[record] = recs.weights[record].Plus(u.starts[s-1].weight)
				}
			}
		}
		stack = append(stack, below)
	}
}
