package main

import (
	"fmt"
	"text/tabwriter"
)

// cell is a place in a table: a program, and an index of a method.
type cell struct {
	program string
	method  int
}

// costs measures and prints the CPU time of programs by each method. All methods
// take their turns in each round, so that what else the machine does falls on all.
func (b *bench) costs() {
	times, rates := make(map[cell][]float64), make(map[cell][]float64)
	var programs []program
	for _, p := range b.programs {
		if b.run.MatchString(p.name) {
			programs = append(programs, p)
		}
	}
	if len(programs) == 0 {
		return
	}
	rounds := b.inRounds(b.budget, func() {
		for _, p := range programs {
			alone := 0.0
			for i, m := range b.methods {
				r, err := b.measure(m, p.argv)
				if err != nil {
					b.fail(p.name, m.name, err)
					continue
				}
				c := cell{p.name, i}
				if m.name == bare {
					alone = r.cpu.Seconds()
				}
				times[c] = append(times[c], r.cpu.Seconds())
				rates[c] = append(rates[c], float64(r.samples)/alone)
			}
		}
	})
	fmt.Fprintf(b.out, "\nCPU time, of %d rounds the middle and the quartiles; the ratio is the middle one of the rounds' own;\nsamples are counted per second of the bare run's CPU time\n\n", rounds)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\thow\tasked, Hz\tgot, Hz\tCPU, s\tquartiles\ttimes bare\tquartiles")
	for _, p := range programs {
		for i, m := range b.methods {
			c := cell{p.name, i}
			if len(times[c]) == 0 {
				continue
			}
			asked, got := "", ""
			if m.hz > 0 {
				asked = fmt.Sprint(m.hz)
			}
			if m.samples != nil {
				got = fmt.Sprintf("%.0f", quartilesOf(rates[c]).middle)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", p.name, m.name, asked, got,
				quartilesOf(times[c]).show(3), quartilesOf(ratios(times[c], times[cell{p.name, 0}])).show(3))
		}
	}
	w.Flush()
}

// ratios divides what was measured in the same rounds.
func ratios(values, by []float64) []float64 {
	var list []float64
	for i := range min(len(values), len(by)) {
		list = append(list, values[i]/by[i])
	}
	return list
}
