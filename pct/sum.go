package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/path"
)

func sumCommand() command {
	return command{
		name:    "sum",
		summary: "New count files that add up others",
		details: `
Adds up the samples of count files, runs or parts of runs by address, into a
count file that all reports read. -o FILE needs samples of one object only; -o
DIR/ writes a file for each object and build. Of call paths, the innermost frame
counts. A sample of the sum has the mean weight of its parts. Samples in no
object and of the kernel are left out.
`,
		flags:   []string{"o OUT", "window", "where", "tree"},
		example: "-o libc.sum /tmp/pct/*/libc.so.6",
		run: func(v *invocation) error {
			if v.counts == "" {
				return v.misuse("no output given: -o FILE or -o DIR/")
			}
			runs, selected, err := v.choose()
			if err != nil {
				return err
			}
			instructions, err := selected.Instructions(nil)
			if err != nil {
				return err
			}
			w := newCountWriter(v, runs)
			for i := range instructions {
				w.add(&instructions[i], uint64(instructions[i].Samples), instructions[i].Weight)
			}
			if st, err := os.Stat(v.counts); err == nil && st.IsDir() || strings.HasSuffix(v.counts, "/") {
				return w.writeAll(v.counts)
			}
			return w.writeOne(v.counts)
		},
	}
}

// A countWriter collects samples by object and address, and writes count files.
type countWriter struct {
	v       *invocation
	runs    *path.Runs
	known   map[objectKey]data.Object
	piles   []*pile
	byKey   map[objectKey]*pile
	leftOut uint64
}

type objectKey struct{ path, buildID string }

// A pile is the samples of an object.
type pile struct {
	objectKey
	counts map[uint64]uint64 // by address
	weight uint64            // µs
}

func (p *pile) samples() (n uint64) {
	for _, count := range p.counts {
		n += count
	}
	return n
}

func newCountWriter(v *invocation, runs *path.Runs) *countWriter {
	w := &countWriter{v: v, runs: runs, known: map[objectKey]data.Object{}, byKey: map[objectKey]*pile{}}
	for _, o := range runs.Objects() {
		key := objectKey{o.Path, o.BuildID}
		first, ok := w.known[key]
		if !ok {
			first = o
		}
		if o.Bias != first.Bias {
			first.Bias = 0
		}
		if o.Translator != first.Translator && o.Translator != "" {
			first.Translator = o.Translator
		}
		w.known[key] = first
	}
	return w
}

// add adds samples at an instruction.
func (w *countWriter) add(in *path.Instruction, samples, weight uint64) {
	key := objectKey{in.Object, in.BuildID}
	if in.Object == "" || w.known[key].Kind == data.ObjectKernel {
		w.leftOut += samples
		return
	}
	p := w.byKey[key]
	if p == nil {
		p = &pile{objectKey: key, counts: map[uint64]uint64{}}
		w.byKey[key] = p
		w.piles = append(w.piles, p)
	}
	p.counts[in.Vaddr] += samples
	p.weight += weight
}

// ready says what is left out, and that there is something to write.
func (w *countWriter) ready() error {
	if w.leftOut > 0 {
		w.v.warn("left out: %s in the kernel, or in no known object", plural(w.leftOut, "sample"))
	}
	if len(w.piles) == 0 {
		return errors.New("no samples in any object")
	}
	return nil
}

// writeOne writes the count file of the only object.
func (w *countWriter) writeOne(file string) error {
	if err := w.ready(); err != nil {
		return err
	}
	if len(w.piles) > 1 {
		a, b := w.piles[0], w.piles[1]
		if a.path == b.path {
			return fmt.Errorf("%s was rebuilt between the runs (build IDs %s and %s): the addresses mean different things; "+
				"-o DIR/ keeps them apart", a.path, a.buildID, b.buildID)
		}
		return fmt.Errorf("a count file has one object, but there are %d, such as %s and %s: -o DIR/ writes a file for each",
			len(w.piles), a.path, b.path)
	}
	return data.WriteCounts(file, w.header(w.piles[0]), w.piles[0].counts)
}

// writeAll writes a count file for each object into a directory, which is made if
// it is not there. Where one fails, the others are taken away again.
func (w *countWriter) writeAll(dir string) error {
	if err := w.ready(); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	var written []string
	var taken []string
	for _, p := range w.piles {
		name := fileName(p.path, taken)
		taken = append(taken, name)
		file := filepath.Join(dir, name)
		if err := data.WriteCounts(file, w.header(p), p.counts); err != nil {
			for _, file := range written {
				err = errors.Join(err, os.Remove(file))
			}
			return err
		}
		written = append(written, file)
	}
	return nil
}

// fileName is that of an object's count file in a run directory.
func fileName(object string, taken []string) string {
	base := strings.TrimLeft(filepath.Base(object), ".")
	if base == "" || data.IsPart(base) || base == "paths" {
		base += ".1"
	}
	name := base
	for n := 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s.%d", base, n)
	}
	return name
}

// header is what is known of a pile. Its period is such that all of its samples
// together have their weight.
func (w *countWriter) header(p *pile) *data.Counts {
	s := w.runs.Summary()
	o := w.known[p.objectKey]
	c := &data.Counts{
		Object:     o.Path,
		BuildID:    o.BuildID,
		Translator: o.Translator,
		ObjectKind: o.Kind,
		Bias:       o.Bias,
		Resource:   s.Resource,
		Clock:      "several",
		Start:      w.runs.Start(),
		Period:     time.Duration(float64(p.weight) / float64(max(1, p.samples())) * float64(time.Microsecond)),
	}
	if o.Kind > data.ObjectKernel {
		c.ObjectKind = 0 // of a later version
	}
	if len(s.Clocks) == 1 {
		c.Clock = s.Clocks[0]
	}
	if len(w.piles) == 1 {
		c.Lost = s.Lost
	}
	return c
}
