package export

import (
	"io"
	"strconv"
	"time"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// jsonVersion is that of our own JSON. It changes when a reader could misunderstand; members
// may be added at any time.
const jsonVersion = 1

// JSON writes calling context trees in a form of our own:
//
//	{
//	  "format": "pct", "version": 1, "creator": "pct v1.0",
//	  "commands": ["./forms 1000"], "selected": ["n > 5"],
//	  "resource": "cpu", "unit": "µs", "period_ns": 10000000, "start": "2026-01-02T03:04:05.6Z",
//	  "frames": [{"name": "main", "function": "main"}, …],
//	  "groups": [{
//	    "name": "", "weight": 20000, "samples": 2,
//	    "nodes": [{"id": 1, "parent": 0, "frame": 0,
//	               "self": 0, "self_samples": 0, "total": 20000, "total_samples": 2}, …]
//	  }],
//	  "samples": [{"process": 0, "pid": 4711, "program": "/usr/bin/forms", "thread": 4711,
//	               "time_ns": 120000000, "cpu_ns": 90000000, "node": 7, "weight": 10000, "samples": 1,
//	               "partial": true, "fields": {"n": "42"}}, …]
//	}
//
// self, total and weight are in the unit; those with samples are numbers of samples. A
// frame has name and, as far as they are known and its granularity keeps them apart,
// function, file, line, object, address ("0x401136") and "inlined": true. frame is an index
// into frames. A node is a call path: its frame, called from the node whose id is parent,
// 0 for an outermost frame; parents stand before their children. groups has one member,
// with the name "", unless the samples were split; then it has one for each value,
// NAME=VALUE, the heaviest first, each with ids of its own. A node has "calls", how many
// activations of its function samples saw in this context, if they were asked for and are known; "long_calls" are those
// of them that two samples saw, "long_cost" is the mean of these in the unit, "long_error" its standard error and "longest_cost" about
// that of the longest; each other call cost less than "other_cost_bound", and "share_error" is the standard error of total divided by weight; there may be many that no sample saw.
//
// "samples" is there if it was asked for, which with several groups has no meaning. A
// sample without time_ns and thread was only counted. Times count from the start of the first process of the run's tree; cpu_ns, the
// CPU time of the process so far, partial and fields are left out where there is nothing to
// say, as are selected, period_ns and start.
func JSON(out io.Writer, p *Profile, samples bool) error {
	j := newJSONWriter(out)
	j.begin('{')
	j.key("format")
	j.string("pct")
	j.key("version")
	j.int(jsonVersion)
	j.key("creator")
	j.string(p.Creator)
	j.newline()
	j.list("commands", p.Commands)
	if len(p.Limits) > 0 {
		j.list("selected", p.Limits)
	}
	j.newline()
	j.key("resource")
	j.string(p.Resource)
	j.key("unit")
	j.string(p.Unit)
	if p.Period > 0 {
		j.key("period_ns")
		j.int(int(p.Period))
	}
	if !p.Start.IsZero() {
		j.key("start")
		j.string(p.Start.Format(time.RFC3339Nano))
	}
	j.newline()
	frames := j.frames(p)
	j.newline()
	j.key("groups")
	j.begin('[')
	for _, g := range p.Groups {
		j.newline()
		j.group(g, p.Seen, frames)
	}
	j.close(']')
	if samples {
		j.newline()
		j.samples(p)
	}
	j.close('}')
	return j.end()
}

// frames writes the frames of all groups.
func (j *jsonWriter) frames(p *Profile) frameNumbers {
	var numbers frameNumbers
	for _, g := range p.Groups {
		nodes := make([]bool, len(g.Tree.Nodes))
		for n, total := range g.Tree.Totals() {
			nodes[n] = total.Samples > 0
		}
		numbers.add(g.Tree, nodes)
	}
	j.key("frames")
	j.begin('[')
	for _, f := range numbers.all {
		j.newline()
		j.begin('{')
		j.key("name")
		j.string(f.Name)
		for _, text := range []struct{ key, value string }{{"function", f.Function}, {"file", f.File}, {"object", f.Object}} {
			if text.value != "" {
				j.key(text.key)
				j.string(text.value)
			}
		}
		if f.Line > 0 {
			j.key("line")
			j.int(f.Line)
		}
		if f.Addr > 0 {
			j.key("address")
			j.string("0x" + strconv.FormatUint(f.Addr, 16))
		}
		if f.Inlined {
			j.key("inlined")
			j.bool(true)
		}
		j.close('}')
	}
	j.close(']')
	return numbers
}

// group writes a tree.
func (j *jsonWriter) group(g path.Group, seen []path.Cost, frames frameNumbers) {
	totals := g.Tree.Totals()
	j.begin('{')
	j.key("name")
	j.string(g.Name)
	j.weight("weight", "samples", totals[0])
	j.key("nodes")
	j.begin('[')
	for n := 1; n < len(totals); n++ {
		if totals[n].Samples == 0 {
			continue
		}
		j.newline()
		j.begin('{')
		j.key("id")
		j.int(n)
		j.key("parent")
		j.int(int(g.Tree.Nodes[n].Parent))
		j.key("frame")
		j.int(int(frames.number[g.Tree.Nodes[n].Frame]))
		j.weight("self", "self_samples", g.Tree.Self[n])
		j.weight("total", "total_samples", totals[n])
		if n < len(seen) && seen[n].Calls > 0 {
			j.calls(seen[n], seen[n].ShareError(totals[0], totals[n].Weight))
		}
		j.close('}')
	}
	j.close(']')
	j.close('}')
}

// calls writes what is known of activations.
func (j *jsonWriter) calls(c path.Cost, shareError float64) {
	j.key("calls")
	j.uint(c.Calls)
	if c.Old {
		return
	}
	j.key("long_calls")
	j.uint(c.Long)
	for _, of := range []struct {
		key   string
		value float64
		known bool
	}{
		{"share_error", shareError, true},
		{"long_cost", c.Mean, c.Long > 0}, {"long_error", c.Error, c.Long > 0}, {"longest_cost", c.Most, c.Most > 0},
		{"other_cost_bound", c.Bound, true},
	} {
		if of.known {
			j.key(of.key)
			j.float(of.value)
		}
	}
}

func (j *jsonWriter) weight(weight, samples string, w calltree.Weight) {
	j.key(weight)
	j.uint(w.Weight)
	j.key(samples)
	j.int(w.Samples)
}

// samples writes those that are in a group.
func (j *jsonWriter) samples(p *Profile) {
	j.key("samples")
	j.begin('[')
	for s := range p.selected() {
		j.newline()
		j.begin('{')
		j.key("process")
		j.int(s.Process)
		j.key("pid")
		j.int(s.Pid)
		j.key("program")
		j.string(s.Program)
		if !s.Untimed {
			j.key("thread")
			j.uint(uint64(s.Thread))
			j.key("time_ns")
			j.int(int(s.Time))
			if s.CPU > 0 {
				j.key("cpu_ns")
				j.int(int(s.CPU))
			}
		}
		j.key("node")
		j.int(int(s.Node))
		j.weight("weight", "samples", s.Weight)
		if s.Partial {
			j.key("partial")
			j.bool(true)
		}
		if len(s.Fields) > 0 {
			j.key("fields")
			j.begin('{')
			for _, f := range s.Fields {
				j.key(f.Name)
				j.string(f.Value)
			}
			j.close('}')
		}
		j.close('}')
	}
	j.close(']')
}
