package path

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Phases is the weight of a selection over time.
type Phases struct {
	Rows    []Phase // by time, the heaviest group of a slice first
	Weight  uint64
	Samples int

	// Warnings are sentences about samples that could not be placed.
	Warnings []string
}

// Phase is the weight of a slice of time, or of the samples of one group in it.
type Phase struct {
	Window  Window
	Group   string // as in Row
	Weight  uint64
	Samples int
	Top     Row // the heaviest call path among them; no frames if there is no sample
}

const (
	defaultSlices = 20
	maxSlices     = 100_000
)

// Phases divides the selection into slices of o.Interval or, if that is 0, into
// o.Rows or fewer of a round length; cpu says that they are slices of CPU time. The
// slices cover all samples, and follow each other. Paths are as in Paths.
func (s *Selection) Phases(t Translator, o Options, cpu bool) (*Phases, error) {
	warnings, err := s.runs.needTimes("phases")
	if err != nil {
		return nil, err
	}
	s = s.timed()
	first, last, ok := s.extent(cpu)
	if !ok {
		if cpu {
			return nil, &NoSamples{"the samples have no CPU times"}
		}
		return nil, &NoSamples{"the samples have no times"}
	}
	if o.Interval == 0 {
		o.Interval = roundInterval(first, last, cmp.Or(o.Rows, defaultSlices))
	}
	from, to := int64(first/o.Interval), int64(last/o.Interval)
	if to-from >= maxSlices {
		return nil, fmt.Errorf("from %v to %v there are more than %d slices of %v: make them longer (-i)", first, last, maxSlices, o.Interval)
	}
	c, err := s.contexts(t, o, o.shape(frame.shortLabel), func(r *run, sample *data.Sample) int64 {
		return int64(moment(r, sample, cpu) / o.Interval)
	})
	if err != nil {
		return nil, err
	}
	c.shorten(o.Levels)
	p := &Phases{Weight: s.weight, Samples: s.count, Rows: c.phases(o.Interval, from, to, cpu)}
	p.Warnings = warnings
	return p, nil
}

// extent returns the first and the last moment of the selection's samples, false if
// they have none.
func (s *Selection) extent(cpu bool) (first, last time.Duration, ok bool) {
	first = endless
	for i, samples := range s.samples {
		for _, sample := range samples.All() {
			at := moment(s.runs.all[i], sample, cpu)
			first, last = min(first, at), max(last, at)
		}
	}
	return first, last, s.count > 0 && (!cpu || last > 0)
}

// roundInterval is the shortest length such as 1, 2 or 5 ms of which at most n
// slices cover the time from first to last.
func roundInterval(first, last time.Duration, n int) time.Duration {
	for unit := time.Duration(1); unit < endless/10; unit *= 10 {
		for _, digit := range []time.Duration{1, 2, 5} {
			if length := digit * unit; int(last/length-first/length) < n {
				return length
			}
		}
	}
	return endless
}

// phases makes a row of each slice, or several of one with several groups.
func (c *contexts) phases(interval time.Duration, from, to int64, cpu bool) (rows []Phase) {
	type phase struct {
		partOf
		whole calltree.Weight
		node  int32 // of the heaviest path
		of    calltree.Weight
	}
	all := make([]phase, len(c.parts))
	for i, p := range c.parts {
		h := &all[i]
		h.partOf, h.node = p.partOf, -1
		for node, w := range p.All() {
			h.whole = h.whole.Plus(w)
			if order := cmp.Compare(w.Weight, h.of.Weight); h.node < 0 || order > 0 || order == 0 && c.compare(node, h.node) < 0 {
				h.node, h.of = node, w
			}
		}
	}
	slices.SortFunc(all, func(a, b phase) int {
		return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(b.whole.Weight, a.whole.Weight), cmp.Compare(a.group, b.group))
	})
	for slice := from; slice <= to; slice++ {
		window := bin(time.Duration(slice)*interval, interval, cpu)
		if len(all) == 0 || all[0].slice != slice {
			rows = append(rows, Phase{Window: window})
		}
		for ; len(all) > 0 && all[0].slice == slice; all = all[1:] {
			h := all[0]
			rows = append(rows, Phase{
				Window: window, Group: h.group, Weight: h.whole.Weight, Samples: h.whole.Samples,
				Top: Row{Path: CallPath{c.tree, h.node}, Weight: h.of.Weight, Samples: h.of.Samples},
			})
		}
	}
	return rows
}
