package path

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// TestAgreement makes all profiles of random samples: they are of the same weight, and each function and
// call path has the same in all of them.
func TestAgreement(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	places := []uint64{atStart, atMain, atEven, atOdd, atSym, atBare}
	for range 30 {
		var some []call
		for range 1 + r.IntN(40) {
			c := call{weight: uint64(1 + r.IntN(100)), partial: r.IntN(4) == 0, fields: map[string]string{"n": fmt.Sprint(r.IntN(3))}}
			for range r.IntN(8) {
				c.frames = append(c.frames, places[r.IntN(len(places))])
			}
			some = append(some, c)
		}
		s := selection(t, "", writeRun(t, "/bin/prog", data.Meta{}, some...))
		for _, by := range []string{"", "n"} {
			agree(t, s, Options{Granularity: Symbol, By: by, PastMain: r.IntN(2) == 0})
		}
	}
}

func agree(t *testing.T, s *Selection, o Options) {
	t.Helper()
	calls, err := s.Calls(translator, o)
	check(t, err)
	of := func(name string) func(*Profile, error) map[string]calltree.Weight {
		return func(p *Profile, err error) map[string]calltree.Weight {
			check(t, err)
			all := map[string]calltree.Weight{}
			var sum calltree.Weight
			for _, r := range p.Rows {
				key := r.Group + ": " + strings.Join(r.Path.Names(), " <- ")
				w := calltree.Weight{Weight: r.Weight, Samples: r.Samples}
				all[key], sum = all[key].Plus(w), sum.Plus(w)
			}
			if whole := (calltree.Weight{Weight: s.weight, Samples: s.count}); sum != whole && !p.Overlapping {
				t.Errorf("%s has %v of %v", name, sum, whole)
			}
			return all
		}
	}
	paths, flat := of("paths")(s.Paths(translator, o)), of("flat profile")(s.Flat(translator, o))
	shortest := o
	shortest.Levels = 1
	short := of("paths of one frame")(s.Paths(translator, shortest))
	total := o
	total.Total = true
	inclusive := of("flat profile with callees")(s.Flat(translator, total))

	trees, bodies, functions := map[string]calltree.Weight{}, map[string]calltree.Weight{}, map[string]calltree.Weight{}
	for _, g := range calls.Groups {
		for node, w := range g.Tree.Self {
			if w.Samples > 0 {
				trees[g.Name+": "+strings.Join(treeNames(g.Tree, int32(node)), " <- ")] = w
			}
		}
		for _, f := range g.Tree.Bodies() {
			bodies[g.Name+": "+g.Tree.Frames[f.Frame].Name] = f.Weight
		}
		for _, f := range g.Tree.Functions() {
			functions[g.Name+": "+g.Tree.Frames[f.Frame].Name] = f.Weight
		}
	}
	label := func(all map[string]calltree.Weight) map[string]calltree.Weight { // as Flat names functions, without what lacks a caller
		labelled := map[string]calltree.Weight{}
		for key, w := range all {
			group, name, _ := strings.Cut(key, ": ")
			name = name[strings.LastIndex(name, "/")+1:]
			if name = strings.TrimPrefix(name, "prog:"); name != outside {
				labelled[group+": "+name] = w
			}
		}
		return labelled
	}
	for what, pair := range map[string][2]map[string]calltree.Weight{
		"call paths":             {paths, trees},
		"paths of one frame":     {short, bodies},
		"functions":              {label(flat), label(bodies)},
		"functions with callees": {label(inclusive), label(functions)},
	} {
		if !maps.Equal(pair[0], pair[1]) {
			t.Errorf("%s of %+v:\n%v\n%v", what, o, pair[0], pair[1])
		}
	}

	phases, err := s.Phases(translator, Options{Granularity: Symbol, By: o.By, Interval: 3 * time.Second}, false)
	check(t, err)
	files, err := s.Sources(translator, o)
	check(t, err)
	instructions, err := s.Instructions(translator)
	check(t, err)
	hot, _, err := s.Hot(translator, o)
	check(t, err)
	var inPhases, inFiles, inLines, inHot, atPlaces uint64
	for _, p := range phases.Rows {
		inPhases += p.Weight
	}
	for _, f := range files {
		inFiles += f.Weight
		for _, l := range f.Lines {
			inLines += l.Weight
		}
		if f.Path == "" {
			inLines += f.Weight
		}
	}
	for _, h := range hot {
		inHot += h.Self
	}
	for _, in := range instructions {
		atPlaces += in.Weight
	}
	for _, sample := range s.samples[0].All() {
		if sample.Node == 0 {
			atPlaces += sample.Weight // of no instruction
		}
	}
	if sums := []uint64{inPhases, inFiles, inLines, inHot, atPlaces}; slices.ContainsFunc(sums, func(sum uint64) bool { return sum != s.weight }) {
		t.Errorf("phases, files, lines, hot functions and instructions have %d of %d", sums, s.weight)
	}
}

func treeNames(t *calltree.Tree, node int32) []string {
	var names []string
	for _, f := range t.Path(node) {
		names = append(names, t.Frames[f].Name)
	}
	return names
}
