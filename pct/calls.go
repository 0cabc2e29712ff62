package main

import (
	"errors"
	"runtime/debug"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// callFlags are the flags of all reports on whole call paths.
var callFlags = []string{"g FRAMES", "past-main", "templates", "by FIELD", "i INTERVAL", "window", "where", "through", "not", "r RESOURCE",
	"tree", "O FILE", "translator", "vmlinux"}

// littleGarbage is, in percent of what is in use, the garbage that may be in memory. Most of
// what is read stays: to let garbage become as much as that takes twice the memory.
const littleGarbage = 20

// calls opens the runs and puts the samples that were asked for into calling context
// trees, one for each value of -by that -through and -not leave something of. The
// translator is asked for names of functions, even where the granularity has none: those
// above main are left out by name.
func (v *invocation) calls(g path.Granularity) (*path.Runs, *path.Selection, *path.Calls, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(littleGarbage))
	runs, selected, err := v.choose()
	if err != nil {
		return nil, nil, nil, err
	}
	t, end, err := v.startTranslator(!v.PastMain || g != path.Address && g != path.Object)
	if err != nil {
		return nil, nil, nil, err
	}
	defer end()
	o := v.Options
	o.Granularity = g
	c, err := selected.Calls(t, o)
	if err != nil {
		return nil, nil, nil, err
	}
	v.warnUncounted(c.Uncounted)
	v.warnUnknown(c.Builder.Frames)
	c.Groups = slices.DeleteFunc(c.Groups, func(g path.Group) bool { return g.Tree.Whole().Samples == 0 })
	if len(c.Groups) > 0 {
		return runs, selected, c, nil
	}
	return nil, nil, nil, errNothingLeft
}

var errNothingLeft = errors.New("no call path is selected by -through and -not; pct fn lists the functions")

// warnUnknown tells which names of -through and -not none of the frames has: mistyped, -not
// takes nothing away, and -through all.
func (v *invocation) warnUnknown(frames []calltree.Frame) {
	for _, r := range v.Refinements {
		for _, p := range r.Through {
			p = p.Among(frames)
			if !slices.ContainsFunc(frames, func(f calltree.Frame) bool { return p.Frame(&f) }) {
				v.warn("%v", noRoot(p, frames))
			}
		}
	}
}
