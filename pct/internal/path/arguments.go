package path

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/profilecollection/pct/pct/data"
)

// A source is what is read of one process: a run directory, or some files of one.
type source struct {
	dir   string
	names []string // nil: all of it
	loose bool     // a file that stands in no run directory
	more  []string // further directories of the same program, see joinFormer
}

// name is what the process is called whose samples these are, one run of the source.
func (s source) name(r *data.Run) string {
	if s.loose {
		return s.names[0]
	}
	return filepath.Base(r.Dir)
}

// part reports whether the directory has files with samples of the same resource that are not read.
func (s source) part(r *data.Run) bool {
	if s.names == nil || s.loose {
		return false
	}
	entries, err := os.ReadDir(s.dir)
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		return e.Type().IsRegular() && !slices.Contains(s.names, name) && data.ResourceOf(filepath.Join(s.dir, name)) == r.Header.Resource
	})
}

// arguments finds what the arguments of a report stand for, each thing once: run
// directories, directories of them, and their files. Files that belong to a run but
// hold no samples are passed over.
func arguments(names []string) ([]source, []error) {
	all := sourceList{at: map[string]int{}}
	var problems []error
	for _, name := range names {
		st, err := os.Stat(name)
		switch {
		case err != nil:
			problems = append(problems, data.Unreached(name, err))
		case !st.IsDir() && (data.IsPart(filepath.Base(name)) || data.HoldsValues(name)):
		case !st.IsDir():
			all.addFile(name)
		case !data.IsRun(name):
			inner, err := runsIn(name)
			for _, dir := range inner {
				all.addDir(dir)
			}
			if err != nil {
				problems = append(problems, err)
			}
		default:
			all.addDir(name)
		}
	}
	if len(all.list) == 0 && len(problems) == 0 && len(names) > 0 {
		problems = append(problems, fmt.Errorf("%s belongs to a run, but holds no samples: name its directory", names[0]))
	}
	return all.list, problems
}

// A sourceList has sources in the order in which they were named.
type sourceList struct {
	list []source
	at   map[string]int // where they are in the list, by the clean paths of their directories or, of loose files, of these
}

// find returns the source at a path, nil if it is not there yet.
func (all *sourceList) find(path string) *source {
	if i, ok := all.at[filepath.Clean(path)]; ok {
		return &all.list[i]
	}
	return nil
}

func (all *sourceList) add(path string, s source) {
	all.at[filepath.Clean(path)] = len(all.list)
	all.list = append(all.list, s)
}

// addDir adds a directory, in place of its files if some are there.
func (all *sourceList) addDir(dir string) {
	if s := all.find(dir); s != nil {
		s.names = nil
		return
	}
	all.add(dir, source{dir: dir})
}

func (all *sourceList) addFile(path string) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	_, err := os.Stat(filepath.Join(dir, "meta"))
	if loose := errors.Is(err, fs.ErrNotExist) && !data.HoldsPaths(path); loose {
		if all.find(path) == nil {
			all.add(path, source{dir: dir, names: []string{name}, loose: true})
		}
		return
	}
	switch s := all.find(dir); {
	case s == nil:
		all.add(dir, source{dir: dir, names: []string{name}})
	case s.names != nil && !slices.Contains(s.names, name):
		s.names = append(s.names, name)
	}
}

// runsIn returns the run directories that a directory holds.
func runsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var runs []string
	for _, e := range entries {
		if inner := filepath.Join(dir, e.Name()); data.IsRun(inner) {
			runs = append(runs, inner)
		}
	}
	if len(runs) == 0 {
		_, err = data.Open(dir) // which says what is missing
	}
	return runs, err
}
