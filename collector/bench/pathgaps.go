package bench

import (
	"fmt"
	"strconv"

	"github.com/profilecollection/pct/bench/harness"
)

// gapDepths are how many calls deep the program is that looks for gaps.
var gapDepths = [...]int{5, 50, 500}

const pathGapsTitle = `
Time that a sample of a call path takes from a program that looks for it, in runs of %s s

Usual: the middle one of the gaps of 4 µs or more, which is hardly changed by other work. Mean: all gaps less
those of the bare run, by the number of samples. The rate at which that is 1 %%: 10,000 µs by the middle figure.

`

// pathGaps measures what each sample takes from a program that sees it itself, at several
// depths of its stack: finer than whole programs can tell, but without the sampler's own time,
// and of a program whose path hardly changes.
func (b *bench) pathGaps() error {
	program, err := b.compile("gap", gapSource)
	if err != nil {
		return err
	}
	all, _, err := b.pathMethods()
	if err != nil {
		return err
	}
	var methods []pathMethod
	for _, m := range all {
		if !m.fast && !m.seldom && !m.counted && m.hz != slowPaths && m.name != bareAgain {
			methods = append(methods, m)
		}
	}
	p := &pathBench{bench: b, roots: newRoots()}
	seconds := gapSeconds
	if b.quick {
		seconds = "0.1"
	}
	fmt.Fprintf(b.Out, pathGapsTitle, seconds)
	w := b.Table()
	fmt.Fprintln(w, "calls deep\thow\tasked, Hz\tsamples\tusual, µs\tquartiles\tabove the bare interrupt\trate at 1 %\tmean, µs\tquartiles\trate at 1 %\twhole, %\trounds\t")
	for _, depth := range gapDepths {
		taken := make([][]float64, len(methods)) // µs a sample
		usual := make([][]float64, len(methods)) // the usual one's
		sums := make([]collected, len(methods))
		problems := make([]string, len(methods))
		rounds := b.InRounds(b.pathBudget/10, func() {
			var alone float64
			for i, m := range methods {
				b.Progress("gaps at depth %d: %s", depth, m.name)
				if m.missing != "" {
					problems[i] = m.missing
					continue
				}
				r, err := p.measurePath(m, []string{program, seconds, strconv.Itoa(depth)})
				var number int
				var middle, sum, most float64
				if err == nil {
					_, err = fmt.Sscan(r.stdout, &number, &middle, &sum, &most)
				}
				if err != nil {
					problems[i] = oneLine(err.Error())
					b.fail("paths-gaps", m.method, err)
					continue
				}
				if m.hz == 0 {
					alone = sum
					continue
				}
				if m.read == nil { // the bare interrupt counts none
					r.data.samples = uint64(float64(m.hz) * r.target.Seconds())
				}
				taken[i] = append(taken[i], (sum-alone)/float64(r.data.samples))
				usual[i] = append(usual[i], most)
				sums[i].add(r.data)
			}
		})
		b.Progress("")
		least := harness.Quartiles{}
		for i, m := range methods {
			cost, mean := harness.QuartilesOf(usual[i]), harness.QuartilesOf(taken[i])
			switch {
			case m.hz == 0:
				continue
			case len(taken[i]) == 0:
				fmt.Fprintf(w, "%d\t%s\t%d\t", depth, m.name, m.hz)
				notAvailable(w, 10, problems[i])
				continue
			case m.name == interruptName:
				least = cost
			}
			whole := ""
			if m.read != nil {
				whole = fmt.Sprintf("%.2f", 100*float64(sums[i].whole)/max(1, float64(sums[i].user)))
			}
			fmt.Fprintf(w, "%d\t%s\t%d\t%.0f\t%s\t%+.1f\t%s\t%s\t%s\t%s\t%d\t\n", depth, m.shown(sums[i]), m.hz, float64(sums[i].samples)/float64(len(taken[i])),
				cost.Show(1), cost.Middle-least.Middle, highest(cost.Middle), mean.Show(1), highest(mean.Middle), whole, rounds)
		}
	}
	return w.Flush()
}
