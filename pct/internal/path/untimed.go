package path

import (
	"fmt"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

// What to do about samples without times.
const (
	untimedWhy  = "the samples are counts (histograms, or imported ones), which have no times and threads; profile -log (PCT=l) stores them"
	countedWhy  = "the call paths were counted in the program (profile -paths, -calls and -r), which stores no times; profile -gdb stores them with call paths, profile -log with addresses"
	resourceWhy = "the call paths were counted in the program, which stores no times; pct-ring stores them (pct-ring -paths -r faults), for CPU time also profile -gdb and profile -log"
)

// untimed returns how many of the runs' samples have no time, and how many there are; with thread set, how many
// have no thread.
func (rs *Runs) untimed(thread bool) (without, all int) {
	for _, r := range rs.all {
		all += int(r.Packed.Count)
		for _, s := range r.Packed.All() {
			if s.Untimed && !(thread && s.Thread != 0) {
				without += int(s.Count)
			}
		}
	}
	return without, all
}

// needTimes returns an error if no sample has a time (or a thread) and the report needs it. If only
// some samples have one, it reports how many are left out.
func (rs *Runs) needTimes(what string) (warnings []string, err error) {
	without, all := rs.untimed(what == threadAttribute)
	switch {
	case without == 0:
		return nil, nil
	case without == all:
		return nil, fmt.Errorf("%s: %s", what, rs.untimedWhy())
	}
	return []string{fmt.Sprintf("%s: %d of %d samples are counts without times and threads", what, without, all)}, nil
}

// untimedWhy says why samples have no times. Samples without times but with threads are call paths counted by libpct.so.
func (rs *Runs) untimedWhy() string {
	for _, r := range rs.all {
		for _, s := range r.Packed.All() {
			switch {
			case !s.Untimed || s.Thread == 0:
			case r.Header.Resource == resource.CPU:
				return countedWhy
			default:
				return resourceWhy
			}
		}
	}
	return untimedWhy
}

// timed returns the samples of the selection that have a time.
func (s *Selection) timed() *Selection {
	if without, _ := s.runs.untimed(false); without == 0 {
		return s
	}
	part := &Selection{runs: s.runs, samples: make([]*data.Packed, len(s.samples)), limits: s.limits}
	for i, samples := range s.samples {
		for _, sample := range samples.All() {
			if !sample.Untimed {
				part.take(i, sample)
			}
		}
	}
	return part
}

// take adds a sample of a run.
func (s *Selection) take(run int, sample *data.Sample) {
	if s.samples[run] == nil {
		s.samples[run] = &data.Packed{}
	}
	s.samples[run].Add(sample)
	s.count += int(sample.Count)
	s.weight += sample.Weight
}

// takeAll takes all samples of a run, of which none was taken.
func (s *Selection) takeAll(run int) {
	all := &s.runs.all[run].Packed
	s.samples[run] = all
	s.count += int(all.Count)
	s.weight += all.Weight
}
