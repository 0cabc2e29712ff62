package flame

import (
	"cmp"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

const (
	// maxDepth bounds the height of a graph: 300 rows are four screens.
	maxDepth = 300
	// maxBoxes bounds the size of a document, at some 300 bytes each. A wider screen
	// than any has no place for so many.
	maxBoxes = 10_000
)

// Frames of boxes that are none.
const (
	wholeFrame = -1 - iota // the root
	restFrame              // what was left out
)

// box is a rectangle of a graph.
type box struct {
	frame int32
	depth int32
	start calltree.Weight // left edge, from the left edge of the graph
	total amount
	self  amount
	count int // restFrame: of the frames that it stands for
}

// layout is the boxes of a graph. A box stands before those on it.
type layout struct {
	t        *tree
	inverted bool
	boxes    []box
	rows     int

	threshold float64 // below which frames were left out
	narrow    int     // frames left out with all on them, as they are narrower
	narrowSum calltree.Weight
	deep      int // and as they are on top of too many
	deepSum   calltree.Weight

	rank     []int32 // of the frames by their names
	children func(*part) []part
	full     bool
}

// part is what a box is made of.
type part struct {
	frame int32
	total amount
	self  amount
	node  int32 // of the tree; upside down, ends are these:
	ends  []end
}

// end is a call path on its way outwards, and the amount of its innermost frame.
type end struct {
	at int32
	amount
}

// newLayout draws a tree. Where that makes too many boxes it does so with a higher
// threshold.
func newLayout(t *tree, inverted bool, threshold float64) *layout {
	const least = 0.25 / maxBoxes // a row may have so many then
	rank := t.ranks()
	root := part{frame: wholeFrame, total: t.whole}
	downward := t.downward()
	for {
		l := &layout{t: t, inverted: inverted, threshold: threshold, rank: rank, children: downward}
		if inverted {
			root.ends = t.ends()
			l.children = t.upward(make([]end, len(root.ends)))
		}
		l.place(&root, 0, calltree.Weight{})
		if !l.full {
			return l
		}
		threshold = max(threshold*1.5, least)
	}
}

// ranks returns the place of each frame in the order of names.
func (t *tree) ranks() []int32 {
	order := make([]int32, len(t.b.Frames))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(t.b.Frames[a].Name, t.b.Frames[b].Name) })
	rank := make([]int32, len(order))
	for i, f := range order {
		rank[f] = int32(i)
	}
	return rank
}

// place adds the box of a part and those on it. They stand in the order of their
// names from the left; what was left out comes after them, then the part's own.
func (l *layout) place(p *part, depth int, start calltree.Weight) {
	if l.full = l.full || len(l.boxes) >= maxBoxes; l.full {
		return
	}
	l.boxes = append(l.boxes, box{frame: p.frame, depth: int32(depth), start: start, total: p.total, self: p.self})
	at := len(l.boxes) - 1
	l.rows = max(l.rows, depth+1)
	children := l.children(p)
	l.boxes[at].self = p.self // which the children tell
	slices.SortFunc(children, func(a, b part) int { return cmp.Compare(l.rank[a.frame], l.rank[b.frame]) })
	var rest box
	for i := range children {
		child := &children[i]
		switch {
		case child.total.of.Samples == 0: // vanished
		case depth+1 == maxDepth:
			l.deep++
			l.deepSum = l.deepSum.Plus(child.total.of)
		case share(child.total.of, l.t.whole.of) < l.threshold:
			l.narrow++
			l.narrowSum = l.narrowSum.Plus(child.total.of)
			rest.count++
			rest.total = rest.total.plus(child.total)
		default:
			l.place(child, depth+1, start)
			start = start.Plus(child.total.of)
		}
	}
	if rest.count > 0 && share(rest.total.of, l.t.whole.of) >= l.threshold && !l.full {
		rest.frame, rest.depth, rest.start = restFrame, int32(depth+1), start
		l.boxes = append(l.boxes, rest)
		l.rows = max(l.rows, depth+2)
	}
}

// downward returns what finds the callees of a part.
func (t *tree) downward() func(*part) []part {
	own, totals := t.own(), t.totals()
	first, next := make([]int32, len(t.b.Nodes)), make([]int32, len(t.b.Nodes))
	for n := len(t.b.Nodes) - 1; n > 0; n-- {
		parent := t.b.Nodes[n].Parent
		next[n], first[parent] = first[parent], int32(n)
	}
	return func(p *part) []part {
		var children []part
		p.self = own.at(p.node)
		for n := first[p.node]; n != 0; n = next[n] {
			children = append(children, part{frame: t.b.Nodes[n].Frame, total: totals.at(n), node: n})
		}
		return children
	}
}

// ends returns the call paths that have an amount of their own.
func (t *tree) ends() []end {
	var ends []end
	own := t.own()
	for n := range int32(len(t.self)) {
		if has := own.at(n); has.of.Samples > 0 || has.base.Samples > 0 {
			ends = append(ends, end{n, has})
		}
	}
	return ends
}

// upward returns what finds the callers of a part, and divides its ends among them.
// scratch has room for all ends.
func (t *tree) upward(scratch []end) func(*part) []part {
	group := t.groupOf()
	index := make([]int32, len(t.b.Frames)) // 1 + that of the caller among the callers of the part
	return func(p *part) []part {
		byGroup := t.grouped && p.frame == wholeFrame
		frame := func(e *end) int32 {
			switch {
			case e.at == 0 || group != nil && !byGroup && t.b.Nodes[e.at].Parent == 0:
				return wholeFrame // there is no caller
			case byGroup:
				return t.b.Nodes[group[e.at]].Frame
			}
			return t.b.Nodes[e.at].Frame
		}
		var callers []part
		var sizes []int
		outermost := 0
		for i := range p.ends {
			e := &p.ends[i]
			f := frame(e)
			if f == wholeFrame {
				p.self = p.self.plus(e.amount)
				outermost++
				continue
			}
			if index[f] == 0 {
				callers = append(callers, part{frame: f})
				sizes = append(sizes, 0)
				index[f] = int32(len(callers))
			}
			callers[index[f]-1].total = callers[index[f]-1].total.plus(e.amount)
			sizes[index[f]-1]++
		}
		at := make([]int, len(sizes)) // where the ends of each caller go on
		sum := outermost
		for i, size := range sizes {
			at[i] = sum
			sum += size
		}
		outermost = 0
		for i := range p.ends {
			e := p.ends[i]
			f := frame(&e)
			if f == wholeFrame {
				scratch[outermost] = e
				outermost++
				continue
			}
			if !byGroup {
				e.at = t.b.Nodes[e.at].Parent
			}
			scratch[at[index[f]-1]] = e
			at[index[f]-1]++
		}
		copy(p.ends, scratch[:len(p.ends)])
		for i := range callers {
			callers[i].ends = p.ends[at[i]-sizes[i] : at[i]]
			index[callers[i].frame] = 0
		}
		return callers
	}
}

// groupOf returns the node of each node's group, nil if there are no groups.
func (t *tree) groupOf() []int32 {
	if !t.grouped {
		return nil
	}
	group := make([]int32, len(t.b.Nodes))
	for n := 1; n < len(group); n++ {
		group[n] = group[t.b.Nodes[n].Parent]
		if t.b.Nodes[n].Parent == 0 {
			group[n] = int32(n)
		}
	}
	return group
}
