package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// run is the run directory of one program: a process that executes another
// starts another.
type run struct {
	prog     string
	dir      *data.Dir
	meta     data.Meta
	start    time.Time
	began    time.Duration // CPU time that the process had used for other programs
	w        *data.Writer  // nil until there is a sample
	objects  map[*unwind.Object]data.ObjectID
	fields   map[string]data.FieldID
	missing  map[string]uint64 // expressions that could not be read, with why
	samples  uint64
	partial  uint64
	lostN    uint64
	children int
	repaired int
	detached bool
	wrong    func(format string, args ...any)
}

func newRun(root string, argv []string, exe string, pid, ppid int, wrong func(string, ...any)) (*run, error) {
	prog := filepath.Base(argv[0])
	dir, err := data.Create(root, prog, pid)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	r := &run{
		prog: prog, dir: dir, start: time.Now(), wrong: wrong,
		objects: make(map[*unwind.Object]data.ObjectID), fields: make(map[string]data.FieldID), missing: make(map[string]uint64),
	}
	r.meta = data.Meta{Argv: argv, Exe: exe, Host: host, Pid: pid, Ppid: ppid, Start: r.start, State: "running"}
	return r, r.write()
}

func (r *run) write() error {
	r.meta.Samples, r.meta.Lost, r.meta.Partial = r.samples, r.lostN, r.partial
	return r.dir.WriteMeta(r.meta)
}

func (r *run) append(name string) (io.WriteCloser, error) { return r.dir.Append(name) }

// clocked notes the clock that samples from now on.
func (r *run) clocked(name string, p period) {
	r.meta.Clock, r.meta.Period = name, p.mean
	r.meta.Asked = float64(time.Second) / float64(p.mean)
	if err := r.write(); err != nil {
		r.wrong("%v", err)
	}
}

// note keeps a sentence for the reader of a report, once.
func (r *run) note(text string) {
	for _, n := range r.meta.Notes {
		if n == text {
			return
		}
	}
	r.meta.Notes = append(r.meta.Notes, text)
}

func (r *run) writer() *data.Writer {
	if r.w == nil {
		w, err := r.dir.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: r.meta.Clock, Period: r.meta.Period, Start: r.start})
		if err != nil {
			r.wrong("samples can't be kept: %v", err)
			return nil
		}
		r.w = w
	}
	return r.w
}

// node makes the calling context of a call path, innermost frame first.
func (r *run) node(frames []unwind.Frame) data.NodeID {
	w := r.writer()
	if w == nil {
		return 0
	}
	var node data.NodeID
	for i := len(frames) - 1; i >= 0; i-- {
		f := &frames[i]
		node = w.Node(node, r.object(w, f.Object), f.Vaddr())
	}
	return node
}

func (r *run) object(w *data.Writer, o *unwind.Object) data.ObjectID {
	if o == nil {
		return 0
	}
	id, ok := r.objects[o]
	if !ok {
		id = w.Object(o.Path, o.BuildID, objectKind(o.Kind), o.Start, o.End, o.Bias)
		r.objects[o] = id
	}
	return id
}

// objectKind is the number that the file format gives a kind.
func objectKind(k unwind.ObjectKind) byte {
	switch k {
	case unwind.File:
		return 0
	case unwind.VDSO:
		return 1
	}
	return 2
}

// sample writes a sample at once: what is in the file outlives us.
func (r *run) sample(t taken, p period, fields []field) {
	w := r.writer()
	if w == nil {
		return
	}
	smp := data.Sample{
		Time: t.at.Sub(r.start), CPU: t.cpu, Thread: uint32(t.tid), Node: t.node, Partial: t.partial,
		Weight: max(1, t.periods*uint64(p.mean.Microseconds())),
	}
	for _, f := range fields {
		id, ok := r.fields[f.name]
		if !ok {
			id = w.Field(f.name)
			r.fields[f.name] = id
		}
		smp.Fields = append(smp.Fields, data.FieldValue{Field: id, Value: f.value})
	}
	if err := w.Sample(smp); err != nil {
		r.lost(1, "could not be written")
		r.wrong("a sample is lost: %v", err)
		return
	}
	r.samples++
	if t.partial {
		r.partial++
	}
}

func (r *run) lost(n uint64, why string) {
	r.lostN += n
	if w := r.writer(); w != nil {
		w.Lost(n, why)
	}
}

// unread counts the samples in which an expression had no value though its
// function was active.
func (r *run) unread(expression, why string) {
	r.missing[fmt.Sprintf("%s: %s", expression, strings.TrimSpace(why))]++
}

// finish writes what is known at the end, when the process has used so much
// CPU time.
func (r *run) finish(state, status string, cpu time.Duration) error {
	for what, n := range r.missing {
		r.note(fmt.Sprintf("%d samples have no value of %s", n, what))
	}
	if r.repaired > 0 {
		r.note(fmt.Sprintf("%d system calls that a stop interrupted were begun again", r.repaired))
	}
	r.meta.State, r.meta.Status, r.meta.End, r.meta.CPU = state, status, time.Now(), max(0, cpu-r.began)
	err := r.write()
	if r.w != nil {
		if e := r.w.Close(); err == nil {
			err = e
		}
	}
	if e := r.dir.Close(); err == nil {
		err = e
	}
	return err
}
