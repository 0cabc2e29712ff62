package collector_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/chance"
)

// Shares agree with those that a program measures itself, by its own CPU clock, in every mode: of one that waits
// all the time, and of one that is in page faults for the most part. At rates above the kernel's tick the kernel's
// time is in the samples too.
func TestTruth(t *testing.T) {
	const tick = 4 * time.Millisecond
	for _, c := range []struct {
		kind  string
		parts []string // that are compared
	}{
		// Of a turn's end no clock sees all: it is told for a part of the kernel, so that these are one here.
		{"turns", []string{"work"}},
		{"faults", []string{"touch"}},
	} {
		for _, m := range []struct {
			letters string
			period  time.Duration
			paths   bool
		}{
			{letters: "q10000", period: 10 * time.Millisecond},
			{letters: "q4000", period: tick},
			{letters: "q3333", period: 3333 * time.Microsecond},
			{letters: "q1000", period: time.Millisecond},
			{letters: "s q1000", period: time.Millisecond, paths: true},
			{letters: "s e q1000", period: time.Millisecond, paths: true},
			{letters: "xcpu:10000", period: 10 * time.Millisecond, paths: true},
		} {
			chance.Test(t, func(d *chance.Draw) {
				s := prepare(t, m.letters, "truth", c.kind, "0.6").run()
				truth, all := map[string]float64{}, 0.0
				for line := range strings.Lines(s.out) {
					var name string
					var ns float64
					if _, err := fmt.Sscan(line, &name, &ns); err != nil {
						t.Fatalf("%s: %q: %v", c.kind, line, err)
					}
					truth[name] = ns
					all += ns
				}
				got, n := map[string]float64{}, 0.0
				for _, dir := range s.dirs(0) {
					for name := range truth {
						if m.paths {
							got[name] += float64(s.profile(dir).on(name))
						} else if c, ok := countsOf(t, dir)["truth"]; ok {
							got[name] += float64(inFunction(t, c, name))
						}
					}
				}
				for _, hits := range got {
					n += hits
				}
				clump := 1 + 2*float64(tick)/float64(m.period)
				for _, name := range c.parts {
					p := truth[name] / all
					d.Check(chance.Quantity{Name: m.letters + ": " + c.kind + ": " + name, Got: got[name] / n, Want: p, Error: math.Sqrt(clump * p * (1 - p) / n),
						Why: fmt.Sprintf("binomial error of %.0f samples; each stands for the time since the one before, which is as long as chance will: "+
							"what a tick is worth comes at once", n)})
				}
			})
		}
	}
}
