package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"
)

// reference is the rate of the runs of perf record that say what is true.
const reference = 4999

// comparison is a method whose shares of functions are compared.
type comparison struct {
	method
	read func(names, string, shares) error
	user bool // its clock stands still in the kernel
}

// distortions measures by how much the shares of functions differ from those that
// pooled runs of perf record at a high rate give: the sum of all differences, in
// points of a percent, less what chance alone would make of that number of samples.
func (b *bench) distortions() error {
	truth := perfOfUser(reference)
	ofPerf := func(n names, dir string, s shares) error { return n.ofPerf(dir, s, make(shares)) }
	compared := []comparison{
		{libpct(filepath.Join(b.bin, "lib", "libpct.so"), 250), names.ofCounts, false},
		{libpct(filepath.Join(b.bin, "lib", "libpct.so"), 1000), names.ofCounts, true},
		{perfOfUser(1000), ofPerf, false},
	}
	collectors, _, err := b.pathMethods()
	if err != nil {
		return err
	}
	for _, m := range collectors {
		if (m.name == oursName || m.name == callsName || m.name == ringName) && !m.fast && m.missing == "" {
			compared = append(compared, comparison{m.method, names.ofRuns, m.name != ringName && m.hz == usualPaths})
		}
	}
	fmt.Fprintf(b.out, "\nDistortion of the shares of functions, against perf record -F %d\n\n", reference)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\thow\tasked, Hz\tsamples\tpoints\tby chance\texcess\tchance's spread")
	budget := b.budget
	for _, p := range b.programs {
		if p.tree {
			continue
		}
		known := make(names)
		want, wantUser, got := make(shares), make(shares), make([]shares, len(compared))
		for i := range got {
			got[i] = make(shares)
		}
		b.inRounds(budget/5, func() {
			r, err := b.measure(truth, p.argv)
			if err == nil {
				err = known.ofPerf(r.dir, want, wantUser)
			}
			if err != nil {
				b.fail(p.name, truth, err)
			}
			for i, c := range compared {
				r, err := b.measure(c.method, p.argv)
				if err == nil {
					err = c.read(known, r.dir, got[i])
				}
				if err != nil {
					b.fail(p.name, c.method, err)
				}
			}
		})
		for i, c := range compared {
			truth := want
			if c.user {
				truth = wantUser
			}
			points := distance(got[i], truth)
			chance, spread := expected(got[i], truth)
			fmt.Fprintf(w, "%s\t%s\t%d\t%.0f\t%.1f\t%.1f\t%+.1f\t±%.1f\n", p.name, c.name, c.hz, got[i].total(), points, chance, points-chance, spread)
		}
	}
	return w.Flush()
}

// perfOfUser is perf record, which keeps where user code was also while the kernel
// works for it.
func perfOfUser(hz int) method {
	return method{
		name: "perf record", hz: hz, foreign: true,
		wrap: func(dir string, argv []string) ([]string, []string) {
			return append([]string{"perf", "record", "-q", "-B", "-e", "cpu-clock", "--user-regs=ip", "-F", strconv.Itoa(hz), "-o", filepath.Join(dir, "perf.data"), "--"}, argv...), nil
		},
	}
}

// distance is the sum of the differences of all shares, in points of a percent.
func distance(a, b shares) float64 {
	sum, na, nb := 0.0, a.total(), b.total()
	for name, n := range a {
		sum += math.Abs(n/na - b[name]/nb)
	}
	for name, n := range b {
		if a[name] == 0 {
			sum += n / nb
		}
	}
	return 100 * sum
}

// expected is the distance to be expected, and its standard deviation, if both were
// samples of one distribution: that of all samples together.
func expected(a, b shares) (mean, deviation float64) {
	var labels []string
	var weights []float64 // running sums
	sum := 0.0
	for _, s := range []shares{a, b} {
		for name, n := range s {
			labels = append(labels, name)
			sum += n
			weights = append(weights, sum)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n float64) shares {
		s := make(shares)
		for range int(n) {
			i, _ := slices.BinarySearch(weights, random.Float64()*sum)
			s[labels[min(i, len(labels)-1)]]++
		}
		return s
	}
	const draws = 60
	var squares float64
	for range draws {
		d := distance(draw(a.total()), draw(b.total()))
		mean += d / draws
		squares += d * d / draws
	}
	return mean, math.Sqrt(max(0, squares-mean*mean))
}
