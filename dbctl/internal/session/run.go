package session

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// run is the run directory of one program: a process that executes another
// starts another.
type run struct {
	p        *process
	prog     string
	dir      *data.Dir // nil: not made yet
	meta     data.Meta
	start    time.Time
	began    time.Duration // CPU time that the process had used for other programs
	w        *data.Writer  // nil until there is a sample
	objects  map[*unwind.Object]data.ObjectID
	last     []callingContext // those of the call path that node made last, outermost first
	fields   map[fieldKey]data.FieldID
	lists    map[listKey]uint32   // numbers of lists of functions
	framed   []byte               // arguments of a sample
	pointees map[uint64]bool      // addresses whose names are in the file
	missing  map[string]uint64    // expressions that could not be read, with why
	debugged map[[2]string]uint64 // values that a debugger gave, by expression and why it was asked
	read     map[string]bool      // expressions that had a value, or of which it was said that they have none
	samples  uint64
	partial  uint64
	lostN    uint64
	period   time.Duration // between two samples, on average
	resource string        // that is measured
	unit     string        // of which one gtick is
	interval uint64        // gticks between two samples; 0: it's a time
	detached bool
	failed   bool // its directory can't be made
}

// newRun begins the run of what the process executes now. Its directory is made
// when there is something to keep.
func newRun(p *process) *run {
	r := &run{
		resource: resource.CPU, unit: resource.Microsecond,
		p: p, prog: filepath.Base(p.exe), start: time.Now(), began: p.began,
		objects: make(map[*unwind.Object]data.ObjectID), fields: make(map[fieldKey]data.FieldID), pointees: make(map[uint64]bool), lists: make(map[listKey]uint32), missing: make(map[string]uint64), read: make(map[string]bool),
		debugged: make(map[[2]string]uint64),
	}
	if len(p.argv) > 0 {
		r.prog = filepath.Base(p.argv[0])
	}
	r.meta = data.Meta{Argv: p.argv, Exe: p.exe, Host: p.tree.host, Pid: p.pid, Ppid: p.ppid, Start: r.start, State: "running"}
	return r
}

// open makes the run directory.
func (r *run) open() error {
	if r.dir != nil || r.failed {
		return nil
	}
	t := r.p.tree
	if !descriptorsLeft() {
		r.failed = true
		return errManyOpen
	}
	dir, err := data.Create(t.cfg.Root, r.prog, r.p.pid)
	if err != nil {
		r.failed = true
		return err
	}
	if warning := dir.Warning(); warning != "" {
		r.wrong("%s", warning)
	}
	r.dir = dir
	name := filepath.Base(dir.Path())
	if t.name == "" {
		t.name = name // the first, before any process is served
	}
	r.meta.Tree = t.name
	r.p.soon(func() {
		if t.cfg.Found != nil {
			t.cfg.Found(dir.Path())
		}
		if t.log != nil {
			t.note(t.log.Dir(time.Now(), r.p.pid, name))
		}
	})
	return r.write()
}

func (r *run) write() error {
	if r.dir == nil {
		return nil
	}
	r.meta.Samples, r.meta.Lost, r.meta.Partial = r.samples, r.lostN, r.partial
	return r.dir.WriteMeta(r.meta)
}

func (r *run) append(name string) (io.WriteCloser, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	if r.dir == nil {
		return nil, errNoDirectory
	}
	return r.dir.Append(name)
}

var errNoDirectory = errors.New("there is no run directory")

// wrong tells the user, once.
func (r *run) wrong(format string, args ...any) { r.p.tree.sayOnce(format, args...) }

// clocked notes the clock that samples from now on.
func (r *run) clocked(name string, p period) {
	r.resource, r.unit, r.interval = resource.CPU, resource.Microsecond, 0
	r.meta.Clock, r.meta.Period, r.period = name, p.mean, p.mean
	r.meta.Asked = float64(time.Second) / float64(p.mean)
	if err := r.write(); err != nil {
		r.wrong("%v", err)
	}
}

// counts notes what is counted from now on.
func (r *run) counts(what counted, interval uint64) {
	r.resource, r.unit, r.interval = what.resource, what.unit, interval
	r.meta.Clock, r.meta.Period, r.meta.Asked, r.period = "breakpoint", 0, 0, 0
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
		if err := r.open(); err != nil {
			r.wrong("cannot store samples: %v", err)
		}
		if r.dir == nil {
			return nil
		}
		w, err := r.dir.NewWriter(data.Header{
			Resource: r.resource, Unit: r.unit, Interval: r.interval, Clock: r.meta.Clock, Period: r.meta.Period, Start: r.start,
		})
		if err != nil {
			r.wrong("cannot store samples: %v", err)
			return nil
		}
		r.w = w
	}
	return r.w
}

// callingContext is the calling context of a frame.
type callingContext struct {
	object *unwind.Object
	vaddr  uint64
	node   data.NodeID
}

// node makes the calling context of a call path, innermost frame first. Most of a path is that of the
// sample before.
func (r *run) node(frames []unwind.Frame) data.NodeID {
	w := r.writer()
	if w == nil {
		return 0
	}
	var node data.NodeID
	same := true
	for i := range frames {
		f := &frames[len(frames)-1-i]
		c := callingContext{object: f.Object, vaddr: f.Vaddr()}
		if same = same && i < len(r.last) && r.last[i].object == c.object && r.last[i].vaddr == c.vaddr; !same {
			c.node = w.Node(node, r.object(w, c.object), c.vaddr)
			r.last = append(r.last[:i], c)
		}
		node = r.last[i].node
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
func (r *run) sample(t taken, fields []field) {
	w := r.writer()
	if w == nil {
		r.lostN++
		return
	}
	smp := data.Sample{
		Time: t.at.Sub(r.start), CPU: t.cpu, Thread: uint32(t.tid), Node: t.node, Partial: t.partial,
		Weight: max(1, t.periods*uint64(r.period.Microseconds())),
	}
	if r.interval > 0 {
		smp.Weight, smp.Count = t.periods*r.interval, t.periods
	}
	for _, f := range fields {
		smp.Fields = append(smp.Fields, data.FieldValue{Field: r.field(w, f.name, f.value), Value: r.value(w, f.value)})
	}
	if err := w.Sample(smp); err != nil {
		r.lost(1, "could not be written")
		r.wrong("a sample is lost: %v", err)
		return
	}
	n := max(1, smp.Count)
	r.samples += n
	if t.partial {
		r.partial += n
	}
}

func (r *run) lost(n uint64, why string) {
	r.lostN += n
	if w := r.w; w != nil {
		w.Lost(n, why)
	}
}

// unread counts the samples in which an expression had no value though its
// function was active. Of one that has had none so far it's said at once, unless
// the process was let go meanwhile, of which nothing can be read any more.
func (r *run) unread(expression, why string) {
	why = strings.TrimSpace(why)
	if !r.read[expression] && !r.p.free.Load() {
		r.read[expression] = true
		r.wrong("no value of %s: %s", expression, why)
	}
	r.unasked(expression, why)
}

// unasked counts those in which it could not be asked for: what was missing is told where it
// was found to be.
func (r *run) unasked(expression, why string) {
	r.missing[fmt.Sprintf("%s: %s", expression, why)]++
}

// finish writes what is known at the end, when the process has used so much CPU time, and what the
// tracing goroutine has counted.
func (r *run) finish(state, status string, cpu time.Duration, counted tally) error {
	for what, n := range r.missing {
		r.note(fmt.Sprintf("%d samples have no value of %s", n, what))
	}
	for of, n := range r.debugged {
		r.note(fmt.Sprintf("%s: %s evaluated %d values of %s", strings.TrimSuffix(of[1], "."), r.p.tree.pool.Table().Name, n, of[0]))
	}
	if n := r.p.waitedFor; n > 0 {
		r.p.waitedFor = 0
		r.note(fmt.Sprintf("%d times no debugger was free (dbctl -debuggers N limits their number)", n))
	}
	for _, text := range counted.sentences() {
		r.note(text)
	}
	if r.detached {
		state = "detached"
	}
	r.meta.State, r.meta.Status, r.meta.End, r.meta.CPU = state, status, time.Now(), max(0, cpu-r.began)
	err := r.write()
	if r.w != nil {
		if e := r.w.Close(); err == nil {
			err = e
		}
	}
	if r.dir != nil {
		if e := r.dir.Close(); err == nil {
			err = e
		}
	}
	return err
}
