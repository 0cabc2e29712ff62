package path

import (
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// entry is the function where a program starts for its author; the frames that
// call it belong to the start-up code.
const entry = "main"

// A tree is the calling context tree of all runs at one granularity.
type tree struct {
	*calltree.Builder
	ranked *ranked
	opened *opened
}

// opened are, by the nodes of paths as they were found, those of the same paths below a frame "?"; 0 is none yet.
type opened struct{ of []int32 }

// spot is where a call path of a run is in the tree: its node or, if main is on the path, the complement of that.
type spot int32

func spotOf(node int32, inMain bool) spot {
	if inMain {
		return spot(^node)
	}
	return spot(node)
}

func (s spot) inMain() bool { return s < 0 }

func (s spot) node() int32 {
	if s < 0 {
		return ^int32(s)
	}
	return int32(s)
}

func newTree() tree { return tree{calltree.NewBuilder(), &ranked{}, &opened{}} }

// A step is what a frame does to a call path.
type step struct {
	frame int32
	main  bool
}

// shape says how a tree is made of call paths.
type shape struct {
	frame    func(f frame, inlined bool) (made calltree.Frame, ok bool) // as the tree tells it apart from others; not ok: it is left out
	sites    bool                                                       // frames are told apart by their call sites
	physical bool                                                       // inlined functions are no frames
	coarse   bool                                                       // neighbours that are equal are one frame
	places   bool                                                       // the places themselves are the frames, and have their numbers
	pastMain bool                                                       // keep the callers of main
	opened   bool                                                       // what lacks its outermost frames begins with a frame "?"
	alone    bool                                                       // only the innermost frame of a path
}

// shape is that of the call paths of a profile.
func (o Options) shape(label func(frame, Granularity) string) shape {
	g := o.Granularity
	return shape{
		frame: func(f frame, inlined bool) (calltree.Frame, bool) {
			made := calltree.Frame{Name: label(f, g)}
			switch {
			case g == Location:
				made.Function, made.Object, made.Addr, made.File, made.Line = f.function, f.object, f.addr, f.file, f.line
				made.Inlined = inlined
			case g == Symbol:
				made.Function = f.function
			case g == Line && f.located():
				made.File, made.Line = f.file, f.line
			}
			return made, true
		},
		sites: g == Call, physical: g == Address, coarse: g.coarse(), pastMain: o.PastMain, opened: true,
	}
}

// steps makes the frames of each place, outermost first. Call sites are no matter of
// the place alone: see callSteps.
func (t tree) steps(all *symbols, sh shape) [][]step {
	if sh.sites {
		return nil
	}
	steps := make([][]step, len(all.chains))
	if sh.places {
		t.Frames = make([]calltree.Frame, len(all.places))
		for i := range steps {
			steps[i] = []step{{frame: int32(i)}}
		}
		return steps
	}
	for i, chain := range all.chains {
		if sh.physical {
			chain = chain[len(chain)-1:] // inlined functions share the address
		}
		for j, f := range slices.Backward(chain) {
			if made, ok := sh.frame(f, j < len(chain)-1); ok {
				steps[i] = append(steps[i], step{t.Frame(made), f.function == entry})
			}
		}
	}
	return steps
}

// callSteps are the steps of a place called from another one, or from none
// (unselected), where frames are told apart by their call sites.
func (t tree) callSteps(all *symbols, place, caller int32, sh shape) []step {
	var at *frame
	if caller != unselected {
		at = &all.chains[caller][0]
	}
	chain := all.chains[place]
	var steps []step
	for j, f := range slices.Backward(chain) {
		made := calltree.Frame{Name: f.shortLabel(Symbol), Function: f.function}
		if at != nil && (sh.pastMain || f.function != entry) {
			made.Name += "@" + at.site()
		}
		at = &chain[j]
		steps = append(steps, step{t.Frame(made), f.function == entry})
	}
	return steps
}

// add puts the nodes of a run into the tree and returns where each went. places
// gives the place of each, whose steps are taken from the caller's node.
func (t tree) add(r *run, places []int32, all *symbols, steps [][]step, sh shape) []spot {
	at := make([]spot, len(r.Nodes))
	type call struct{ place, caller int32 }
	calls := map[call][]step{}
	for id := 1; id < len(r.Nodes); id++ {
		place := places[id]
		if place == unselected {
			continue // with innermost places, parents are: the path begins where it ends
		}
		parent := r.Nodes[id].Parent
		var todo []step
		if sh.sites {
			from := call{place, unselected}
			if parent != 0 {
				from.caller = places[parent]
			}
			var ok bool
			if todo, ok = calls[from]; !ok {
				todo = t.callSteps(all, from.place, from.caller, sh)
				calls[from] = todo
			}
		} else {
			todo = steps[place]
		}
		node, inMain := at[parent].node(), at[parent].inMain()
		if sh.alone {
			node, inMain, todo = 0, false, todo[max(0, len(todo)-1):]
		}
		for _, s := range todo {
			if s.main && !inMain {
				inMain = true
				if !sh.pastMain {
					node = 0
				}
			}
			if sh.coarse && node != 0 && t.Nodes[node].Frame == s.frame {
				continue
			}
			node = t.Child(node, s.frame)
		}
		at[id] = spotOf(node, inMain)
	}
	return at
}

// name returns the name of a node's own frame.
func (t tree) name(node int32) string { return t.Frames[t.Nodes[node].Frame].Name }

// open returns the node of a path that begins with a frame "?".
func (t tree) open(node int32) int32 {
	of := &t.opened.of
	*of = append(*of, make([]int32, max(0, int(node)+1-len(*of)))...)
	var inner []int32 // those that have no such node yet
	at := node
	for ; (*of)[at] == 0 && at != 0; at = t.Nodes[at].Parent {
		inner = append(inner, at)
	}
	if (*of)[at] == 0 {
		(*of)[at] = t.Child(0, t.Frame(calltree.Frame{Name: outside}))
	}
	made := (*of)[at]
	for _, at := range slices.Backward(inner) {
		made = t.Child(made, t.Nodes[at].Frame)
		(*of)[at] = made
	}
	return made
}

// cut returns the node of the innermost frames of a path, at most levels of them.
func (t tree) cut(node int32, levels int) int32 {
	var frames []int32
	for ; node != 0 && len(frames) < levels; node = t.Nodes[node].Parent {
		frames = append(frames, t.Nodes[node].Frame)
	}
	return t.Insert(frames)
}
