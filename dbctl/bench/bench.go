package bench

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

// bench is a run of this part.
type bench struct {
	*harness.Run
	dbctl   string        // its path
	burn    time.Duration // CPU time of a run of the target
	budget  time.Duration // no round begins that is expected to end later
	target  string
	stops   string // the path of the stopper
	tap     func(toDebugger bool, line []byte)
	samples map[cell][]sampled
}

// cell is a place in the table of samples.
type cell struct{ job, method string }

// all measures and prints everything.
func (b *bench) all() (err error) {
	if b.target, err = compile(b.Dir, "target", source); err != nil {
		return err
	}
	if b.stops, err = compile(b.Dir, "stopper", stopperSource); err != nil {
		return err
	}
	rounds := b.InRounds(b.budget, func() {
		for _, j := range jobs() {
			if !b.Match.MatchString(j.name()) {
				continue
			}
			for _, m := range methods() {
				if !m.does(j) {
					continue
				}
				b.note(cell{j.name(), m.name}, func() (sampled, error) { return m.take(b, j) })
			}
		}
		for _, s := range sustained() {
			if b.Match.MatchString(s.name()) {
				b.note(cell{s.name(), "dbctl"}, func() (sampled, error) { return b.script(s.job, s.tick) })
			}
		}
	})
	fmt.Fprintf(b.Out, "%d rounds of %v of CPU time, gdb %s\n", rounds, b.burn, gdbVersion())
	b.printStops()
	b.printSustained()
	if err := b.trees(); err != nil {
		return err
	}
	if err := b.tracing(); err != nil {
		return err
	}
	return b.parsers()
}

// note makes one measurement.
func (b *bench) note(c cell, measure func() (sampled, error)) {
	s, err := measure()
	if err == nil && (s.samples == 0 || len(s.stops) == 0) {
		err = fmt.Errorf("no sample")
	}
	if err != nil {
		b.Fail(c.job, c.method, err)
		return
	}
	b.samples[c] = append(b.samples[c], s)
}

// median is the middle stop of a run, in microseconds.
func (s sampled) median() float64 { return harness.Middle(s.stops, cmp.Compare).Seconds() * 1e6 }

// tenth is the stop of a run that a tenth of them do not exceed, in microseconds: what a stop takes
// when nothing else comes between.
func (s sampled) tenth() float64 {
	return slices.Sorted(slices.Values(s.stops))[len(s.stops)/10].Seconds() * 1e6
}

// mean is the whole time that the target stood still, per sample, in
// microseconds.
func (s sampled) mean() float64 { return s.total.Seconds() * 1e6 / float64(s.samples) }

// rate is the number of samples in a second of the burning's wall time.
func (s sampled) rate() float64 { return float64(s.samples) / s.wall.Seconds() }

// printStops prints the table of stops, and the ratios to dbctl's.
func (b *bench) printStops() {
	w := b.Table()
	fmt.Fprintln(w, "\nsample\thow\tstop, µs\tmin..max\t10%\tmean, µs\ttimes dbctl's")
	rows := 0
	for _, j := range jobs() {
		ours := harness.SpreadOf(b.samples[cell{j.name(), "dbctl"}], sampled.median)
		for _, m := range methods() {
			runs := b.samples[cell{j.name(), m.name}]
			if len(runs) == 0 {
				continue
			}
			rows++
			stop, mean := harness.SpreadOf(runs, sampled.median), harness.SpreadOf(runs, sampled.mean)
			tenth := harness.SpreadOf(runs, sampled.tenth)
			ratio := ""
			if ours.Middle > 0 && m.name != "dbctl" {
				ratio = fmt.Sprintf("%.1f", stop.Middle/ours.Middle)
			}
			fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f..%.0f\t%.0f\t%.0f\t%s\n",
				j.name(), m.name, stop.Middle, stop.Least, stop.Most, tenth.Middle, mean.Middle, ratio)
		}
	}
	if rows > 0 {
		w.Flush()
		fmt.Fprint(b.Out, `
stop: the middle stop of a run; of that the middle, the least and the most of all rounds
10%: a tenth of the stops of a run take no longer; of that the middle of all rounds
mean: all time stopped in a run, the first sample's included, by the number of samples
`)
	}
}

// pace is a job at a rate of its own.
type pace struct {
	job
	tick time.Duration
}

// sustained returns the jobs whose rate is measured.
func sustained() []pace {
	var ps []pace
	for _, j := range jobs() {
		if j.block == "SAMPLE()" {
			j.what = "sustained " + j.what
			ps = append(ps, pace{j, time.Millisecond})
		}
	}
	return ps
}

func (b *bench) printSustained() {
	w := b.Table()
	rows := 0
	fmt.Fprintln(w, "\nsample\tasked, 1/s of CPU\tgot\tmin..max\tgot, 1/s of wall\tstop, µs\tmin..max\t10%")
	for _, p := range sustained() {
		runs := b.samples[cell{p.name(), "dbctl"}]
		if len(runs) == 0 {
			continue
		}
		rows++
		got := harness.SpreadOf(runs, func(s sampled) float64 { return float64(s.samples) / b.burn.Seconds() })
		wall, stop := harness.SpreadOf(runs, sampled.rate), harness.SpreadOf(runs, sampled.median)
		tenth := harness.SpreadOf(runs, sampled.tenth)
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f..%.0f\t%.0f\t%.0f\t%.0f..%.0f\t%.0f\n", p.name(), 1/p.tick.Seconds(),
			got.Middle, got.Least, got.Most, wall.Middle, stop.Middle, stop.Least, stop.Most, tenth.Middle)
	}
	if rows > 0 {
		w.Flush()
	}
}
