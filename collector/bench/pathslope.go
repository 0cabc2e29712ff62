package bench

import (
	"fmt"

	"github.com/profilecollection/pct/bench/harness"
)

// slope is what a sample takes from a whole program, in µs, a figure of each round.
type slope struct{ target, all []float64 }

// noteSlopes adds the differences between the fast rate and the usual one of the round.
func (p *pathBench) noteSlopes(program pathProgram, now map[int]pathRun) {
	for i, m := range p.methods {
		fast, ok := now[i]
		if !m.fast || !ok {
			continue
		}
		for k, other := range p.methods {
			usual, ok := now[k]
			if !ok || other.name != m.name || other.hz != usualPaths && other.hz != usualPaths-1 {
				continue
			}
			more := float64(fast.data.samples) - float64(usual.data.samples)
			if m.read == nil { // the bare interrupt counts none
				more = usual.target.Seconds() * float64(m.hz-other.hz)
			}
			if more <= 0 {
				continue
			}
			c := cell{program.name, i}
			if p.slopes[c] == nil {
				p.slopes[c] = &slope{}
			}
			s := p.slopes[c]
			s.target = append(s.target, 1e6*(fast.target-usual.target).Seconds()/more)
			s.all = append(s.all, 1e6*(fast.cpu-usual.cpu).Seconds()/more)
		}
	}
}

// highest is the rate, in samples per second of CPU time, at which samples of so many µs take
// a hundredth of it.
func highest(micros float64) string {
	if micros <= 0 {
		return "not told from 0"
	}
	return fmt.Sprintf("%.0f", 0.01*1e6/micros)
}

// printSlopes prints what a sample takes from whole programs.
func (p *pathBench) printSlopes() {
	if len(p.slopes) == 0 {
		return
	}
	fmt.Fprintf(p.Out, "\nWhat a sample takes from whole programs: CPU time at %d Hz less that at %d Hz, by the difference of\nsamples, of each round; the rate at which that is 1 %%: 10,000 µs by the middle one\n\n", fastPaths, usualPaths)
	w := p.Table()
	fmt.Fprintln(w, "program\thow\ttarget, µs\tquartiles\trate at 1 %\twith the sampler's own, µs\tquartiles\trate at 1 %")
	for _, program := range p.programs {
		for i, m := range p.methods {
			s := p.slopes[cell{program.name, i}]
			if s == nil {
				continue
			}
			target, all := harness.QuartilesOf(s.target), harness.QuartilesOf(s.all)
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", program.name, m.name, target.Show(1), highest(target.Middle), all.Show(1), highest(all.Middle))
		}
	}
	w.Flush()
}
