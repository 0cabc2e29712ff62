package path

import (
	"cmp"
	"slices"
)

// ranked are the ranks of nodes, as far as they are known, and how many frames were looked at without them.
type ranked struct {
	of     []int32
	looked int
}

// compare orders paths by their names from the inside outwards. It looks at them frame by frame until it has done so with a
// good part of the tree.
func (t tree) compare(a, b int32) int {
	const most = 4 // frames that are looked at, for each node
	for a != b && a != 0 && b != 0 {
		if t.ranked.looked++; t.ranked.looked > most*len(t.Nodes) {
			ranks := t.ranks()
			return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(a, b))
		}
		if c := cmp.Compare(t.name(a), t.name(b)); c != 0 {
			return c
		}
		a, b = t.Nodes[a].Parent, t.Nodes[b].Parent
	}
	return cmp.Compare(a, b)
}

// ranks returns the places of all nodes in that order, equal ones of nodes whose paths have equal names. Paths of deep
// recursions are equal for most of their length: each round doubles the number of frames that the ranks are by.
func (t tree) ranks() []int32 {
	n := len(t.Nodes)
	if len(t.ranked.of) == n {
		return t.ranked.of
	}
	ranks, up := make([]int32, n), make([]int32, n)
	names := make([]string, len(t.Frames))
	for i := range t.Frames {
		names[i] = t.Frames[i].Name
	}
	slices.Sort(names)
	names = slices.Compact(names)
	byFrame := make([]int32, len(t.Frames))
	for i := range t.Frames {
		at, _ := slices.BinarySearch(names, t.Frames[i].Name)
		byFrame[i] = int32(at) + 1
	}
	for node := 1; node < n; node++ {
		ranks[node], up[node] = byFrame[t.Nodes[node].Frame], t.Nodes[node].Parent
	}
	order, other, counts := make([]int32, n), make([]int32, n), make([]int32, max(n, len(names)+1)+1)
	for i := range order {
		order[i] = int32(i)
	}
	for more := true; more; {
		// By the rank of the ancestor, and then by their own.
		sortByRank(order, other, counts, func(node int32) int32 { return ranks[up[node]] })
		sortByRank(other, order, counts, func(node int32) int32 { return ranks[node] })
		next, rank := other, int32(0)
		for i, node := range order {
			if i > 0 && (ranks[node] != ranks[order[i-1]] || ranks[up[node]] != ranks[up[order[i-1]]]) {
				rank++
			}
			next[node] = rank
		}
		ranks, other = next, ranks
		more = false
		for node, at := range up { // of which other has room for those further out
			other[node] = up[at]
			more = more || other[node] != 0
		}
		up, other = other, up
	}
	t.ranked.of = ranks
	return ranks
}

// sortByRank puts nodes in the order of their ranks into sorted, those of equal ranks as they are.
func sortByRank(nodes, sorted, counts []int32, rank func(int32) int32) {
	clear(counts)
	for _, node := range nodes {
		counts[rank(node)+1]++
	}
	for i := range len(counts) - 1 {
		counts[i+1] += counts[i]
	}
	for _, node := range nodes {
		at := rank(node)
		sorted[counts[at]] = node
		counts[at]++
	}
}
