package data

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/regular"
)

const pathsPrefix = "paths." // before the name of a resource

// formerPaths is what the file of call paths of a first resource was named before all were paths.NAME: in run directories
// of dbctl, of pct-ring and of imports. The library named it calls, and those of further resources calls.NAME; pct-ring
// had a run directory PROG.PID.NAME for each of these. Files are told apart by their first bytes, so that no other name
// matters here; package path knows of those directories, in former.go.
const formerPaths = "paths"

// FileName is a resource's name in the names of files. A resource may have the name of a function, of any length; the
// header of the file has all of it.
func FileName(resource string) string {
	const most = 40 // bytes
	name := DirName(resource)
	return strings.ToValidUTF8(name[:min(most, len(name))], "")
}

// pathsOf names the file of a resource's call paths.
func pathsOf(resource string) string { return pathsPrefix + FileName(resource) }

// Reserved reports whether files of the format have this name in a run directory: no output of a
// script may have it. A count file of an object that is called so is told by its first bytes.
func Reserved(name string) bool {
	return IsPart(name) || name == formerPaths || strings.HasPrefix(name, pathsPrefix)
}

// content is what a file holds, by its first bytes.
type content int

const (
	holdsNothing content = iota // of ours
	holdsPaths                  // call paths and samples, by a Writer
	holdsCalls                  // call paths and counts, by the library
	holdsCounts                 // samples in an object
)

// A probed file is one of a directory with what it holds.
type probed struct {
	path     string
	holds    content
	resource string // "" if that can't be read
	whole    []byte // the file, if it is a small one of call paths: such are read once
	writing  bool   // it was open for writing before it was read
}

func probe(path string) probed {
	name := filepath.Base(path)
	named := name == formerPaths || strings.HasPrefix(name, pathsPrefix)
	p := probed{path: path}
	f, size, err := openRegular(path)
	if err != nil {
		if named && !errors.Is(err, fs.ErrNotExist) {
			p.holds = holdsPaths // which readers then say of it
		}
		return p
	}
	defer f.Close()
	var head []byte
	small := size < countHeaderSize
	if small {
		p.writing = locked(f) // before it is read: who has ended by then has written all
		head, err = regular.ReadAll(f, size)
	} else {
		head, err = section(f, 0, countHeaderSize)
	}
	if err != nil {
		return p
	}
	begins := func(magic string) bool { // of any version
		return strings.HasPrefix(string(head), strings.TrimRight(magic, "0123456789\n"))
	}
	word := func(at int) string { return text0(head[min(at, len(head)):min(at+wordSize, len(head))]) }
	switch {
	case begins(callsMagic):
		p.holds, p.resource = holdsCalls, word(atCallsResource)
	case begins(countMagic):
		p.holds, p.resource = holdsCounts, word(atResource)
	case begins(magic), name == formerPaths, named && strings.HasPrefix(magic, string(head)):
		p.holds, p.resource = holdsPaths, headerIn(head).Resource
		if small {
			p.whole = head
		}
	}
	return p
}

// headerIn returns the header in the first bytes of a file of call paths, the zero one if it is not there.
func headerIn(head []byte) Header {
	var r Run
	if text, ok := bytes.CutPrefix(head, []byte(magic)); ok {
		_, _ = eachFrame(buffered(bytes.NewReader(text)), func(payload string) error {
			for c := (cursor{rest: payload}); c.rest != ""; {
				kind := c.byte()
				body := cursor{rest: c.string()}
				if kind == itemHeader && !c.bad && r.item(kind, &body, nil) {
					return errFound
				}
			}
			return nil
		})
	}
	return r.Header
}

// errFound ends the reading of what has been found.
var errFound = errors.New("found")

// ResourceOf returns what the samples in a file of a run directory are of; "" if it holds none, or if that can't be
// read.
func ResourceOf(path string) string { return probe(path).resource }

// HoldsPaths reports whether a file is one of call paths that a Writer wrote.
func HoldsPaths(path string) bool { return probe(path).holds == holdsPaths }

// OpenAll is Open for a directory in which one process was measured by several resources
// at once: a run for each that has a file of call paths, all of the same Dir, whose headers tell
// them apart. The first is the one that was asked for first. It returns one run at least, unless
// there is an error that is no *Truncated; of these, that of the first run is returned.
func OpenAll(dir string) ([]*Run, error) {
	first, hasMeta := open(dir) // before its files, whose samples the meta of a run that ends counts
	files, err := candidates(dir)
	if err != nil {
		return nil, err
	}
	held := func(p probed) bool { return p.holds == holdsPaths }
	alone := !slices.ContainsFunc(files, held) && !hasMeta
	groups := byResource(files, first.Meta.Resources)
	var runs []*Run
	var torn error
	for i, group := range groups {
		r := first
		if i > 0 {
			r, _ = open(dir)
		}
		err := r.addFiles(group, true)
		var cut *Truncated
		switch {
		case err == nil && alone && len(r.Objects) == 1 && len(r.Damage) == 0:
			return nil, notARun(dir)
		case err == nil:
		case errors.As(err, &cut) && i == 0:
			torn = err
		case errors.As(err, &cut) || len(groups) > 1:
			r.Damage = append(r.Damage, err)
		default:
			return nil, err
		}
		if len(groups) > 1 || len(r.Meta.Resources) > 1 {
			r.apart()
		}
		runs = append(runs, r)
	}
	return runs, torn
}

// byResource sorts the files of a directory by the resource that they tell of: a group for each
// that has a file of call paths, in the order in which they were asked for, or one. Count files go with those of
// their resource. What is of no resource of these is with the first.
func byResource(files []probed, asked []string) [][]probed {
	var resources []string
	for _, f := range files {
		if (f.holds == holdsPaths || f.holds == holdsCalls) && f.resource != "" && !slices.Contains(resources, f.resource) {
			resources = append(resources, f.resource)
		}
	}
	rank := func(resource string) int {
		if i := slices.Index(asked, resource); i >= 0 {
			return i
		}
		return len(asked)
	}
	slices.SortStableFunc(resources, func(a, b string) int { return rank(a) - rank(b) })
	groups := make([][]probed, max(1, len(resources)))
	for _, f := range files {
		at := max(0, slices.Index(resources, f.resource))
		groups[at] = append(groups[at], f)
	}
	return groups
}

// apart gives a run of several resources its own part of what the meta tells of all together.
func (r *Run) apart() {
	m, h := &r.Meta, &r.Header
	if h.Clock != "" {
		m.Clock = h.Clock
	}
	if m.Period != h.Period {
		m.Period, m.Asked = h.Period, 0
		if h.Period > 0 {
			m.Asked = float64(time.Second) / float64(h.Period)
		}
	}
	r.settle()
}
