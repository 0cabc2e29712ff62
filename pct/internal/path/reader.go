package path

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// A Reader reads runs again and again: what has ended is read once. The zero Reader
// is ready for use, by one goroutine.
type Reader struct {
	known map[string]knownRun
	once  bool // nothing is read again, and nothing kept for that
}

type knownRun struct {
	runs  []*data.Run
	stamp dirStamp
}

// dirStamp changes whenever a file of a run directory does which belongs to its run.
type dirStamp struct {
	files int
	size  int64 // of all together
	time  time.Time
}

func stampOf(dir string) (stamp dirStamp) {
	entries, _ := os.ReadDir(dir) // one that can't be read has nothing that changes
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || data.IsPart(e.Name()) && e.Name() != "meta" {
			continue
		}
		stamp.files++
		stamp.size += st.Size()
		if st.ModTime().After(stamp.time) {
			stamp.time = st.ModTime()
		}
	}
	return stamp
}

// read is the first run of readAll.
func (r *Reader) read(dir string) (*data.Run, error) {
	runs, err := r.readAll(dir)
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}

// readAll is data.OpenAll; a torn tail is no error, but part of the damage.
func (r *Reader) readAll(dir string) ([]*data.Run, error) {
	var stamp dirStamp
	if !r.once {
		stamp = stampOf(dir)
	}
	if k, ok := r.known[dir]; ok && k.stamp == stamp {
		return k.runs, nil
	}
	runs, err := data.OpenAll(dir)
	if len(runs) > 0 {
		_, err = tolerate(runs[0], err)
	}
	if err != nil {
		return nil, err
	}
	if in := runs[0]; !r.once && !in.Writing && in.Meta.State != stateRunning {
		if r.known == nil {
			r.known = map[string]knownRun{}
		}
		r.known[dir] = knownRun{runs, stamp}
	}
	return runs, nil
}

// readSource reads the files of one process: a run for each resource. Those that could be read are returned together
// with an error about others. resource is what is asked for, "" if it's anything.
func (r *Reader) readSource(s source, resource string) ([]*data.Run, error) {
	if s.names == nil {
		all, err := r.readAll(s.dir)
		for _, dir := range s.more {
			more, wrong := r.readAll(dir)
			all, err = slices.Concat(all, more), errors.Join(err, wrong)
		}
		if resource == "" || err != nil || measures(all, resource) {
			return all, err
		}
		if other, err := r.beside(s.dir, resource); other != nil || err != nil {
			return other, err
		}
		return all, nil
	}
	in, err := tolerate(data.OpenFiles(s.dir, s.names))
	if err != nil {
		return nil, err
	}
	return []*data.Run{in}, nil
}

// tolerate makes a torn tail part of the damage.
func tolerate(r *data.Run, err error) (*data.Run, error) {
	var torn *data.Truncated
	if errors.As(err, &torn) {
		r.Damage = append(r.Damage, err)
		err = nil
	}
	return r, err
}

// Inside returns the run directories that the names stand for now: of a directory
// that is none, those that are in it; of a pattern such as /tmp/pct/gzip.*, those
// that it matches.
func Inside(names []string) []string {
	var runs distinct
	for _, name := range names {
		found := []string{name}
		if _, err := os.Lstat(name); err != nil {
			found, _ = filepath.Glob(name) // a pattern that is none matches nothing
		}
		for _, dir := range found {
			dir = runDir(dir)
			if data.IsRun(dir) {
				runs.add(dir)
				continue
			}
			inner, _ := os.ReadDir(dir) // one that can't be read holds nothing for us
			for _, in := range inner {
				if in := filepath.Join(dir, in.Name()); data.IsRun(in) {
					runs.add(in)
				}
			}
		}
	}
	return runs.all
}

// runDir returns the directory that a name means which may be that of a file in it.
func runDir(name string) string {
	if st, err := os.Stat(name); err == nil && !st.IsDir() {
		return filepath.Dir(name)
	}
	return name
}
