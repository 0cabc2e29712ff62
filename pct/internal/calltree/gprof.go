package calltree

import (
	"cmp"
	"math"
	"slices"
)

// A CallGraph is gprof's: an entry for each function, with its callers and callees,
// and one for each cycle of functions that call each other. It is made from whole
// stacks by Tree.CallGraph, and from what gmon.out files have by package gmon.
//
// # Weights from whole stacks
//
// A function's self weight is that of the samples in its body; its total, self and
// children, that of the samples on whose stack it is, each once however often it is
// there. An arc is a caller and its callee, next to each other on a stack.
//
// A cycle is a largest set of two or more functions each of which can be reached from
// each other one along arcs; a function that only calls itself is none. The arcs within a
// cycle, and from a function to itself, are recursion. Whatever is reached from
// a cycle and not in it never comes back to it: its functions are on a stack in
// one piece, which is entered once. So of all arcs but those of recursion
// a stack has each at most once, and a function at most one that leads to it from
// outside.
//
// An arc's weight is that of the samples whose stack contains it, each once. Its
// self part is that of the samples in the body of the callee, or of any function of the
// callee's cycle; its children part is the rest. Arcs of recursion have neither, as
// their weight came in by the arcs from outside and is there; their number of samples
// says how often they are on a stack.
//
// Hence the callers' lines of a function that is in no cycle add up to its own
// line, <spontaneous> among them: stacks on which nothing called the function. Its
// callees' lines add up to its children. The callers' lines of a cycle as a whole add
// up to its line, and so do those of its members, whose children are what
// was reached from the last function of the cycle on a stack. What a member's
// own entry has instead is all below it, other members included, as in Functions.
type CallGraph struct {
	Whole   float64 // of all samples, in gticks or in whatever else Entries are in
	Samples int     // 0 where weights are not of whole stacks
	Counted bool    // calls are known
	Entries []CallGraphEntry
}

// A CallGraphEntry is a function, or a cycle as a whole. Its index number is its place
// among the entries, from 1: the heaviest is first.
type CallGraphEntry struct {
	Name           string // "" of a cycle as a whole
	Cycle          int    // number of the cycle, from 1; 0 in none
	Self, Children float64
	Samples        int    // on whose stack it is
	Calls          uint64 // from outside: all but its own to itself, or among members of the cycle
	Recursive      uint64 // the others

	Callers, Callees []CallGraphLine // the heaviest callers last, the heaviest callees first
	Members          []CallGraphLine // of a cycle as a whole, the heaviest first
}

// Total is that of self and children.
func (e *CallGraphEntry) Total() float64 { return e.Self + e.Children }

// Whole reports whether this is a cycle as a whole.
func (e *CallGraphEntry) Whole() bool { return e.Members != nil }

// A CallGraphLine is an arc to or from a function, or a member of a cycle.
type CallGraphLine struct {
	Entry          int  // place of the caller, callee or member; Spontaneous if there is no caller
	Recursion      bool // the arc is one of recursion, and without a weight of its own
	Self, Children float64
	Samples        int
	Calls          uint64 // of the arc; of a member, those of its Entry
}

// Spontaneous stands for the caller of a function that nothing called, or that was
// called by what is not known.
const Spontaneous = -1

// Sort puts the entries into their order, the heaviest first, and the lines of each, which
// name entries by their places.
func (g *CallGraph) Sort() {
	order := make([]int, len(g.Entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &g.Entries[i], &g.Entries[j]
		return cmp.Or(cmp.Compare(rounded(b.Total()), rounded(a.Total())), -boolCompare(a.Whole(), b.Whole()),
			cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Cycle, b.Cycle))
	})
	place := make([]int, len(order))
	sorted := make([]CallGraphEntry, len(order))
	for to, from := range order {
		place[from], sorted[to] = to, g.Entries[from]
	}
	g.Entries = sorted
	for i := range sorted {
		for _, lines := range [][]CallGraphLine{sorted[i].Callers, sorted[i].Callees, sorted[i].Members} {
			for j := range lines {
				if lines[j].Entry != Spontaneous {
					lines[j].Entry = place[lines[j].Entry]
				}
			}
			slices.SortFunc(lines, heaviestLine)
		}
		slices.Reverse(sorted[i].Callers)
	}
}

// rounded takes away what the order of additions did to a sum.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func heaviestLine(a, b CallGraphLine) int {
	return cmp.Or(cmp.Compare(rounded(b.Self+b.Children), rounded(a.Self+a.Children)), cmp.Compare(b.Samples, a.Samples),
		cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Entry, b.Entry))
}

// Cycles finds the cycles of a graph (Tarjan, "Depth-First Search and Linear Graph
// Algorithms", 1972): the strongly connected components of two vertices or more.
// callees has the vertices that each vertex leads to. The number of each vertex's
// cycle is returned, 0 for none; they are counted from 1 in the order of the first
// vertex of each that is reached when the vertices are visited in order.
func Cycles(callees [][]int32) []int {
	const unseen, done = 0, -1
	n := len(callees)
	number, low := make([]int, n), make([]int, n) // in order of visits, from 1; done when in a component
	cycle := make([]int, n)
	var first [][]int32 // of each cycle, its members, the first visited before the others
	var open, walk []int32
	next := make([]int, n) // place of the callee to go to
	visits := 0
	for root := range n {
		if number[root] != unseen {
			continue
		}
		walk = append(walk, int32(root))
		for len(walk) > 0 {
			v := walk[len(walk)-1]
			if number[v] == unseen {
				visits++
				number[v], low[v] = visits, visits
				open = append(open, v)
			}
			if next[v] < len(callees[v]) {
				w := callees[v][next[v]]
				next[v]++
				if number[w] == unseen {
					walk = append(walk, w)
				} else if number[w] != done {
					low[v] = min(low[v], number[w])
				}
				continue
			}
			walk = walk[:len(walk)-1]
			if len(walk) > 0 {
				up := walk[len(walk)-1]
				low[up] = min(low[up], low[v])
			}
			if low[v] != number[v] {
				continue
			}
			at := len(open) - 1
			for open[at] != v {
				at--
			}
			if at < len(open)-1 {
				first = append(first, slices.Clone(open[at:]))
			}
			for _, w := range open[at:] {
				number[w] = done
			}
			open = open[:at]
		}
	}
	slices.SortFunc(first, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	for i, members := range first {
		for _, v := range members {
			cycle[v] = i + 1
		}
	}
	return cycle
}
