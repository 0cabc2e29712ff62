package path

import (
	"cmp"
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
	sh := o.shape(frame.shortLabel)
	sh.opened = false
	c, err := s.contexts(t, o, sh, nil)
	if err != nil {
		return nil, 0, err
	}
	var all []HotRow
	for _, p := range c.parts {
		tree := p.Tree(c.Builder)
		self := map[int32]uint64{}
		for _, f := range tree.Bodies() {
			self[f.Frame] = f.Weight.Weight
		}
		for _, f := range tree.Functions() {
			all = append(all, HotRow{p.group, c.Frames[f.Frame].Name, self[f.Frame], f.Weight.Weight})
		}
	}
	slices.SortFunc(all, func(a, b HotRow) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Name, b.Name))
	})
	if o.Rows > 0 && len(all) > o.Rows {
		all = all[:o.Rows]
	}
	return all, s.weight, nil
}
