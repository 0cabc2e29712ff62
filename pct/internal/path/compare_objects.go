package path

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// Matched is an object that the two sides have at different paths.
type Matched struct {
	Name, A, B string
	Programs   bool // of other names, too: they are what each side ran
}

// Nameless is an object of which one side has addresses alone, as the file that was
// sampled is gone, so that its functions can't be compared with the other side's.
type Nameless struct {
	Object string
	Why    string // a sentence
	Weight uint64 // of what has no name
}

// build is a file as it was when it was sampled.
type build struct{ path, id string }

// builds returns the objects that innermost frames are in.
func builds(side []*Selection) map[build]bool {
	found := map[build]bool{}
	for _, s := range side {
		for i, r := range s.runs.all {
			for _, sample := range s.samples[i].All() {
				if o := r.Objects[r.Nodes[sample.Node].Object]; sample.Node != 0 && o.Path != "" {
					found[build{o.Path, o.BuildID}] = true
				}
			}
		}
	}
	return found
}

// match finds the objects that two builds of a program have in different directories. A
// base name that a side has twice stands for nothing, and neither does one of a path that
// both sides have.
func match(a, b map[build]bool) []Matched {
	byBase := func(side, other map[build]bool) map[string]string { // "" if there are several
		paths := map[string]string{}
		for o := range side {
			base := filepath.Base(o.path)
			if known, ok := paths[base]; ok && known != o.path {
				paths[base] = ""
				continue
			}
			paths[base] = o.path
		}
		for o := range other {
			if base := filepath.Base(o.path); paths[base] == o.path {
				delete(paths, base)
			}
		}
		return paths
	}
	inA, inB := byBase(a, b), byBase(b, a)
	var all []Matched
	for base, path := range inA {
		if other := inB[base]; path != "" && other != "" {
			all = append(all, Matched{Name: base, A: path, B: other})
		}
	}
	slices.SortFunc(all, func(x, y Matched) int { return cmp.Compare(x.Name, y.Name) })
	return all
}

// matchPrograms finds the program that each side ran and the other did not, where they have
// neither a path nor a base name in common. If there are several, it is the one that was launched.
func matchPrograms(a, b []*Selection, inA, inB map[build]bool, others []Matched) (Matched, bool) {
	taken := map[string]bool{}
	for _, m := range others {
		taken[m.A], taken[m.B] = true, true
	}
	own := func(side []*Selection, mine, other map[build]bool) string {
		ours := map[string]bool{}
		for o := range mine {
			ours[o.path] = !taken[o.path]
		}
		for o := range other {
			delete(ours, o.path)
		}
		var found distinct
		var launched []string
		for _, s := range side {
			for _, r := range s.runs.all {
				if ours[r.Meta.Exe] {
					found.add(r.Meta.Exe)
				}
			}
			for _, f := range s.runs.trees {
				if first := &f.processes[0]; first.How == "launch" {
					launched = append(launched, first.Programs[0].Exe)
				}
			}
		}
		all := found.all
		if len(all) > 1 {
			all = slices.DeleteFunc(all, func(exe string) bool { return !slices.Contains(launched, exe) })
		}
		if len(all) != 1 {
			return ""
		}
		return all[0]
	}
	m := Matched{A: own(a, inA, inB), B: own(b, inB, inA), Programs: true}
	m.Name = filepath.Base(m.B)
	return m, m.A != "" && m.B != ""
}

// nameless finds the objects whose functions a side does not know, as their files changed.
// Where the other side has the same build, they can be compared by their addresses.
func nameless(side []*Selection, mine, others map[build]bool, t Translator) ([]Nameless, error) {
	ids := map[string]bool{}
	for o := range others {
		ids[o.id] = o.id != ""
	}
	why := map[build]string{}
	for o := range mine {
		if !ids[o.id] && !others[o] && strings.HasPrefix(o.path, "/") {
			if s := changed(objectKey{path: o.path, buildID: o.id}); s != "" {
				why[o] = s + ": its addresses have no names"
			}
		}
	}
	if len(why) == 0 {
		return nil, nil
	}
	weights := map[build]uint64{}
	for _, s := range side {
		instructions, err := s.Instructions(t)
		if err != nil {
			return nil, err
		}
		for _, in := range instructions {
			o := build{in.Object, in.BuildID}
			if why[o] != "" && (len(in.Frames) == 0 || in.Frames[0].Func == "" && in.Frames[0].File == "") {
				weights[o] += in.Weight
			}
		}
	}
	var all []Nameless
	for o := range weights {
		all = append(all, Nameless{o.path, why[o], weights[o]})
	}
	slices.SortFunc(all, func(x, y Nameless) int {
		return cmp.Or(cmp.Compare(x.Object, y.Object), cmp.Compare(x.Weight, y.Weight))
	})
	return all, nil
}
