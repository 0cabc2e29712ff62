package path

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/pct/data"
)

// NoRuns says that there is no newest run.
type NoRuns struct{ root string }

func (e *NoRuns) Error() string {
	return fmt.Sprintf("which run? You have none in %s: create one by profile PROG, or name a run directory", e.root)
}

// Newest returns the run directories of the user's newest run below root, in the order of their start: those of the process that started last
// of all that no other one made which has a run directory, and of its descendants.
func Newest(root string) ([]string, error) {
	all := runsBelow(root)
	type process struct {
		host string
		pid  int
	}
	of := map[process][]*found{} // in the order of their start
	trees := map[string]*found{}
	for _, f := range all {
		p := process{f.meta.Host, f.meta.Pid}
		of[p] = append(of[p], f)
		if tree := f.meta.Tree; tree != "" && trees[tree] == nil {
			trees[tree] = f
		}
	}
	var newest *found
	for _, f := range all { // parents before children
		f.origin = f
		if tree := f.meta.Tree; tree != "" {
			f.origin = trees[tree].origin
		} else {
			for _, parent := range slices.Backward(of[process{f.meta.Host, f.meta.Ppid}]) {
				if parent != f && parent.meta.Start.Before(f.meta.Start) && (parent.meta.End.IsZero() || parent.meta.End.After(f.meta.Start)) {
					f.origin = parent.origin
					break
				}
			}
			if f.origin == f {
				// A program that the process executed before.
				for _, before := range of[process{f.meta.Host, f.meta.Pid}] {
					if before != f && before.meta.Ppid == f.meta.Ppid && before.origin != nil && follows(before.meta, f.meta) && !before.meta.Start.After(f.meta.Start) {
						f.origin = before.origin
					}
				}
			}
		}
		if f.origin == f {
			newest = f
		}
	}
	if newest == nil {
		return nil, &NoRuns{root}
	}
	var dirs []string
	first := map[program]bool{} // a former directory of a further resource comes later
	for _, f := range all {
		if p := programOf(f.meta); f.origin == newest && !first[p] {
			first[p] = true
			dirs = append(dirs, filepath.Join(root, f.name))
		}
	}
	return dirs, nil
}

// found is a run directory with what its meta says.
type found struct {
	name   string
	meta   data.Meta
	origin *found // the first of its run
}

// runsBelow returns the user's run directories below root by their start.
func runsBelow(root string) []*found {
	entries, _ := os.ReadDir(root) // one that can't be read holds nothing for us
	var all []*found
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		var st unix.Stat_t
		if !e.IsDir() || unix.Lstat(dir, &st) != nil || int(st.Uid) != os.Geteuid() {
			continue
		}
		// Of a damaged one, what stands before the damage.
		if m, _ := data.ReadMeta(dir); !m.Start.IsZero() {
			all = append(all, &found{name: e.Name(), meta: m})
		}
	}
	slices.SortFunc(all, func(a, b *found) int {
		return cmp.Or(a.meta.Start.Compare(b.meta.Start), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	return all
}

// NewestText tells which the directories of the newest run are.
func NewestText(dirs []string) string {
	text := "the newest run: " + dirs[0]
	switch n := len(dirs) - 1; {
	case n == 1:
		text += " and 1 more run directory"
	case n > 1:
		text += fmt.Sprintf(" and %d more run directories", n)
	}
	return text
}
