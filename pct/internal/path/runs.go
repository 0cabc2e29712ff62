// Package path computes profiles from run directories: call paths, flat
// profiles and tables of the sampled values.
//
// The steps are those of its callers: Open the runs, Select samples of them,
// make a Profile or a Table of the selection. Weights of several runs add up.
package path

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

// Runs are run directories that are reported on together.
type Runs struct {
	all       []*run
	processes []*process
	resources distinct
	trees     []*family // of the runs, each once

	// Warnings are sentences about what could not be read, or only in part, and about
	// samples that are missing.
	Warnings []string

	// Stamped starts the translator that a count file wants, a command. If it is nil,
	// all objects go to the same one.
	Stamped func(command string) (Translator, error)

	// Changed, unless nil, is told in a sentence of an object whose file is another one
	// now or is gone, so that its addresses have no names. It may be told again.
	Changed func(sentence string)

	kernel *kernelImage // where lines of the kernel are found, nil if nowhere
	kept   keptNames    // with the data, as far as they were read
	found  bool         // a translator knew names of a file that was sampled
}

// Open reads run directories, directories of them, and files of them: count files and
// paths. What can't be read is told by Warnings; it is an error if nothing can, or if
// they measured different things, which can't be added up: *MixedResources.
func Open(names []string) (*Runs, error) { return OpenResource(names, "") }

// OpenResource is that of a Reader, for those who read once.
func OpenResource(names []string, resource string) (*Runs, error) {
	return (&Reader{once: true}).OpenResource(names, resource)
}

// OpenResource is Open of those runs alone that measure a resource, such as cpu or
// faults; of all if it is "". It is an error of type *OtherResource if runs have
// samples, but none of this resource.
func (rd *Reader) OpenResource(names []string, resource string) (*Runs, error) {
	return rd.open(names, resource, false)
}

// OpenApart is Open for those who don't add up: the runs may have measured different things.
func OpenApart(names []string) (*Runs, error) { return (&Reader{once: true}).open(names, "", true) }

func (rd *Reader) open(names []string, resource string, apart bool) (*Runs, error) {
	rs := &Runs{}
	trees := newFamilies()
	var treeOf []*family
	isThere := map[*family]bool{}
	var first *run // with samples
	var mixed *MixedResources
	sources, problems := arguments(names)
	for _, s := range joinFormer(sources) {
		of, err := rd.readSource(s, resource)
		if err != nil {
			problems = append(problems, err)
		}
		for _, r := range of {
			if r.Packed.Len() > 0 {
				rs.resources.add(r.Header.Resource)
			}
		}
		for _, r := range chosen(of, resource) {
			if r.Packed.Len() > 0 {
				if first != nil && (first.Header.Resource != r.Header.Resource || first.Header.Unit != r.Header.Unit) {
					mixed = cmp.Or(mixed, &MixedResources{first.Dir, first.Header.Resource, first.Header.Unit, r.Dir, r.Header.Resource, r.Header.Unit, nil})
				}
			}
			problems = append(problems, damage(r)...)
			f := trees.of(r.Dir, r.Meta)
			in := &run{Run: r, name: s.name(r), part: s.part(r)}
			if slices.ContainsFunc(r.Objects, isKernel) {
				if in.kernel, err = data.ReadKernelSymbols(r.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
					problems = append(problems, err)
				}
			}
			if f != nil {
				in.offset = r.Header.Start.Sub(f.start())
			}
			// Before its first sample a run without a tree has no file that is open.
			in.goesOn = r.Writing || f != nil && f.writing || f == nil && r.Packed.Len() == 0
			rs.all = append(rs.all, in)
			if first == nil && r.Packed.Len() > 0 {
				first = in
			}
			treeOf = append(treeOf, f)
			if f != nil && !isThere[f] {
				isThere[f] = true
				rs.trees = append(rs.trees, f)
			}
		}
	}
	switch {
	case mixed != nil && !apart:
		mixed.All = rs.resources.all
		return nil, mixed
	case resource != "" && len(rs.resources.all) > 0 && !rs.resources.seen[resource]:
		return nil, &OtherResource{resource, rs.resources.all}
	case len(rs.all) == 0:
		return nil, errors.Join(problems...)
	}
	rs.processes = group(rs.all, treeOf)
	var told distinct
	for _, p := range problems {
		told.add(p.Error())
	}
	rs.Warnings = append(told.all, trees.warnings...)
	rs.Warnings = append(rs.Warnings, rs.saturated()...)
	return rs, nil
}

// damage is what is worth telling of a run's damage: of one that goes on, a torn end
// is the record that is being written.
func damage(r *data.Run) []error {
	return slices.DeleteFunc(slices.Clone(r.Damage), func(err error) bool {
		var torn *data.Truncated
		return errors.As(err, &torn) && r.Meta.State == stateRunning
	})
}

// saturated says that count files were too small for their samples.
func (rs *Runs) saturated() []string {
	var full, lost uint64
	for _, r := range rs.all {
		full += r.Full
		lost += r.Lost[data.LostCounts]
	}
	if full == 0 && lost == 0 {
		return nil
	}
	sentence := fmt.Sprintf("%d samples were lost", lost)
	if lost == 1 {
		sentence = "1 sample was lost"
	}
	switch {
	case full == 1:
		sentence += "; 1 counter is full: its addresses may have more samples than are shown"
	case full > 1:
		sentence += fmt.Sprintf("; %d counters are full: their addresses may have more samples than are shown", full)
	}
	return []string{sentence}
}

// Data are the runs as they were read.
func (rs *Runs) Data() []*data.Run {
	all := make([]*data.Run, len(rs.all))
	for i, r := range rs.all {
		all[i] = r.Run
	}
	return all
}

// States of a run, as in its meta.
const (
	stateRunning = "running"
	stateKilled  = "killed"
)

// measured returns the first run with samples, nil if there is none.
func (rs *Runs) measured() *run {
	for _, r := range rs.all {
		if r.Packed.Len() > 0 {
			return r
		}
	}
	return nil
}

// A Summary is what the head of a report says of its runs.
type Summary struct {
	Commands  []string // command lines, each once: what was launched or is first, then those with the most samples
	Programs  int      // that were executed: the number of run directories
	Processes int
	Running   int // processes whose data are still being written
	Cut       int // processes whose collector was killed
	Samples   int
	Resource  string        // what the weights measure, "cpu"
	Clocks    []string      // each once, in order
	Asked     float64       // Hz, of all runs with samples; 0 unknown, or not the same
	Got       float64       // samples per second of CPU time, of all runs; 0 where not all of both is known
	CPU       time.Duration // of the processes with samples; 0 unknown
	Lost      uint64
	Partial   int      // samples whose call path is not complete
	Notes     []string // each once, in order
}

// userModeAlone begins libpct.so's note that its clock does not see the kernel.
const userModeAlone = "user-mode samples only"

// UserMode tells whether a note says that time in the kernel is in no sample.
func UserMode(notes []string) bool {
	return slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, userModeAlone) })
}

// Summary describes the runs.
func (rs *Runs) Summary() Summary {
	s := Summary{Programs: len(rs.all), Processes: len(rs.processes)}
	for _, p := range rs.processes {
		switch last := p.runs[len(p.runs)-1]; {
		case last.Meta.State != stateRunning:
		case last.goesOn:
			s.Running++
		default:
			s.Cut++
		}
		s.CPU += p.cpu()
	}
	var commands, notes, clocks distinct
	if len(rs.processes) > 1 {
		commands = rs.launched()
	}
	begun := max(1, len(commands.all)) // commands that began it all
	samples := map[string]int{}
	for _, r := range rs.all {
		command, n := r.commandLine(), int(r.Packed.Count)
		commands.add(command)
		samples[command] += n
		s.Samples += n
		for _, n := range r.Lost {
			s.Lost += n
		}
		s.Partial += int(r.Packed.Partial)
		for _, note := range r.Meta.Notes {
			notes.add(note)
		}
		if r.Packed.Len() > 0 {
			clocks.add(r.Header.Clock)
		}
	}
	s.Commands, s.Notes, s.Clocks = commands.all, notes.all, clocks.all
	// Of many a report names some: those that it is about.
	if len(s.Commands) > begun {
		slices.SortStableFunc(s.Commands[begun:], func(a, b string) int { return cmp.Compare(samples[b], samples[a]) })
	}
	if r := rs.measured(); r != nil {
		s.Resource = r.Header.Resource
	}
	s.Asked = rs.asked()
	// Over a period or two the rate says more of chance than of the clock.
	if s.CPU.Seconds()*s.Asked >= 2 && !slices.ContainsFunc(rs.all, (*run).rateless) {
		s.Got = float64(s.Samples) / s.CPU.Seconds()
	}
	return s
}

// asked is the rate that was asked for, 0 if it is unknown or not that of all runs with samples.
func (rs *Runs) asked() float64 {
	const same = 1e-3
	rate := 0.0
	for _, r := range rs.all {
		if r.Packed.Len() == 0 || r.Header.Period == 0 {
			continue
		}
		of := cmp.Or(r.Meta.Asked, float64(time.Second)/float64(r.Header.Period))
		if rate != 0 && math.Abs(of-rate) > same*rate {
			return 0
		}
		rate = of
	}
	return rate
}

// launched are the command lines that began the trees of the runs, each once: of a tree's
// first process, which may have no samples itself.
func (rs *Runs) launched() (all distinct) {
	for _, f := range rs.trees {
		if first := &f.processes[0]; first.How == "launch" {
			if line := strings.Join(first.Programs[0].Argv, " "); line != "" {
				all.add(line)
			}
		}
	}
	return all
}

// rateless reports whether the samples of a run can't be divided by its CPU time: that
// is not known, some samples are not there, or they are of another time.
func (r *run) rateless() bool {
	overwritten := func(c *data.Counts) bool { return c.Kind == data.Circular && c.Written > c.Capacity }
	return r.Packed.Len() > 0 &&
		(r.part || r.Header.Resource == resource.Real || cpuTime(r.Run) == 0 || slices.ContainsFunc(r.Counts, overwritten))
}

// cpuTime returns the CPU time that a run's samples are of, 0 if unknown. What the
// process used before the run is in the samples' times, but not in the meta's.
func cpuTime(r *data.Run) time.Duration {
	if r.Meta.CPU > 0 || r.Packed.Len() == 0 {
		return r.Meta.CPU
	}
	first, last := r.Packed.First().CPU, r.Packed.Last().CPU
	return min(last, last-first+r.Header.Period)
}

// commandLine returns how the program was called, for people to read.
func (r *run) commandLine() string {
	if len(r.Meta.Argv) > 0 {
		return strings.Join(r.Meta.Argv, " ")
	}
	if r.Meta.Exe != "" {
		return r.Meta.Exe
	}
	return r.name
}

// NoSamples says why there is nothing to report on.
type NoSamples struct{ Why string }

func (e *NoSamples) Error() string { return e.Why }

// empty explains that no run has a sample, nil if one has.
func (rs *Runs) empty() error {
	if rs.measured() != nil {
		return nil
	}
	if len(rs.all) > 1 {
		return &NoSamples{fmt.Sprintf("none of the %d runs has a sample: each program used less CPU time than one period, "+
			"or could not be sampled (pct info says more); a shorter period (-i 1ms) may help", len(rs.all))}
	}
	r := rs.all[0]
	var lost uint64
	for _, n := range r.Lost {
		lost += n
	}
	why := r.Dir + " has no samples"
	switch {
	case lost > 0:
		all := fmt.Sprintf("all %d were", lost)
		if lost == 1 {
			all = "the only one was"
		}
		why += fmt.Sprintf(": %s lost (%s)", all, strings.Join(reasons(r.Run), ", "))
	case r.Meta.State == stateRunning && !r.goesOn:
		why += ": its collector was killed before it wrote one"
	case r.Meta.State == stateRunning && r.Meta.Period == 0:
		why += " yet: the program has not used one interval of what is measured"
	case r.Meta.State == stateRunning && r.Meta.Samples == 0:
		why += " yet: the program has not used one period of CPU time"
	case r.Meta.Period > 0 && r.Meta.CPU > 4*r.Meta.Period:
		why += fmt.Sprintf(", though the program used %v of CPU time: its ticks did not arrive; try another clock (-clock poll)%s",
			r.Meta.CPU.Round(time.Microsecond), rs.notes())
	case r.Meta.CPU > 0 && r.Meta.Period > 0:
		why += fmt.Sprintf(": the program used %v of CPU time and a sample is taken each %v; "+
			"use a shorter period (-i 1ms) or give the program more to do", r.Meta.CPU.Round(time.Microsecond), r.Meta.Period)
	case r.Meta.State == stateKilled:
		why += ": the program was killed before the first one"
	default:
		why += ": the program used less CPU time than one period; use a shorter one (-i 1ms) or give the program more to do"
	}
	return &NoSamples{why}
}

// reasons lists why samples of a run were lost, in alphabetical order.
func reasons(r *data.Run) []string {
	var all []string
	for why := range r.Lost {
		all = append(all, why)
	}
	slices.Sort(all)
	return all
}

// Span is the real time from the start of the first run to the last sample, 0 if
// there is none.
func (rs *Runs) Span() time.Duration {
	var first, last time.Time
	for _, r := range rs.all {
		if r.Packed.Len() == 0 {
			continue
		}
		start := r.Header.Start
		if first.IsZero() || start.Before(first) {
			first = start
		}
		for _, s := range r.Packed.All() {
			if end := start.Add(s.Time); end.After(last) {
				last = end
			}
		}
	}
	return last.Sub(first)
}
