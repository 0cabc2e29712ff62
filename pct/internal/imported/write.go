package imported

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// Write makes a run directory PROG.PID below root for each process, PROG where its
// number is not known, and returns their paths. After an error those of the processes
// before it are there.
func (p *Profile) Write(root string) (dirs []string, err error) {
	for _, process := range p.processes {
		if len(process.samples) == 0 {
			continue
		}
		dir, err := p.write(root, process)
		if err != nil {
			return dirs, err
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

func (p *Profile) write(root string, process *process) (path string, err error) {
	d, err := data.Create(root, process.name, process.pid)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Remove())
		}
		err = errors.Join(err, d.Close())
	}()
	if err := p.writeSamples(d, process); err != nil {
		return "", err
	}
	m := data.Meta{
		Exe: process.exe, Pid: process.pid, Start: p.start, End: p.end, Clock: p.clock, Period: p.period,
		Collector: "pct import", State: "complete", Lost: p.lost, Notes: append([]string{"imported from " + p.Format}, p.notes...),
	}
	if process.exe == "" {
		m.Exe = process.name
	}
	for i := range process.samples {
		m.Samples += process.samples[i].count
		if process.samples[i].partial {
			m.Partial += process.samples[i].count
		}
	}
	return d.Path(), d.WriteMeta(m)
}

func (p *Profile) writeSamples(d *data.Dir, process *process) (err error) {
	start := p.start
	if start.IsZero() {
		start = time.Unix(0, 0)
	}
	w, err := d.NewWriter(data.Header{Resource: p.resource, Unit: p.unit, Clock: p.clock, Period: p.period, Start: start})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	const frame = 64 << 10
	w.Gather(frame)
	out := &writer{
		Writer: w, table: p.table,
		nodes: make([]data.NodeID, len(p.table.nodes)), named: make([]bool, len(p.table.places)),
	}
	for i := range process.samples {
		s := &process.samples[i]
		made := data.Sample{
			Time: s.time, Thread: s.thread, Node: out.node(s.node), Weight: s.weight, Count: s.count, Partial: s.partial, Untimed: !s.timed,
		}
		if !s.timed {
			made.Time, made.Thread = 0, 0
		}
		for _, f := range s.fields {
			made.Fields = append(made.Fields, data.FieldValue{Field: w.Field(f.name), Value: f.value})
		}
		if err := w.Sample(made); err != nil {
			return err
		}
	}
	if p.lost > 0 {
		return w.Lost(p.lost, "lost by the collector")
	}
	return nil
}

// writer writes what of a table the samples need.
type writer struct {
	*data.Writer
	table *table
	nodes []data.NodeID
	named []bool // places whose names were written
}

// node returns the id of a call path in the file.
func (w *writer) node(n int32) data.NodeID {
	var path []int32
	for n != 0 && w.nodes[n] == 0 {
		path = append(path, n)
		n = w.table.nodes[n].parent
	}
	at := w.nodes[n]
	for _, n := range slices.Backward(path) {
		id := w.table.nodes[n].place
		p := &w.table.places[id]
		var object data.ObjectID
		if p.object != 0 {
			o := &w.table.objects[p.object]
			object = w.Object(o.path, o.buildID, o.kind, o.start, o.end, o.bias)
		}
		if p.named && !w.named[id] {
			w.named[id] = true
			w.Names(object, p.addr, p.names)
		}
		at = w.Node(at, object, p.addr)
		w.nodes[n] = at
	}
	return at
}

// commandField is the field of the name of a thread's command.
const commandField = "comm"

// name gives processes their names, and samples of processes with several ones the
// field comm.
func name(processes []*process, commands []string) {
	for _, p := range processes {
		if len(p.commands) < 2 {
			continue
		}
		for i := range p.samples {
			p.samples[i].fields = append(p.samples[i].fields, field{commandField, commands[p.samples[i].command]})
		}
	}
}

// sortProcesses puts processes in the order of their numbers and names.
func sortProcesses(all []*process) {
	slices.SortStableFunc(all, func(a, b *process) int {
		return cmp.Or(cmp.Compare(a.pid, b.pid), cmp.Compare(a.name, b.name))
	})
}

// number is a text of a field.
func number(n int64) string { return strconv.FormatInt(n, 10) }

// several lists choices.
func several(names []string) string {
	text := ""
	for i, n := range names {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", n)
	}
	return text
}
