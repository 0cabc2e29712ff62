package session

import (
	"cmp"
	"slices"
	"strings"
)

// nearest are the functions whose names resemble a name that was perhaps mistyped.
func nearest(name string, all []*code) string {
	type near struct {
		name string
		off  int
	}
	var list []near
	for _, c := range all {
		for _, symbol := range c.functions {
			plain := plainName(readable(symbol))
			off := distance(name, plain)
			if n := (near{plain, off}); off <= max(1, len(name)/3) && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(a.off, b.off) })
	const most = 3
	var first []string
	for _, n := range list[:min(most, len(list))] {
		first = append(first, n.name)
	}
	return ": did you mean " + strings.Join(first, ", ") + "?"
}

// distance is how many letters have to be put in, taken out, changed or swapped with the next to make one word
// of the other. Of words whose lengths differ too much it's not worked out.
func distance(a, b string) int {
	const far = 1 << 20
	if len(a) > len(b)+3 || len(b) > len(a)+3 {
		return far
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
