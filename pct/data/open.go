package data

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/regular"
)

// Open reads a run directory: meta, call paths, and all count files in it. Of a file in
// such a directory, or anywhere else, it reads that, and the directory's meta. It works
// at any instant of the run's life, and never waits. The files may be absent (a
// run without samples), or meta, but not all of them. Of a directory with several
// resources it reads the first: see OpenAll.
//
// If a file of call paths does not end with a whole record, the run is returned together with a
// *Truncated error; so is a single count file that is too short. All other errors
// come with a nil run. What is wrong with other files is in Run.Damage.
func Open(path string) (*Run, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, Unreached(path, err)
	}
	if !st.IsDir() {
		return OpenFiles(filepath.Dir(path), []string{filepath.Base(path)})
	}
	runs, err := OpenAll(path)
	if len(runs) == 0 {
		return nil, err
	}
	return runs[0], err
}

// Unreached says that there is nothing to read at a path, and why: err, of os.Stat.
func Unreached(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("no data in %s: %w", path, err)
}

// OpenFiles reads some of the files in a directory: count files, and paths. With a
// single name an error is that of the file, as of Open.
func OpenFiles(dir string, names []string) (*Run, error) {
	r, _ := open(dir)
	before := len(r.Damage)
	var files []probed
	for _, name := range names {
		files = append(files, probe(filepath.Join(dir, name)))
	}
	if err := r.addFiles(files, false); err != nil {
		r.Damage = append(r.Damage, err)
	}
	if len(names) != 1 || len(r.Damage) == before {
		return r, nil
	}
	err := r.Damage[before]
	r.Damage = r.Damage[:before]
	var torn *Truncated
	if errors.As(err, &torn) {
		return r, err
	}
	return nil, err
}

// IsRun reports whether Open finds something in a directory.
func IsRun(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, metaFile)); err == nil {
		return true
	}
	files, err := candidates(dir)
	return err == nil && slices.ContainsFunc(files, func(f probed) bool {
		if f.holds != holdsCounts {
			return f.holds != holdsNothing
		}
		_, err := OpenCounts(f.path)
		var torn *Truncated
		return err == nil || errors.As(err, &torn)
	})
}

// IsPart reports whether a file of this name in a run directory belongs to the run
// and holds no samples.
func IsPart(name string) bool {
	return name == metaFile || name == treeFile || name == kernelSymbolsFile || name == tablesFile || name == namesFile
}

// open begins a run with its meta.
func open(dir string) (r *Run, hasMeta bool) {
	var err error
	r = newRunOf(dir)
	r.Meta, err = ReadMeta(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Damage = append(r.Damage, err)
	}
	return r, r.Meta.Version > 0
}

// newRunOf is a run of which nothing has been read.
func newRunOf(dir string) *Run {
	return &Run{
		Dir:     dir,
		Objects: make([]Object, 1),
		Nodes:   make([]Node, 1),
		Fields:  make([]string, 1),
		Lost:    map[string]uint64{},
	}
}

// readPaths adds a paths file; torn says that its tail is not whole.
func (r *Run) readPaths(p probed) (torn, err error) {
	if p.whole != nil {
		r.Writing = r.Writing || p.writing
		return r.readFrames(p.path, bytes.NewReader(p.whole), int64(len(p.whole)))
	}
	f, size, err := openRegular(p.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	writing := locked(f) // before it is read: who has ended by then has written all
	r.Writing = r.Writing || writing
	return r.readFrames(p.path, f, size)
}

// readFrames adds what is in a paths file of this size.
func (r *Run) readFrames(path string, src io.ReadSeeker, size int64) (torn, err error) {
	switch whole, err := r.decode(src); {
	case errors.Is(err, errForeign):
		return nil, fmt.Errorf("%s %w", path, err)
	case errors.Is(err, errTail), errors.Is(err, errDamaged):
		return &Truncated{Path: path, Offset: int64(whole), Size: max(size, int64(whole)), Why: err.Error()}, nil
	default:
		return nil, err
	}
}

// addFiles adds files of the run's directory to it. If all files of the directory are named, some need hold nothing.
// What is wrong with a paths file is returned, the rest is damage.
func (r *Run) addFiles(files []probed, all bool) (paths error) {
	// The numbers in a paths file are its own: there is one for a run. Beside it may be one that was just made.
	mine := slices.IndexFunc(files, func(f probed) bool { return f.holds == holdsPaths && f.resource != "" })
	if mine < 0 {
		mine = slices.IndexFunc(files, func(f probed) bool { return f.holds == holdsPaths })
	}
	for i, f := range files {
		if f.holds != holdsPaths {
			continue
		}
		if i == mine {
			torn, err := r.readPaths(f)
			paths = cmp.Or(torn, err)
			continue
		}
		torn, err := newRunOf(r.Dir).readPaths(f)
		if err = cmp.Or(torn, err); err == nil {
			err = errors.New(f.path + " has call paths of the same resource as another file, and was not read")
		}
		r.Damage = append(r.Damage, err)
	}
	folded := false
	for _, f := range files {
		if f.holds == holdsPaths {
			continue
		}
		if f.holds == holdsCalls {
			folded = true
			if err := r.readCalls(f.path); err != nil {
				r.Damage = append(r.Damage, parts(err)...)
			}
			continue
		}
		c, err := OpenCounts(f.path)
		var foreign *NotCounts
		if all && errors.As(err, &foreign) && foreign.Foreign {
			continue // the output of a script
		}
		if c != nil {
			folded = true
			if trouble := r.fold(c); trouble != nil {
				err = trouble
			}
		}
		if err != nil {
			r.Damage = append(r.Damage, err)
		}
	}
	r.settleValues()
	if r.Calls != nil {
		r.Calls = append(r.Calls, make([]uint32, len(r.Nodes)-len(r.Calls))...)
	}
	if folded {
		r.settle()
	}
	return paths
}

// parts are the errors that were joined.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// candidates are the files in a directory that may hold samples.
func candidates(dir string) ([]probed, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []probed
	for _, e := range entries {
		if name := e.Name(); element(name) && !e.IsDir() && !IsPart(name) {
			files = append(files, probe(filepath.Join(dir, name)))
		}
	}
	return files, nil
}

// readRegular is os.ReadFile of what can be read without waiting.
func readRegular(path string) ([]byte, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return regular.ReadAll(f, size)
}

// notARun tells those who named the directory above to name what is in it, and those
// whose disk was full that nothing is.
func notARun(path string) error {
	if unfinished(path) {
		return fmt.Errorf("%s has no data: its collector was killed before it wrote any, or the disk was full", path)
	}
	if empty(path) {
		return fmt.Errorf("%s has no data: it is not a run directory, or the disk was full when it was created", path)
	}
	hint := ""
	if inside, err := filepath.Glob(filepath.Join(path, "*", metaFile)); err == nil && len(inside) > 0 {
		hint = fmt.Sprintf("; it holds some, such as %s", filepath.Dir(inside[0]))
	}
	return fmt.Errorf("%s is not a run directory: it has neither %s nor paths nor count files%s", path, metaFile, hint)
}

// unfinished reports whether a directory holds nothing but a tree, or files that are being made: that of a run whose
// collector was killed.
func unfinished(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0 && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != treeFile && !strings.HasPrefix(e.Name(), ".")
	})
}

// empty reports whether a directory holds no byte.
func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		st, err := e.Info()
		return err != nil || !st.Mode().IsRegular() || st.Size() > 0
	})
}
