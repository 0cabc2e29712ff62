package calltree

// CallGraph returns the call graph of the samples.
func (t *Tree) CallGraph() *CallGraph {
	b := graphBuilder{tree: t, totals: t.Totals(), arcs: map[Node]*arcSum{}}
	b.findCycles()
	b.addFromOutside()
	b.addRecursion()
	b.total = make([]Weight, len(t.Frames))
	for _, f := range t.Functions() {
		b.total[f.Frame] = f.Weight
	}
	return b.graph()
}

// graphBuilder adds up a call graph. An arc is kept as a Node: its caller's frame, none
// at the outer end of a stack, and its callee's.
type graphBuilder struct {
	tree   *Tree
	totals []Weight
	order  []Node // arcs in the order of their first nodes
	arcs   map[Node]*arcSum
	cycle  []int // of each frame
	cycles int

	self, total []Weight // of each frame
	whole       []cycleSum
	left        []Weight // by frame: samples of its cycle's children that left it there
}

type arcSum struct {
	Weight           // of the stacks that contain it
	self      Weight // in the body of the callee or its cycle
	locked    bool   // while the walk is below it
	recursion bool
}

// cycleSum is what a cycle has as a whole.
type cycleSum struct {
	self, total Weight
	callers     map[int32]*arcSum
	order       []int32 // of callers
}

// arc returns the arc to a node's frame.
func (b *graphBuilder) arc(node int32) Node {
	n := b.tree.Nodes[node]
	if n.Parent == 0 {
		return Node{none, n.Frame}
	}
	return Node{b.tree.Nodes[n.Parent].Frame, n.Frame}
}

// together reports whether an arc is one of recursion.
func (b *graphBuilder) together(a Node) bool {
	return a.Parent == a.Frame || a.Parent != none && b.cycle[a.Parent] > 0 && b.cycle[a.Parent] == b.cycle[a.Frame]
}

// findCycles finds the arcs of stacks, and the cycles of them.
func (b *graphBuilder) findCycles() {
	callees := make([][]int32, len(b.tree.Frames))
	for n := 1; n < len(b.tree.Nodes); n++ {
		if b.totals[n].Samples == 0 {
			continue
		}
		a := b.arc(int32(n))
		if b.arcs[a] != nil {
			continue
		}
		b.arcs[a] = &arcSum{}
		b.order = append(b.order, a)
		if a.Parent != none {
			callees[a.Parent] = append(callees[a.Parent], a.Frame)
		}
	}
	b.cycle = Cycles(callees)
	for _, c := range b.cycle {
		b.cycles = max(b.cycles, c)
	}
	for _, a := range b.order {
		b.arcs[a].recursion = b.together(a)
	}
}

// addFromOutside adds up the arcs that lead to a function or a cycle from outside. A
// stack has each once, at one node.
func (b *graphBuilder) addFromOutside() {
	t := b.tree
	b.self, b.left = make([]Weight, len(t.Frames)), make([]Weight, len(t.Frames))
	b.whole = make([]cycleSum, b.cycles+1)
	inside := append([]Weight(nil), t.Self...) // of each node: in bodies before its function or cycle is left
	for n := int32(len(t.Nodes)) - 1; n > 0; n-- {
		if b.totals[n].Samples == 0 {
			continue
		}
		a := b.arc(n)
		cycle := b.cycle[a.Frame]
		b.self[a.Frame] = b.self[a.Frame].Plus(t.Self[n])
		b.whole[cycle].self = b.whole[cycle].self.Plus(t.Self[n])
		sum := b.arcs[a]
		if sum.recursion {
			up := t.Nodes[n].Parent
			inside[up] = inside[up].Plus(inside[n])
			continue
		}
		sum.Weight, sum.self = sum.Plus(b.totals[n]), sum.self.Plus(inside[n])
		if a.Parent != none {
			b.left[a.Parent] = b.left[a.Parent].Plus(b.totals[n])
		}
		if cycle > 0 {
			b.whole[cycle].enter(a.Parent, b.totals[n], inside[n])
		}
	}
}

// enter adds samples that came into the cycle from a caller.
func (c *cycleSum) enter(caller int32, total, self Weight) {
	c.total = c.total.Plus(total)
	if c.callers == nil {
		c.callers = map[int32]*arcSum{}
	}
	sum := c.callers[caller]
	if sum == nil {
		sum = &arcSum{}
		c.callers[caller] = sum
		c.order = append(c.order, caller)
	}
	sum.Weight, sum.self = sum.Plus(total), sum.self.Plus(self)
}

// addRecursion adds up the arcs of recursion, each sample once, though a stack may have
// them more than once: an arc is locked while the walk is below its outermost node.
func (b *graphBuilder) addRecursion() {
	lists := b.tree.children()
	type level struct {
		child  int32   // to be visited next
		locked *arcSum // by this level, nil if it has locked none
	}
	stack := []level{{lists.first[0], nil}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		node := top.child
		if node == 0 {
			if top.locked != nil {
				top.locked.locked = false
			}
			stack = stack[:len(stack)-1]
			continue
		}
		top.child = lists.next[node]
		if b.totals[node].Samples == 0 {
			continue
		}
		below := level{lists.first[node], nil}
		if sum := b.arcs[b.arc(node)]; sum.recursion && !sum.locked {
			sum.locked, below.locked = true, sum
			sum.Weight = sum.Plus(b.totals[node])
		}
		stack = append(stack, below)
	}
}

// graph makes entries of the sums: of the functions that are on a stack, and behind them
// the cycles.
func (b *graphBuilder) graph() *CallGraph {
	whole := b.tree.Whole()
	g := &CallGraph{Whole: float64(whole.Weight), Samples: whole.Samples}
	at := make([]int, len(b.tree.Frames))
	for f := range b.tree.Frames {
		at[f] = -1
		if b.total[f].Samples == 0 {
			continue
		}
		at[f] = len(g.Entries)
		self, children := parts(b.total[f], b.self[f])
		g.Entries = append(g.Entries, CallGraphEntry{
			Name: b.tree.Frames[f].Name, Cycle: b.cycle[f], Self: self, Children: children, Samples: b.total[f].Samples,
		})
	}
	line := func(frame int32, sum *arcSum) CallGraphLine {
		l := CallGraphLine{Entry: Spontaneous, Recursion: sum.recursion, Samples: sum.Samples}
		if frame != none {
			l.Entry = at[frame]
		}
		if !sum.recursion {
			l.Self, l.Children = parts(sum.Weight, sum.self)
		}
		return l
	}
	for _, a := range b.order {
		sum := b.arcs[a]
		callee := &g.Entries[at[a.Frame]]
		callee.Callers = append(callee.Callers, line(a.Parent, sum))
		if a.Parent != none {
			caller := &g.Entries[at[a.Parent]]
			caller.Callees = append(caller.Callees, line(a.Frame, sum))
		}
	}
	for number := 1; number <= b.cycles; number++ {
		c := &b.whole[number]
		self, children := parts(c.total, c.self)
		e := CallGraphEntry{Cycle: number, Self: self, Children: children, Samples: c.total.Samples}
		for _, caller := range c.order {
			e.Callers = append(e.Callers, line(caller, c.callers[caller]))
		}
		for f, of := range b.cycle {
			if of == number {
				e.Members = append(e.Members, CallGraphLine{
					Entry: at[f], Samples: b.total[f].Samples,
					Self: float64(b.self[f].Weight), Children: float64(b.left[f].Weight),
				})
			}
		}
		g.Entries = append(g.Entries, e)
	}
	g.Sort()
	return g
}

// parts divides a total into self and children.
func parts(total, self Weight) (float64, float64) {
	return float64(self.Weight), float64(total.Weight - self.Weight)
}
