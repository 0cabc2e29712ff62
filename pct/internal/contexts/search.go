package contexts

import (
	"cmp"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

const none = -1

// A search knows which samples are in which context so far. Its own tree has no
// function twice on a path.
type search struct {
	Options
	*calltree.Tree
	at     []int32 // of each node of the tree that is searched: that of the own tree; nil: they are the same
	whole  calltree.Weight
	least  uint64            // weight of a significant function
	totals []calltree.Weight // of each frame
	root   []bool            // of each frame
	place  []int32           // of each node: the frame, none
	taken  []int32           // of each node: the context that has its samples, none
	number []int32           // of each node, of passages and sum for themselves: 0 outside of these
}

func newSearch(t *calltree.Tree, o Options) *search {
	s := &search{Options: o, whole: t.Whole()}
	s.least = max(1, uint64(o.Least*float64(s.whole.Weight)))
	s.Tree, s.at = t.Simple(o.Name)
	outer := make([]uint64, len(s.Frames))
	s.totals = make([]calltree.Weight, len(s.Frames))
	for n, total := range s.Totals() {
		if n == 0 {
			continue
		}
		f := s.Nodes[n].Frame
		s.totals[f] = s.totals[f].Plus(total)
		if s.Nodes[n].Parent == 0 {
			outer[f] += total.Weight
		}
	}
	s.root = make([]bool, len(s.Frames))
	for f := range s.root {
		s.root[f] = float64(outer[f]) >= outermost*float64(s.totals[f].Weight)
	}
	s.place = make([]int32, len(s.Nodes))
	s.taken = make([]int32, len(s.Nodes))
	s.number = make([]int32, len(s.Nodes))
	for n := range s.Nodes {
		s.taken[n], s.place[n] = none, none
		if n == 0 {
			continue
		}
		s.place[n] = s.place[s.Nodes[n].Parent]
		if f := s.Nodes[n].Frame; s.totals[f].Weight >= s.least {
			s.place[n] = f
		}
	}
	return s
}

// free reports whether a node has samples that are in no context.
func (s *search) free(n int) bool { return s.taken[n] == none && s.Self[n].Samples > 0 }

// tally adds up weights by frames; none is no frame.
type tally map[int32]calltree.Weight

func (t tally) add(frame int32, w calltree.Weight) {
	if frame != none {
		t[frame] = t[frame].Plus(w)
	}
}

// sorted returns the frames, the heaviest first.
func (s *search) sorted(t tally) []int32 {
	var all []int32
	for f := range t {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t[b].Weight, t[a].Weight), cmp.Compare(s.Frames[a].Name, s.Frames[b].Name))
	})
	return all
}

func (s *search) parts(t tally) []Part {
	var all []Part
	for _, f := range s.sorted(t) {
		all = append(all, Part{s.Frames[f].Name, t[f]})
	}
	return all
}

// head returns the place of most free samples, false if none is significant.
func (s *search) head() (int32, bool) {
	places := tally{}
	for n := range s.Nodes {
		if s.free(n) {
			places.add(s.place[n], s.Self[n])
		}
	}
	if all := s.sorted(places); len(all) > 0 && places[all[0]].Weight >= s.least {
		return all[0], true
	}
	return none, false
}
