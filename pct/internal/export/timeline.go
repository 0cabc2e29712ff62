package export

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// A track is what viewers show on one line: the samples of a thread in the order of
// their times or, where those or the threads aren't known, of a process or a group in
// the order of their call paths.
type track struct {
	process int // number of it, -1 of several
	pid     int
	program string // path of the executable
	thread  uint32
	group   string
	timed   bool
	points  []point
	weight  uint64              // of all points
	fields  map[string][]string // of each field: a value for each point, "" none
}

// point is a sample, or several of the same call path.
type point struct {
	time   time.Duration
	node   int32
	weight calltree.Weight
}

// tracks returns the threads in the order in which they come first among the samples, or
// the groups if there are any, and the tree that their points are in. With fields,
// sampled values are kept.
func (p *Profile) tracks(fields bool) ([]*track, *calltree.Tree) {
	tree, bases := p.joined()
	var all []*track
	if p.split() || len(p.Groups) == 0 {
		for i, g := range p.Groups {
			t := &track{process: -1, group: g.Name}
			t.byPath(g.Tree)
			for k := range t.points {
				if t.points[k].node != 0 {
					t.points[k].node += bases[i]
				}
			}
			all = append(all, t)
		}
		return all, tree
	}
	type key struct {
		process int
		thread  uint32
		untimed bool
	}
	byKey := map[key]*track{}
	for s := range p.selected() {
		k := key{s.Process, s.Thread, s.Untimed}
		if s.Untimed {
			k.thread = 0
		}
		t := byKey[k]
		if t == nil {
			t = &track{process: s.Process, pid: s.Pid, thread: k.thread, timed: !s.Untimed, fields: map[string][]string{}}
			byKey[k] = t
			all = append(all, t)
		}
		t.program = s.Program // the last one that the process executed
		if fields {
			t.addFields(s.Fields)
		}
		t.points = append(t.points, point{s.Time, s.Node, s.Weight})
	}
	for _, t := range all {
		if t.timed {
			t.byTime()
			continue
		}
		untimed := &calltree.Tree{Frames: tree.Frames, Nodes: tree.Nodes, Self: make([]calltree.Weight, len(tree.Nodes))}
		for _, at := range t.points {
			untimed.Self[at.node] = untimed.Self[at.node].Plus(at.weight)
		}
		t.fields = nil
		t.byPath(untimed)
	}
	return all, tree
}

// addFields keeps the values of the sample that becomes the next point.
func (t *track) addFields(fields []path.Field) {
	for _, f := range fields {
		column := t.fields[f.Name]
		column = append(column, make([]string, len(t.points)-len(column))...)
		t.fields[f.Name] = append(column, f.Value)
	}
}

// byTime puts the points into the order of their times.
func (t *track) byTime() {
	earlier := func(a, b int) int { return cmp.Compare(t.points[a].time, t.points[b].time) }
	for name, column := range t.fields {
		t.fields[name] = append(column, make([]string, len(t.points)-len(column))...)
	}
	order := make([]int, len(t.points))
	for i := range order {
		order[i] = i
		t.weight += t.points[i].weight.Weight
	}
	if slices.IsSortedFunc(order, earlier) {
		return
	}
	slices.SortStableFunc(order, earlier)
	points := make([]point, len(order))
	for i, was := range order {
		points[i] = t.points[was]
	}
	t.points = points
	for name, column := range t.fields {
		sorted := make([]string, len(order))
		for i, was := range order {
			sorted[i] = column[was]
		}
		t.fields[name] = sorted
	}
}

// byPath makes a point of each call path of a tree that has samples of its own, in the
// order of the names on them.
func (t *track) byPath(tree *calltree.Tree) {
	t.points = nil
	if self := tree.Self[0]; self.Samples > 0 {
		t.points = append(t.points, point{weight: self})
		t.weight += self.Weight
	}
	for n := range newOutline(tree).preorder() {
		if self := tree.Self[n]; self.Samples > 0 {
			t.points = append(t.points, point{node: n, weight: self})
			t.weight += self.Weight
		}
	}
}

// name names the track for viewers.
func (t *track) name() string {
	switch {
	case t.group != "":
		return line(t.group)
	case !t.timed:
		return fmt.Sprintf("%s %d, not in order of time", t.processName(), t.pid)
	}
	return fmt.Sprintf("%s %d thread %d", t.processName(), t.pid, t.thread)
}

func (t *track) processName() string {
	if t.program == "" {
		return unknown
	}
	return line(filepath.Base(t.program))
}
