// Package pprof turns call paths into the profiles of google/pprof (profile.proto),
// and shows them in its web interface.
package pprof

import (
	"math"
	"strings"
	"time"

	"github.com/google/pprof/profile"
	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// New returns the profile of call paths, which have granularity path.Location. Its
// sample types are the number of samples and the resource, which is the default one
// and, if it is a time, in nanoseconds.
//
// A sample has the labels pid, process and thread, as far as they are known, and one
// for each value that was taken with it: a number where all values of that name are
// integers, else a text. Paths that were split have the label that they were split
// by alone.
func New(runs *path.Runs, calls *path.Calls) *profile.Profile {
	h := header(runs)
	unit, scale := h.Unit, uint64(1)
	if unit == resource.Microsecond {
		unit, scale = "nanoseconds", uint64(time.Microsecond)
	}
	resource := &profile.ValueType{Type: h.Resource, Unit: unit}
	b := newBuilder(calls.Builder.Frames, runs.Objects())
	b.p.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"}, resource}
	b.p.DefaultSampleType = h.Resource
	b.p.PeriodType = resource
	if split := len(calls.Groups) != 1 || calls.Groups[0].Name != ""; split {
		b.groups(calls.Groups, scale)
	} else {
		b.samples(runs, calls, scale)
	}
	switch {
	case scale != 1:
		b.p.Period = int64(h.Period)
	case h.Interval > 0:
		b.p.Period = int64(h.Interval)
	default:
		b.p.Period = mean(b.p.Sample)
	}
	if start := runs.Start(); !start.IsZero() && start.Unix() > 0 {
		b.p.TimeNanos = start.UnixNano()
	}
	b.p.DurationNanos = int64(runs.Span())
	for _, command := range runs.Summary().Commands {
		b.p.Comments = append(b.p.Comments, "command: "+visible.Text(command))
	}
	b.finish(runs.Data()[0].Meta.Exe)
	return b.p
}

// header is that of the runs, which have measured one thing.
func header(runs *path.Runs) data.Header {
	for _, r := range runs.Data() {
		if r.Packed.Len() > 0 {
			return r.Header
		}
	}
	return data.Header{}
}

// mean is the weight of a sample on average.
func mean(samples []*profile.Sample) int64 {
	var n, weight float64
	for _, s := range samples {
		n += float64(s.Value[0])
		weight += float64(s.Value[1])
	}
	if n == 0 {
		return 0
	}
	return int64(math.Round(weight / n))
}

// values are a weight as the values of a sample.
func values(w calltree.Weight, scale uint64) []int64 {
	weight := int64(math.MaxInt64)
	if w.Weight <= math.MaxInt64/scale {
		weight = int64(w.Weight * scale)
	}
	return []int64{int64(w.Samples), weight}
}

// groups adds the samples of call paths that were split.
func (b *builder) groups(groups []path.Group, scale uint64) {
	for _, g := range groups {
		name, value, _ := strings.Cut(g.Name, "=")
		b.over(g.Tree.Nodes)
		for node, w := range g.Tree.Self {
			if w.Samples > 0 {
				b.p.Sample = append(b.p.Sample, &profile.Sample{
					Location: b.stack(int32(node)), Value: values(w, scale), Label: map[string][]string{name: {valid(value)}},
				})
			}
		}
	}
}

// samples adds samples with their labels; equal ones become one.
func (b *builder) samples(runs *path.Runs, calls *path.Calls, scale uint64) {
	kept := calls.Groups[0].Tree
	b.over(calls.Builder.Nodes)
	l := newLabels(calls)
	type key struct {
		node int32
		labels
	}
	sums := map[key]calltree.Weight{}
	var order []key
	for s := range calls.Samples() {
		if kept.Self[s.Node].Samples == 0 {
			continue // refined away
		}
		k := key{s.Node, l.of(&s)}
		if _, ok := sums[k]; !ok {
			order = append(order, k)
		}
		sums[k] = sums[k].Plus(s.Weight)
	}
	for _, k := range order {
		s := &profile.Sample{Location: b.stack(k.node), Value: values(sums[k], scale)}
		l.set(s, k.labels, runs)
		b.p.Sample = append(b.p.Sample, s)
	}
}
