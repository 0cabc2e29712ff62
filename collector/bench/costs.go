package bench

import (
	"fmt"

	"github.com/profilecollection/pct/bench/harness"
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
		if b.Match.MatchString(p.name) {
			programs = append(programs, p)
		}
	}
	if len(programs) == 0 {
		return
	}
	shares := make(map[cell][]float64)
	turn := 0
	rounds := b.InRounds(b.budget, func() {
		for _, p := range programs {
			now := make(map[int]measured)
			for i := range b.methods {
				// Each round begins with another one: the machine's speed drifts.
				i = (i + 5*turn) % len(b.methods)
				r, err := b.measure(b.methods[i], p.argv)
				if err != nil {
					b.fail(p.name, b.methods[i], err)
					continue
				}
				now[i] = r
			}
			alone, ok := now[0]
			for i, r := range now {
				c := cell{p.name, i}
				times[c] = append(times[c], r.cpu.Seconds())
				if ok {
					shares[c] = append(shares[c], r.cpu.Seconds()/alone.cpu.Seconds())
					rates[c] = append(rates[c], float64(r.samples)/alone.cpu.Seconds())
				}
			}
		}
		turn++
	})
	fmt.Fprintf(b.Out, "\nCPU time, of %d rounds the middle and the quartiles; the ratio is the middle one of the rounds' own;\nsamples are counted per second of the bare run's CPU time\n\n", rounds)
	w := b.Table()
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
				got = fmt.Sprintf("%.0f", harness.QuartilesOf(rates[c]).Middle)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", p.name, m.name, asked, got,
				harness.QuartilesOf(times[c]).Show(3), harness.QuartilesOf(shares[c]).Show(3))
		}
	}
	w.Flush()
}
