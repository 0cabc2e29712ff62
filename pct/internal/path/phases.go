package path

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/profilecollection/pct/pct/data"
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
	tr := newTree()
	leaves, err := s.leaves(tr, t, o, frame.shortLabel, func(r *run, sample *data.Sample) int64 {
		return int64(moment(r, sample, cpu) / o.Interval)
	})
	if err != nil {
		return nil, err
	}
	p := s.phases(tr, pathRows(tr, leaves, o), o, from, to, cpu)
	p.Warnings = warnings
	return p, nil
}

// extent returns the first and the last moment of the selection's samples, false if
// they have none.
func (s *Selection) extent(cpu bool) (first, last time.Duration, ok bool) {
	first = endless
	for i, samples := range s.samples {
		for _, sample := range samples {
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
func (s *Selection) phases(tr tree, all rows, o Options, from, to int64, cpu bool) *Phases {
	type part struct {
		slice int64
		group string
	}
	type heaviest struct {
		tally
		key rowKey
		of  tally
	}
	parts := map[part]heaviest{}
	for key, sum := range all {
		at := part{key.slice, key.group}
		h, ok := parts[at]
		h.weight += sum.weight
		h.samples += sum.samples
		if order := cmp.Compare(sum.weight, h.of.weight); !ok || order > 0 || order == 0 && tr.compare(key.node, h.key.node) < 0 {
			h.key, h.of = key, sum
		}
		parts[at] = h
	}
	p := &Phases{Weight: s.weight, Samples: s.count}
	keys := slices.SortedFunc(maps.Keys(parts), func(a, b part) int {
		return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(parts[b].weight, parts[a].weight), cmp.Compare(a.group, b.group))
	})
	for slice := from; slice <= to; slice++ {
		window := bin(time.Duration(slice)*o.Interval, o.Interval, cpu)
		if len(keys) == 0 || keys[0].slice != slice {
			p.Rows = append(p.Rows, Phase{Window: window})
		}
		for ; len(keys) > 0 && keys[0].slice == slice; keys = keys[1:] {
			h := parts[keys[0]]
			p.Rows = append(p.Rows, Phase{
				Window: window, Group: keys[0].group, Weight: h.weight, Samples: h.samples,
				Top: Row{Path: CallPath{tr, h.key.node}, Weight: h.of.weight, Samples: h.of.samples},
			})
		}
	}
	return p
}
