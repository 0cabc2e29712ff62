package export

import "github.com/profilecollection/pct/pct/internal/calltree"

// frameNumbers are the frames that a file has, and the number there of each one of the
// trees, none if it isn't in the file.
type frameNumbers struct {
	all    []calltree.Frame
	number []int32
}

// none stands for a number that there is not.
const none = -1

// add gives numbers to the frames of nodes of a tree, which has the same frames as the
// others.
func (f *frameNumbers) add(tree *calltree.Tree, nodes []bool) {
	for len(f.number) < len(tree.Frames) {
		f.number = append(f.number, none)
	}
	for n := 1; n < len(nodes); n++ {
		if frame := tree.Nodes[n].Frame; nodes[n] && f.number[frame] == none {
			f.number[frame] = int32(len(f.all))
			f.all = append(f.all, tree.Frames[frame])
		}
	}
}

// onPaths are the nodes of a tree that the points of tracks are at or below.
func onPaths(tree *calltree.Tree, tracks []*track) []bool {
	on := make([]bool, len(tree.Nodes))
	for _, t := range tracks {
		for _, at := range t.points {
			on[at.node] = true
		}
	}
	for n := len(on) - 1; n > 0; n-- {
		if on[n] {
			on[tree.Nodes[n].Parent] = true
		}
	}
	return on
}
