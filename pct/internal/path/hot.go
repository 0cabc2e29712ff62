package path

import (
	"cmp"
	"maps"
	"slices"
)

// HotRow is a frame with its weight by itself, and with its callees.
type HotRow struct {
	Group       string // as in Row
	Name        string
	Self, Total uint64
}

// Hot returns the frames of the selection, the heaviest by itself first, and the
// weight that their shares are of.
func (s *Selection) Hot(t Translator, o Options) ([]HotRow, uint64, error) {
	tr := newTree()
	leaves, err := s.leaves(tr, t, o, frame.shortLabel, nil)
	if err != nil {
		return nil, 0, err
	}
	self, total := flatRows(tr, leaves, false), flatRows(tr, leaves, true)
	keys := slices.SortedFunc(maps.Keys(total), func(a, b rowKey) int {
		return cmp.Or(cmp.Compare(self[b].weight, self[a].weight), cmp.Compare(total[b].weight, total[a].weight),
			cmp.Compare(a.group, b.group), tr.compare(a.node, b.node))
	})
	if o.Rows > 0 && len(keys) > o.Rows {
		keys = keys[:o.Rows]
	}
	all := make([]HotRow, len(keys))
	for i, key := range keys {
		all[i] = HotRow{Group: key.group, Name: tr.name(key.node), Self: self[key].weight, Total: total[key].weight}
	}
	return all, s.weight, nil
}
