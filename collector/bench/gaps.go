package bench

import (
	"fmt"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

// gapSeconds is the CPU time of a program that looks for gaps.
const gapSeconds = "0.5"

// gaps measures what each sample takes from a program that sees it itself: the time
// in gaps beyond that of a bare run, by the number of samples. It is far finer than
// what CPU times of whole runs can tell, but the sampler's own time is not in it.
func (b *bench) gaps() error {
	program, err := b.compile("gap", gapSource)
	if err != nil {
		return err
	}
	budget := 25 * time.Second
	if b.long {
		budget *= 6
	}
	taken := make([][]float64, len(b.methods))   // ms in gaps
	samples := make([][]float64, len(b.methods)) // in the same run
	rounds := b.InRounds(budget, func() {
		for i, m := range b.methods {
			r, err := b.measure(m, []string{program, gapSeconds})
			var number int
			var middle, sum float64
			if err == nil {
				_, err = fmt.Sscan(r.stdout, &number, &middle, &sum)
			}
			if err != nil {
				b.fail("gaps", m, err)
				continue
			}
			if m.samples == nil { // the bare interrupt counts none
				r.samples = uint64(float64(m.hz) * 0.5)
			}
			taken[i] = append(taken[i], sum)
			samples[i] = append(samples[i], float64(r.samples))
		}
	})
	fmt.Fprintf(b.Out, "\nTime taken from a program by each sample, %d rounds of %s s\n\n", rounds, gapSeconds)
	w := b.Table()
	fmt.Fprintln(w, "how\tasked, Hz\tsamples\tµs a sample\tquartiles\tabove the bare interrupt")
	cost := make([]harness.Quartiles, len(b.methods))
	for i := range b.methods {
		var each []float64
		for k := range min(len(taken[i]), len(taken[0])) {
			if samples[i][k] > 0 {
				each = append(each, (taken[i][k]-taken[0][k])/samples[i][k])
			}
		}
		cost[i] = harness.QuartilesOf(each)
	}
	least := cost[len(cost)-1].Middle
	for i, m := range b.methods {
		if m.hz == 0 {
			continue
		}
		above := ""
		if m.hz == b.methods[len(b.methods)-1].hz && i < len(b.methods)-1 {
			above = fmt.Sprintf("%+.1f", cost[i].Middle-least)
		}
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%s\t%s\n", m.name, m.hz, harness.QuartilesOf(samples[i]).Middle, cost[i].Show(1), above)
	}
	return w.Flush()
}
