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

// A source is what is read as one run: a run directory, or some files of one.
type source struct {
	dir   string
	names []string // nil: all of it
	loose bool     // a file that stands in no run directory
}

// name is what the process is called whose samples these are.
func (s source) name() string {
	if s.loose {
		return s.names[0]
	}
	return filepath.Base(s.dir)
}

// part reports whether the directory has files with samples that are not read.
func (s source) part() bool {
	if s.names == nil || s.loose {
		return false
	}
	entries, err := os.ReadDir(s.dir)
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		if !e.Type().IsRegular() || data.IsPart(name) || slices.Contains(s.names, name) {
			return false
		}
		var foreign *data.NotCounts
		_, err := data.OpenCounts(filepath.Join(s.dir, name))
		return name == "paths" || !errors.As(err, &foreign)
	})
}

// arguments finds what the arguments of a report stand for, each thing once: run
// directories, directories of them, and their files. Files that belong to a run but
// hold no samples are passed over.
func arguments(names []string) (all []source, problems []error) {
	for _, name := range names {
		st, err := os.Stat(name)
		switch {
		case err != nil:
			problems = append(problems, data.Unreached(name, err))
		case !st.IsDir() && data.IsPart(filepath.Base(name)):
		case !st.IsDir():
			all = addFile(all, name)
		case !data.IsRun(name):
			inner, err := runsIn(name)
			for _, dir := range inner {
				all = addDir(all, dir)
			}
			if err != nil {
				problems = append(problems, err)
			}
		default:
			all = addDir(all, name)
		}
	}
	if len(all) == 0 && len(problems) == 0 && len(names) > 0 {
		problems = append(problems, fmt.Errorf("%s belongs to a run, but holds no samples: name its directory", names[0]))
	}
	return all, problems
}

// addDir adds a directory, in place of its files if some are there.
func addDir(all []source, dir string) []source {
	i := slices.IndexFunc(all, func(s source) bool { return !s.loose && filepath.Clean(s.dir) == filepath.Clean(dir) })
	if i < 0 {
		return append(all, source{dir: dir})
	}
	all[i].names = nil
	return all
}

func addFile(all []source, path string) []source {
	dir, name := filepath.Dir(path), filepath.Base(path)
	_, err := os.Stat(filepath.Join(dir, "meta"))
	loose := errors.Is(err, fs.ErrNotExist) && name != "paths"
	for i := range all {
		switch s := &all[i]; {
		case s.loose != loose || filepath.Clean(s.dir) != dir || loose && s.names[0] != name:
		case s.names == nil || slices.Contains(s.names, name):
			return all
		default:
			s.names = append(s.names, name)
			return all
		}
	}
	return append(all, source{dir, []string{name}, loose})
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
