package gmon

import (
	"fmt"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Graph makes gprof's call graph of the data and the program that wrote them, in
// seconds, and the seconds left out of it in which calls were counted. name makes a
// symbol's name one for people.
//
// There are no stacks in gmon.out. That a function's time came by a caller is
// concluded from the number of calls, as if each call took the average: see
// graph.propagate. Time in shared libraries is not in gmon.out at all.
func (d *Data) Graph(program string, name func(string) string) (g *calltree.CallGraph, counting float64, err error) {
	table, err := readSymbols(program)
	if err != nil {
		return nil, 0, err
	}
	work := newGraph(table, d)
	work.propagate()
	return work.callGraph(name), work.counting, nil
}

// Mismatch says why a program can hardly be the one that wrote the data, or is another
// build of it, "" if it seems to be: what was sampled and called lies in its code, and its
// functions were entered near their starts.
func (d *Data) Mismatch(program string) (string, error) {
	table, err := readSymbols(program)
	if err != nil {
		return "", err
	}
	for _, h := range d.Histograms {
		// The C library rounds the borders, and a program's last page may be counted to its end.
		const page = 4096
		if h.High+page <= table.all[0].address || h.Low >= table.end || h.High > table.end+page {
			return fmt.Sprintf("its histogram is of %#x to %#x, and the program's code of %#x to %#x", h.Low, h.High, table.all[0].address, table.end), nil
		}
	}
	var arcs, elsewhere uint64
	for _, a := range d.Arcs {
		arcs++
		if f := table.at(a.Self); f < 0 || a.Self-table.all[f].address > prologue {
			elsewhere++
		}
	}
	if 4*elsewhere > arcs {
		return fmt.Sprintf("%d of %d arcs lead to where no function of the program begins", elsewhere, arcs), nil
	}
	return "", nil
}

// prologue is how far behind a function's start the call of mcount in it may return to, in
// bytes: behind what saves registers and makes room on the stack.
const prologue = 64

// A node is a function or, behind those, a cycle as a whole.
type node struct {
	self      float64 // s
	children  float64 // s, propagated
	calls     uint64  // from outside: of a cycle to any of its members
	recursive uint64
	cycle     int
}

// graph is a call graph in work. Cycle n, counted from 1, is node len(functions)+n-1.
type graph struct {
	table    *symbols
	nodes    []node
	callees  [][]int32
	arcs     []edge
	byEnds   map[[2]int32]int // place in arcs
	whole    float64
	counting float64 // s in isCounting
}

type edge struct {
	from, to       int32 // functions
	calls          uint64
	self, children float64
	recursion      bool
}

func newGraph(table *symbols, d *Data) *graph {
	g := &graph{table: table, nodes: make([]node, len(table.all)), callees: make([][]int32, len(table.all)), byEnds: map[[2]int32]int{}}
	for _, h := range d.Histograms {
		g.addTimes(&h)
	}
	for _, a := range d.Arcs {
		g.addArc(a)
	}
	return g
}

// addTimes divides the time of each bin among the functions that it is of, by how much of
// it they have: gprof counts in units of 2 bytes.
func (g *graph) addTimes(h *Histogram) {
	const unit = 2
	low := h.Low / unit
	width := float64(h.High/unit-low) / float64(len(h.Bins)) // of a bin
	first := 0
	for i, count := range h.Bins {
		if count == 0 {
			continue
		}
		time := float64(count) / float64(h.Rate)
		credited := time
		from, to := low+uint64(width*float64(i)), low+uint64(width*float64(i+1))
		for first < len(g.nodes) && g.table.endOf(first)/unit <= from {
			first++
		}
		for f := first; f < len(g.nodes) && g.table.all[f].address/unit < to; f++ {
			overlap := int64(min(to, g.table.endOf(f)/unit)) - int64(max(from, g.table.all[f].address/unit))
			if overlap <= 0 {
				continue
			}
			credit := float64(overlap) * time / width
			if isCounting(g.table.all[f].name) {
				g.counting += credit
				credited -= credit
				continue
			}
			g.nodes[f].self += credit
		}
		g.whole += credited
	}
}

// isCounting reports whether a function is one of those that count calls: where they are in the
// program, as in a static one, their time is not the program's. gprof leaves out the same.
func isCounting(name string) bool {
	switch name {
	case "_gprof_mcount", "mcount", "_mcount", "__mcount", "__mcount_internal", "__mcount_cleanup":
		return true
	}
	return false
}

// addArc adds calls, if both ends are functions of the program.
func (g *graph) addArc(a Arc) {
	from, to := int32(g.table.at(a.From)), int32(g.table.at(a.Self))
	if from < 0 || to < 0 {
		return
	}
	if from == to {
		g.nodes[to].recursive += a.Count
	} else {
		g.nodes[to].calls += a.Count
	}
	key := [2]int32{from, to}
	at, ok := g.byEnds[key]
	if !ok {
		at = len(g.arcs)
		g.byEnds[key] = at
		g.arcs = append(g.arcs, edge{from: from, to: to, recursion: from == to})
		g.callees[from] = append(g.callees[from], to)
	}
	g.arcs[at].calls += a.Count
}

// propagate finds cycles, and gives the time of functions to their callers, that of what
// they call before: each arc takes the part of the callee's time, its own and its
// children's, that it has of the calls to it. Recursive calls have no part. A cycle is
// one function with the time of all, that is called by whatever calls a member from
// outside; its members have the time that they got by their own calls.
func (g *graph) propagate() {
	functions := len(g.nodes)
	for f, cycle := range calltree.Cycles(g.callees) {
		g.nodes[f].cycle = cycle
		for cycle > len(g.nodes)-functions {
			g.nodes = append(g.nodes, node{cycle: len(g.nodes) - functions + 1})
		}
	}
	for f := range functions {
		if head := g.head(int32(f)); head != int32(f) {
			g.nodes[head].self += g.nodes[f].self
		}
	}
	for i := range g.arcs {
		a := &g.arcs[i]
		from, to := g.head(a.from), g.head(a.to)
		switch {
		case a.from == a.to:
		case from == to:
			a.recursion = true
			g.nodes[to].recursive += a.calls
		case to != a.to:
			g.nodes[to].calls += a.calls
		}
	}
	for _, a := range g.inOrder() {
		callee := &g.nodes[g.head(a.to)]
		if a.recursion || callee.calls == 0 {
			continue
		}
		part := float64(a.calls) / float64(callee.calls)
		a.self, a.children = callee.self*part, callee.children*part
		caller := &g.nodes[a.from]
		caller.children += a.self + a.children
		if head := g.head(a.from); head != a.from {
			g.nodes[head].children += a.self + a.children
		}
	}
}

// head returns the node of a function's cycle, or the function.
func (g *graph) head(f int32) int32 {
	if cycle := g.nodes[f].cycle; cycle > 0 {
		return int32(len(g.table.all) + cycle - 1)
	}
	return f
}

// inOrder returns the arcs, those of a callee before those to it: it has all
// of its children's time when it is divided.
func (g *graph) inOrder() []*edge {
	from := make([][]*edge, len(g.nodes)) // of each function without cycle, and cycle
	for i := range g.arcs {
		a := &g.arcs[i]
		if !a.recursion {
			head := g.head(a.from)
			from[head] = append(from[head], a)
		}
	}
	var order []*edge
	seen := make([]bool, len(g.nodes))
	next := make([]int, len(g.nodes))
	var walk []int32
	for root := range from {
		if seen[root] {
			continue
		}
		seen[root] = true
		walk = append(walk, int32(root))
		for len(walk) > 0 {
			v := walk[len(walk)-1]
			if next[v] < len(from[v]) {
				to := g.head(from[v][next[v]].to)
				next[v]++
				if !seen[to] {
					seen[to] = true
					walk = append(walk, to)
				}
				continue
			}
			order = append(order, from[v]...)
			walk = walk[:len(walk)-1]
		}
	}
	return order
}

// callGraph makes entries of what has time or was called.
func (g *graph) callGraph(name func(string) string) *calltree.CallGraph {
	out := &calltree.CallGraph{Whole: g.whole, Counted: true}
	at := make([]int, len(g.nodes))
	used := make([]bool, len(g.nodes)) // also by calls without a number
	for _, a := range g.arcs {
		used[a.from], used[a.to] = true, true
	}
	for i, n := range g.nodes {
		if !used[i] && n.self == 0 && n.children == 0 && n.calls == 0 && n.recursive == 0 {
			continue
		}
		at[i] = len(out.Entries)
		e := calltree.CallGraphEntry{Cycle: n.cycle, Self: n.self, Children: n.children, Calls: n.calls, Recursive: n.recursive}
		if i < len(g.table.all) {
			e.Name = name(g.table.all[i].name)
		}
		out.Entries = append(out.Entries, e)
	}
	into := make(map[[2]int32]calltree.CallGraphLine) // by caller and cycle
	for _, a := range g.arcs {
		callee, caller := &out.Entries[at[a.to]], &out.Entries[at[a.from]]
		line := calltree.CallGraphLine{Recursion: a.recursion, Self: a.self, Children: a.children, Calls: a.calls}
		line.Entry = at[a.from]
		callee.Callers = append(callee.Callers, line)
		if head := g.head(a.to); head != a.to && !a.recursion {
			key := [2]int32{a.from, head}
			sum := into[key]
			into[key] = calltree.CallGraphLine{
				Entry: at[a.from], Self: sum.Self + a.self, Children: sum.Children + a.children, Calls: sum.Calls + a.calls,
			}
		}
		line.Entry = at[a.to]
		caller.Callees = append(caller.Callees, line)
	}
	for key, line := range into {
		e := &out.Entries[at[key[1]]]
		e.Callers = append(e.Callers, line)
	}
	for f := range g.table.all {
		if head := g.head(int32(f)); head != int32(f) {
			n := g.nodes[f]
			e := &out.Entries[at[head]]
			e.Members = append(e.Members, calltree.CallGraphLine{Entry: at[f], Self: n.self, Children: n.children, Calls: n.calls})
		}
	}
	for i := range out.Entries {
		if e := &out.Entries[i]; !slices.ContainsFunc(e.Callers, func(l calltree.CallGraphLine) bool { return !l.Recursion }) && (e.Cycle == 0 || e.Whole()) {
			e.Callers = append(e.Callers, calltree.CallGraphLine{Entry: calltree.Spontaneous, Self: e.Self, Children: e.Children})
		}
	}
	out.Sort()
	return out
}
