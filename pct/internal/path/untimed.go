package path

import (
	"fmt"

	"github.com/profilecollection/pct/pct/data"
)

// untimedWhy says what to do about samples without times.
const untimedWhy = "the samples are counts (histograms, or imported ones), which have no times and threads; take a log to have them (profile -log, or PCT=l)"

// untimed returns how many of the runs' samples have no time, and how many there are.
func (rs *Runs) untimed() (without, all int) {
	for _, r := range rs.all {
		for i := range r.Samples {
			n := int(r.Samples[i].Count)
			all += n
			if r.Samples[i].Untimed {
				without += n
			}
		}
	}
	return without, all
}

// needTimes refuses what takes times, or threads, of samples that have none; where
// some have, it says how many are left out.
func (rs *Runs) needTimes(what string) (warnings []string, err error) {
	without, all := rs.untimed()
	switch {
	case without == 0:
		return nil, nil
	case without == all:
		return nil, fmt.Errorf("%s: %s", what, untimedWhy)
	}
	return []string{fmt.Sprintf("%s: %d of %d samples are counts without times and threads", what, without, all)}, nil
}

// timed returns the samples of the selection that have a time.
func (s *Selection) timed() *Selection {
	if without, _ := s.runs.untimed(); without == 0 {
		return s
	}
	part := &Selection{runs: s.runs, samples: make([][]*data.Sample, len(s.samples)), limits: s.limits}
	for i, samples := range s.samples {
		for _, sample := range samples {
			if !sample.Untimed {
				part.take(i, sample)
			}
		}
	}
	return part
}

// take adds a sample of a run.
func (s *Selection) take(run int, sample *data.Sample) {
	s.samples[run] = append(s.samples[run], sample)
	s.count += int(sample.Count)
	s.weight += sample.Weight
}
