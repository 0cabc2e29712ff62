package ring

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/pct/data"
)

// clockName is the clock of all our samples.
const clockName = "perf"

// output is where everything is written: a run directory for each program sampled,
// and the tree of the processes in the first one's.
type output struct {
	cfg    Config
	host   string
	origin time.Time // wall time at which the clock of the records stood at zero
	base   *program  // the first program of the first process; its directory has the tree
	tree   *data.TreeWriter
	ending map[int]time.Duration          // when programs of processes end, as records tell that are about to be used
	now    time.Duration                  // of the record that is used
	early  []func(*data.TreeWriter) error // lines of the tree, while there is none
	notes  []note
	said   map[string]bool
	failed bool // there can be no directories
	closed bool
}

// note is a sentence for the readers of a report.
type note struct {
	resource int // whose samples get it, or ofAll
	text     string
}

// ofAll is the resource of a note that is for all.
const ofAll = -1

// run is a run directory.
type run struct {
	dir  *data.Dir
	meta data.Meta
	of   []*samples // by resource, those that have samples
	hits hits
	lost uint64 // samples that could not be written
	told bool   // meta is written
}

// samples are the file of a resource's samples in a run directory.
type samples struct {
	run     *run
	w       *data.Writer
	nodes   map[call]data.NodeID
	epoch   int               // how often nodes were forgotten
	reasons map[string]uint64 // addresses of the reasons for being off the processor
}

func newOutput(cfg Config) *output {
	o := &output{cfg: cfg, said: map[string]bool{}, origin: time.Now().Add(-monotonic())}
	o.host, _ = os.Hostname()
	if o.cfg.Root == "" {
		o.cfg.Root = data.Root()
	}
	return o
}

// wall is the time of a record.
func (o *output) wall(t time.Duration) time.Time { return o.origin.Add(t) }

// say tells a problem once.
func (o *output) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !o.said[text] {
		o.said[text] = true
		o.cfg.Say(text)
	}
}

// note is a sentence that all run directories get, those that begin later too.
func (o *output) note(text string) { o.noteOf(ofAll, text) }

// noteOf is a sentence that all samples of a resource get.
func (o *output) noteOf(resource int, text string) {
	if n := (note{resource, text}); !slices.Contains(o.notes, n) {
		o.notes = append(o.notes, n)
	}
}

// notesOf are the sentences for a resource, or for all.
func (o *output) notesOf(resource int) (all []string) {
	for _, n := range o.notes {
		if n.resource == resource {
			all = append(all, n.text)
		}
	}
	return all
}

// ends is told the records that are about to be used. Many a program has ended before
// we hear of it: what is known of it is written once.
func (o *output) ends(records []record) {
	o.ending = map[int]time.Duration{}
	for _, r := range records {
		c, is := r.of.(comm)
		if r.kind == unix.PERF_RECORD_EXIT || is && c.exec {
			o.ending[r.pid] = r.time
		}
	}
}

// open makes the program's file of a resource's samples, and its run directory, and the tree's first if there is
// none; it reports whether there is one.
func (o *output) open(p *program, resource int) bool {
	if p.samples(resource) != nil {
		return true
	}
	if o.failed || o.closed || !o.openRun(p) || p.run.meta.State != "running" {
		return false
	}
	measured := o.cfg.measured[resource]
	w, err := p.run.dir.NewWriter(data.Header{
		Resource: measured.Name, Unit: measured.Kind().Unit, Clock: clockName, Period: measured.period(), Start: p.run.meta.Start, Interval: measured.Interval,
	})
	if err != nil {
		o.fail(err)
		return false
	}
	p.run.of[resource] = &samples{run: p.run, w: w}
	return true
}

// openRun makes the program's run directory.
func (o *output) openRun(p *program) bool {
	if p.run != nil {
		return true
	}
	if o.failed || o.closed {
		return false
	}
	if o.tree == nil && p != o.base && !o.openRun(o.base) {
		return false
	}
	if err := o.make(p); err != nil {
		o.fail(err)
		return false
	}
	path := p.run.dir.Path()
	name := filepath.Base(path)
	o.log(func(t *data.TreeWriter) error { return t.Dir(time.Now(), p.pid, name) })
	if o.cfg.Found != nil {
		o.cfg.Found(path)
	}
	return true
}

// fail says that there can be no more data.
func (o *output) fail(err error) {
	o.failed = true
	o.say("cannot write a run directory, so nothing more is recorded: %v", err)
}

func (o *output) make(p *program) error {
	dir, err := data.Create(o.cfg.Root, p.nameOf(), p.pid)
	if err != nil {
		return err
	}
	if warning := dir.Warning(); warning != "" {
		o.say("%s", warning)
	}
	r := &run{dir: dir, of: make([]*samples, len(o.cfg.measured))}
	if len(p.argv) == 0 {
		if p.argv = readArgv(p.pid, p.exe); p.argv == nil {
			p.argv = []string{p.name}
		}
	}
	if o.tree == nil {
		if o.tree, err = dir.NewTree(); err != nil {
			return errors.Join(err, dir.Close())
		}
		for _, line := range o.early {
			o.log(line)
		}
		o.early = nil
	}
	r.meta = data.Meta{
		Argv: p.argv, Exe: p.exe, BuildID: p.buildID, Host: o.host, Pid: p.pid, Ppid: p.ppid, Start: o.wall(p.start),
		Clock: clockName, State: "running", Tree: filepath.Base(o.baseDir(r)), Notes: o.notesOf(ofAll),
	}
	for _, measured := range o.cfg.measured {
		r.meta.Resources = append(r.meta.Resources, measured.Name)
	}
	if i := o.cfg.clock(); i >= 0 {
		r.meta.Period = o.cfg.measured[i].period()
		r.meta.Asked = float64(time.Second) / float64(r.meta.Period)
	}
	if o.ending[p.pid] <= o.now {
		if err := r.tell(); err != nil {
			return errors.Join(err, dir.Close())
		}
	}
	p.run = r
	return nil
}

// baseDir is the path of the directory that has the tree; first is it if there is
// none yet.
func (o *output) baseDir(first *run) string {
	if r := o.base.run; r != nil {
		return r.dir.Path()
	}
	return first.dir.Path()
}

// log writes a line of the tree, or keeps it until there is one.
func (o *output) log(line func(*data.TreeWriter) error) {
	if o.tree == nil {
		o.early = append(o.early, line)
		return
	}
	if err := line(o.tree); err != nil {
		o.say("cannot write the tree of the processes: %v", err)
	}
}

// write appends a sample of a program that has a run.
func (o *output) write(to *samples, s data.Sample) {
	r := to.run
	if err := to.w.Sample(s); err != nil {
		r.meta.Lost++
		r.lost++
		o.say("cannot write samples: %v", err)
		return
	}
	r.meta.Samples += s.Count
	if s.Partial {
		r.meta.Partial += s.Count
	}
}

// flush writes meta, if it's not there yet, and the kernel's functions that were hit.
func (o *output) flush(p *program) {
	r := p.run
	if r == nil || r.meta.State != "running" {
		return
	}
	if err := r.hits.write(r.dir); err != nil {
		o.say("cannot write the kernel's functions: %v", err)
	}
	if err := r.tell(); err != nil {
		o.say("cannot write the metadata of a run: %v", err)
	}
}

// tell writes meta for the first time.
func (r *run) tell() error {
	if r.told {
		return nil
	}
	r.told = true
	return r.dir.WriteMeta(r.meta)
}

// finish ends the run of a program, if it has one.
func (o *output) finish(p *program, at time.Time, state, status string, cpu time.Duration) {
	r := p.run
	if r == nil || r.meta.State != "running" {
		return
	}
	if err := r.hits.write(r.dir); err != nil {
		o.say("cannot write the kernel's functions: %v", err)
	}
	r.meta.End, r.meta.State, r.meta.Status, r.meta.CPU, r.meta.Notes = at, state, status, cpu, o.notesOf(ofAll)
	if r.lost > 0 {
		r.meta.Notes = append(r.meta.Notes, fmt.Sprintf("%d samples could not be written", r.lost))
	}
	var err error
	for resource, to := range r.of {
		if to == nil {
			continue
		}
		for _, text := range o.notesOf(resource) {
			to.w.Note(text)
		}
		err = errors.Join(err, to.w.Close())
	}
	if err := errors.Join(err, r.dir.WriteMeta(r.meta), r.dir.Close()); err != nil {
		o.say("cannot finish %s: %v", r.dir.Path(), err)
	}
}

// close ends the tree; nothing is written after it.
func (o *output) close() {
	o.closed = true
	if o.tree == nil {
		return
	}
	if err := o.tree.Close(); err != nil {
		o.say("cannot finish the tree of the processes: %v", err)
	}
	o.tree = nil
}
