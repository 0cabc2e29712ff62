package path

import (
	"cmp"
	"slices"
)

// compare orders paths by their names from the inside outwards.
func (t tree) compare(a, b int32) int {
	const most = 1000 // frames that are looked at one by one
	for n := 0; a != b && a != 0 && b != 0; n++ {
		if n == most {
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
	type pair struct {
		rank uint64 // of the node, and below it that of its ancestor
		node int32
	}
	pairs := make([]pair, n)
	for more := true; more; {
		for node := range pairs {
			pairs[node] = pair{uint64(ranks[node])<<32 | uint64(ranks[up[node]]), int32(node)}
		}
		slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.rank, b.rank) })
		rank := int32(0)
		for i, p := range pairs {
			if i > 0 && p.rank != pairs[i-1].rank {
				rank++
			}
			ranks[p.node] = rank
		}
		more = false
		next := make([]int32, n)
		for node := range up {
			next[node] = up[up[node]]
			more = more || next[node] != 0
		}
		up = next
	}
	t.ranked.of = ranks
	return ranks
}
