package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"
)

// bench is a run of this program.
type bench struct {
	options
	dir      string // for files, ours alone
	out, err io.Writer
	target   string
	tap      func(toDebugger bool, line []byte)
	samples  map[cell][]sampled
	failures int
}

// cell is a place in the table of samples.
type cell struct{ job, method string }

// all measures and prints everything. Rounds go over the whole table, so that
// what else the machine does falls on all of it.
func (b *bench) all() (err error) {
	if b.target, err = compile(b.dir); err != nil {
		return err
	}
	load := loadAverage()
	began := time.Now()
	done := 0
	for ; done < b.rounds; done++ {
		if spent := time.Since(began); done > 0 && spent+spent/time.Duration(done) > b.budget {
			break
		}
		for _, j := range jobs() {
			if !b.run.MatchString(j.name()) {
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
			if b.run.MatchString(s.name()) {
				b.note(cell{s.name(), "dbctl"}, func() (sampled, error) { return b.script(s.job, s.tick) })
			}
		}
	}
	fmt.Fprintf(b.out, "%d rounds of %v of CPU time, %d processors, load %s, gdb %s\n",
		done, b.burn, runtime.NumCPU(), load, gdbVersion())
	b.printStops()
	b.printSustained()
	if err := b.trees(); err != nil {
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
		fmt.Fprintf(b.err, "bench: %s, %s: %v\n", c.job, c.method, err)
		b.failures++
		return
	}
	b.samples[c] = append(b.samples[c], s)
}

// median is the middle stop of a run, in microseconds.
func (s sampled) median() float64 { return middle(s.stops).Seconds() * 1e6 }

// mean is the whole time that the target stood still, per sample, in
// microseconds.
func (s sampled) mean() float64 { return s.total.Seconds() * 1e6 / float64(s.samples) }

// rate is the number of samples in a second of the burning's wall time.
func (s sampled) rate() float64 { return float64(s.samples) / s.wall.Seconds() }

// printStops prints the table of stops, and the ratios to dbctl's.
func (b *bench) printStops() {
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nsample\thow\tstop, µs\tmin..max\tmean, µs\ttimes dbctl's")
	rows := 0
	for _, j := range jobs() {
		ours := summary(b.samples[cell{j.name(), "dbctl"}], sampled.median)
		for _, m := range methods() {
			runs := b.samples[cell{j.name(), m.name}]
			if len(runs) == 0 {
				continue
			}
			rows++
			stop, mean := summary(runs, sampled.median), summary(runs, sampled.mean)
			ratio := ""
			if ours.mid > 0 && m.name != "dbctl" {
				ratio = fmt.Sprintf("%.1f", stop.mid/ours.mid)
			}
			fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f..%.0f\t%.0f\t%s\n",
				j.name(), m.name, stop.mid, stop.least, stop.most, mean.mid, ratio)
		}
	}
	if rows > 0 {
		w.Flush()
		fmt.Fprint(b.out, `
stop: the middle stop of a run; of that the middle, the least and the most of all rounds
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
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)
	rows := 0
	fmt.Fprintln(w, "\nsample\tasked, 1/s of CPU\tgot\tmin..max\tgot, 1/s of wall\tstop, µs\tmin..max")
	for _, p := range sustained() {
		runs := b.samples[cell{p.name(), "dbctl"}]
		if len(runs) == 0 {
			continue
		}
		rows++
		got := summary(runs, func(s sampled) float64 { return float64(s.samples) / b.burn.Seconds() })
		wall, stop := summary(runs, sampled.rate), summary(runs, sampled.median)
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f..%.0f\t%.0f\t%.0f\t%.0f..%.0f\n", p.name(),
			1/p.tick.Seconds(), got.mid, got.least, got.most, wall.mid, stop.mid, stop.least, stop.most)
	}
	if rows > 0 {
		w.Flush()
	}
}
