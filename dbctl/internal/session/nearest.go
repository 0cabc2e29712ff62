package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/alike"
	"github.com/profilecollection/pct/internal/funcname"
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
			plain := funcname.Plain(readable(symbol))
			if most := 3; len(plain) > len(name)+most || len(name) > len(plain)+most {
				continue // before the work: there may be very many
			}
			off := alike.Edits(name, plain)
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
