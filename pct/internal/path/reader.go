package path

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// A Reader reads runs again and again: what has ended is read once. The zero Reader
// is ready for use, by one goroutine.
type Reader struct {
	known map[string]knownRun
}

type knownRun struct {
	runs  []*data.Run
	stamp [2]fileStamp
}

// fileStamp changes whenever a file does.
type fileStamp struct {
	size int64
	time time.Time
}

func stampOf(dir string) (stamp [2]fileStamp) {
	for i, name := range []string{"meta", "paths"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil {
			stamp[i] = fileStamp{st.Size(), st.ModTime()}
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
	stamp := stampOf(dir)
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
	if in := runs[0]; !in.Writing && in.Meta.State != stateRunning {
		if r.known == nil {
			r.known = map[string]knownRun{}
		}
		r.known[dir] = knownRun{runs, stamp}
	}
	return runs, nil
}

// readSource reads the files of one process: a run for each resource.
func (r *Reader) readSource(s source) ([]*data.Run, error) {
	if s.names == nil {
		return r.readAll(s.dir)
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
			if isRun(dir) {
				runs.add(dir)
				continue
			}
			inner, _ := os.ReadDir(dir) // one that can't be read holds nothing for us
			for _, in := range inner {
				if in := filepath.Join(dir, in.Name()); isRun(in) {
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

func isRun(dir string) bool { return stampOf(dir) != [2]fileStamp{} || data.IsRun(dir) }
