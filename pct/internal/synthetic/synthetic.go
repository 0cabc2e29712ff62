// Package synthetic writes run directories of any size and shape, for tests of how the cost of a
// report grows, and for benchmarks. Only these import it.
package synthetic

import (
	"errors"
	"fmt"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

// Shape is the size of what is written. A field that is 0 counts as 1.
type Shape struct {
	Dirs    int // run directories, of a process each
	Tree    bool
	Threads int // of each process
	Objects int
	Symbols int // functions, each in one of the objects
	Paths   int // different call paths in each directory
	Depth   int // frames of a call path
	Samples int // in each directory; at least one for each path
	Fields  int // different values of the field "value"; 0 for no such field
}

// first is when the first process starts.
var first = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const (
	firstPid = 1000
	period   = time.Millisecond
	gather   = 1 << 20
)

// Write makes the run directories below root, and returns them.
func Write(root string, s Shape) ([]string, error) {
	for _, n := range []*int{&s.Dirs, &s.Threads, &s.Objects, &s.Symbols, &s.Paths, &s.Depth} {
		*n = max(1, *n)
	}
	s.Samples = max(s.Samples, s.Paths)
	dirs := make([]string, 0, s.Dirs)
	var tree *data.TreeWriter
	top := ""
	for i := range s.Dirs {
		d, err := data.Create(root, "prog", firstPid+i)
		if err != nil {
			return nil, err
		}
		if i == 0 && s.Tree {
			top = fmt.Sprintf("prog.%d", firstPid)
			if tree, err = d.NewTree(); err != nil {
				return nil, err
			}
		}
		dirs = append(dirs, d.Path())
		if err := errors.Join(s.run(d, i, top), s.process(tree, i), d.Close()); err != nil {
			return nil, err
		}
	}
	if tree != nil {
		return dirs, tree.Close()
	}
	return dirs, nil
}

// process tells the tree of a process: a child of the first, whose turn in the tree is its own.
func (s Shape) process(tree *data.TreeWriter, i int) error {
	if tree == nil {
		return nil
	}
	pid, at := firstPid+i, first.Add(time.Duration(i)*time.Second)
	how, parent := "fork", firstPid
	if i == 0 {
		how, parent = "launch", 1
	}
	return errors.Join(
		tree.Start(at, pid, parent, how), tree.Exec(at, pid, "/bin/prog", []string{"prog", fmt.Sprint(i)}),
		tree.Mode(at, pid, "sampled"), tree.Dir(at, pid, fmt.Sprintf("prog.%d", pid)),
		tree.End(at.Add(time.Second), pid, time.Second, uint64(s.Samples), 0, "exit 0"))
}

// run writes one directory.
func (s Shape) run(d *data.Dir, i int, tree string) error {
	start := first.Add(time.Duration(i) * time.Second)
	w, err := d.NewWriter(data.Header{Resource: resource.CPU, Unit: resource.Microsecond, Clock: "perf", Period: period, Start: start})
	if err != nil {
		return err
	}
	w.Gather(gather)
	objects := make([]data.ObjectID, s.Objects)
	for o := range objects {
		at := uint64(o+1) << 32
		objects[o] = w.Object(fmt.Sprintf("/lib/object%d", o), "", 0, at, at+1<<24, at)
	}
	for f := range s.Symbols {
		w.Names(objects[f%s.Objects], address(f), []data.Name{{Function: fmt.Sprintf("f%d", f)}})
	}
	call := func(parent data.NodeID, f int) data.NodeID {
		f %= s.Symbols
		return w.Node(parent, objects[f%s.Objects], address(f))
	}
	if err := s.samples(w, call); err != nil {
		return err
	}
	m := data.Meta{
		Argv: []string{"prog", fmt.Sprint(i)}, Exe: "/bin/prog", Pid: firstPid + i, Ppid: firstPid, Start: start, End: start.Add(time.Second),
		Clock: "perf", Period: period, Samples: uint64(s.Samples), State: "complete", Status: "exit 0", Tree: tree,
	}
	return errors.Join(w.Close(), d.WriteMeta(m))
}

// fanout is how many functions one calls, where there are several paths.
const fanout = 10

// samples writes the samples: each path once, and on from the first. Paths share their outer frames: the
// number of a path is written to the base of fanout, a digit for each of the innermost frames.
func (s Shape) samples(w *data.Writer, call func(data.NodeID, int) data.NodeID) error {
	digits := 0
	for n := 1; n < s.Paths; n *= fanout {
		digits++
	}
	var outer data.NodeID
	for f := range max(s.Depth-digits, 1) {
		outer = call(outer, f)
	}
	var field data.FieldID
	if s.Fields > 0 {
		field = w.Field("value")
	}
	for n := range s.Samples {
		node := outer
		for d, rest := 0, n%s.Paths; d < digits; d++ {
			node = call(node, s.Depth+d*fanout+rest%fanout)
			rest /= fanout
		}
		at := time.Duration(n+1) * period
		sample := data.Sample{Time: at, CPU: at, Thread: uint32(1 + n%s.Threads), Node: node, Weight: uint64(period / time.Microsecond)}
		if field != 0 {
			sample.Fields = []data.FieldValue{{Field: field, Value: fmt.Sprint(n % s.Fields)}}
		}
		if err := w.Sample(sample); err != nil {
			return err
		}
	}
	return nil
}

func address(f int) uint64 { return 0x1000 + 16*uint64(f) }
