package bench

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// reference is the rate of the runs of perf record that say what is true.
const reference = 4999

// comparison is a method whose shares of functions are compared.
type comparison struct {
	method
	read reader
}

// distorts reports whether the shares of a program's functions are asked for.
func (b *bench) distorts(p program) bool { return !p.tree && b.Match.MatchString("distortion/"+p.name) }

// distortions measures by how much the shares of functions differ from those that
// pooled runs of perf record at a high rate give: the sum of all differences, in
// points of a percent, less what chance alone would make of that number of samples.
func (b *bench) distortions() error {
	programs := slices.DeleteFunc(slices.Clone(b.programs), func(p program) bool { return !b.distorts(p) })
	if len(programs) == 0 {
		return nil
	}
	truth := perfOfUser(reference)
	compared := []comparison{
		{libpct(filepath.Join(b.Bin, "lib", "libpct.so"), 250), names.ofCounts},
		{libpct(filepath.Join(b.Bin, "lib", "libpct.so"), 1000), names.ofCounts},
		{perfOfUser(1000), names.ofPerf},
	}
	collectors, _, err := b.pathMethods()
	if err != nil {
		return err
	}
	for _, m := range collectors {
		if (m.name == oursName || m.name == callsName || m.name == ringName) && !m.fast && m.missing == "" {
			compared = append(compared, comparison{m.method, names.ofRuns})
		}
	}
	fmt.Fprintf(b.Out, "\nDistortion of the shares of functions, against perf record -F %d\n\n", reference)
	w := b.Table()
	fmt.Fprintln(w, "program\thow\tasked, Hz\tsamples\tpoints\tby chance\texcess\tchance's spread\tmost")
	for _, p := range programs {
		known := make(names)
		want, got := make(shares), make([]shares, len(compared))
		for i := range got {
			got[i] = make(shares)
		}
		b.InRounds(b.budget/time.Duration(len(programs)), func() {
			r, err := b.measure(truth, p.argv)
			if err == nil {
				err = known.ofPerf(r.dir, everyProcess, want)
			}
			if err != nil {
				b.fail(p.name, truth, err)
			}
			for i, c := range compared {
				r, err := b.measure(c.method, p.argv)
				if err == nil {
					err = c.read(known, r.dir, everyProcess, got[i])
				}
				if err != nil {
					b.fail(p.name, c.method, err)
				}
			}
		})
		for i, c := range compared {
			points := distance(got[i], want)
			chance, spread := expected(got[i], want)
			fmt.Fprintf(w, "%s\t%s\t%d\t%.0f\t%.1f\t%.1f\t%+.1f\t±%.1f\t%s\n", p.name, c.name, c.hz, got[i].total(), points, chance, points-chance, spread, farthest(got[i], want))
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

// farthest tells which function's share differs most, by how many points, and how many standard
// errors that is: if all is chance, seldom more than three.
func farthest(a, b shares) string {
	na, nb := a.total(), b.total()
	all := slices.Collect(maps.Keys(b))
	for name := range a {
		if b[name] == 0 {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	worst, most, errors := "", 0.0, 0.0
	for _, name := range all {
		p := (a[name] + b[name]) / (na + nb)
		e := math.Sqrt(p * (1 - p) * (1/na + 1/nb))
		if d := a[name]/na - b[name]/nb; math.Abs(d) > math.Abs(most) {
			worst, most, errors = filepath.Base(name), d, d/e
		}
	}
	return fmt.Sprintf("%s %+.1f (%+.1f errors)", worst, 100*most, errors)
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
