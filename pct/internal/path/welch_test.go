package path

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestStudent compares with the tables of Student's distribution.
func TestStudent(t *testing.T) {
	for _, tt := range []struct{ t, freedom, want float64 }{
		{12.7062, 1, 0.05},
		{4.30265, 2, 0.05},
		{2.77645, 4, 0.05},
		{2.22814, 10, 0.05},
		{3.16927, 10, 0.01},
		{1.95996, 1e7, 0.05},
		{0.67449, 1e7, 0.5},
		{636.619, 1, 0.001},
		{0, 3, 1},
		{1, 1, 0.5},
	} {
		if got := twoSided(tt.t, tt.freedom); math.Abs(got-tt.want) > 1e-5*max(1, tt.want) {
			t.Errorf("t %v with %v degrees of freedom: %v, want %v", tt.t, tt.freedom, got, tt.want)
		}
	}
}

// TestWelch is worked by hand.
func TestWelch(t *testing.T) {
	w := welch([]float64{1, 2, 3}, []float64{4, 6})
	// Variances of the means: 1/3 and 1; t = 3 / sqrt(4/3); df = (16/9) / (1/18 + 1).
	for _, x := range [][2]float64{{w.meanA, 2}, {w.meanB, 5}, {w.t, 3 / math.Sqrt(4.0/3)}, {w.Freedom, 16.0 / 9 / (1.0/18 + 1)}, {w.errorB, 1}} {
		if math.Abs(x[0]-x[1]) > 1e-12 {
			t.Errorf("%v, want %v", x[0], x[1])
		}
	}
	for _, same := range []Welch{welch([]float64{1, 2}, []float64{2, 1}), welch([]float64{1}, []float64{5, 6}), welch(nil, nil)} {
		if same.P != 1 {
			t.Errorf("%+v", same)
		}
	}
	if w := welch([]float64{1, 1}, []float64{2, 2}); w.P != 0 || !math.IsInf(w.t, 1) {
		t.Errorf("%+v", w)
	}
}

// repeated makes runs of a program one of whose functions has about a share of the
// samples: it varies by spread from run to run, and by sampling.
func repeated(r *rand.Rand, runs int, share, spread float64, samples int) (part, whole []uint64) {
	for range runs {
		p := share + spread*r.NormFloat64()
		n := uint64(0)
		for range samples {
			if r.Float64() < p {
				n++
			}
		}
		part, whole = append(part, n), append(whole, uint64(samples))
	}
	return part, whole
}

// judgedRuns compares two sets of runs by their shares, as Compare does.
func judgedRuns(partA, wholeA, partB, wholeB []uint64) Change {
	sum := func(all []uint64) Side {
		var n uint64
		for _, x := range all {
			n += x
		}
		return Side{int(n), n}
	}
	whole := Change{A: sum(wholeA), B: sum(wholeB), runsA: wholeA, runsB: wholeB}
	c := Change{A: sum(partA), B: sum(partB), runsA: partA, runsB: partB}
	c.compare(&whole, false, true)
	return c
}

// TestRepeatedChance: where runs vary by more than sampling, about one in twenty of what
// did not change is called distinguishable, and no more where they don't; the binomial
// test by itself would call many more so.
func TestRepeatedChance(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	const rounds, samples = 3000, 400
	for _, tt := range []struct {
		runsA, runsB int
		spread       float64
		least, most  float64
	}{
		{5, 5, 0.08, 0.035, 0.06},
		{3, 3, 0.08, 0.02, 0.06},
		{2, 8, 0.08, 0.02, 0.11}, // of which Welch's degrees of freedom are an approximation
		{5, 5, 0, 0.005, 0.05},
		{2, 2, 0, 0.001, 0.05},
	} {
		found, binomial := 0, 0
		for range rounds {
			partA, wholeA := repeated(r, tt.runsA, 0.4, tt.spread, samples)
			partB, wholeB := repeated(r, tt.runsB, 0.4, tt.spread, samples)
			c := judgedRuns(partA, wholeA, partB, wholeB)
			if c.Distinguishable {
				found++
			}
			if c.Deviations > deviations {
				binomial++
			}
		}
		part, alone := float64(found)/rounds, float64(binomial)/rounds
		t.Logf("%d and %d runs, spread %v: %.1f%%; binomial alone %.1f%%", tt.runsA, tt.runsB, tt.spread, 100*part, 100*alone)
		if part < tt.least || part > tt.most {
			t.Errorf("%d and %d runs, spread %v: %.1f%% of what did not change is distinguishable", tt.runsA, tt.runsB, tt.spread, 100*part)
		}
		if tt.spread > 0 && alone < 0.3 {
			t.Errorf("the binomial test alone finds %.1f%%", 100*alone)
		}
	}
}

// TestRepeatedPower: a real change is found.
func TestRepeatedPower(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	const rounds, samples = 500, 400
	found := 0
	for range rounds {
		partA, wholeA := repeated(r, 5, 0.4, 0.03, samples)
		partB, wholeB := repeated(r, 5, 0.55, 0.03, samples)
		if c := judgedRuns(partA, wholeA, partB, wholeB); c.Distinguishable && c.Difference() > 0 {
			found++
		}
	}
	if found < rounds*95/100 {
		t.Errorf("%d of %d found", found, rounds)
	}
}

// poisson draws a number of samples.
func poisson(r *rand.Rand, mean float64) int {
	n, at := 0, r.ExpFloat64()
	for ; at < mean; at += r.ExpFloat64() {
		n++
	}
	return n
}

// TestTimes: of times that did not change one in twenty-two is distinguishable, and no more where
// there are few samples; one that doubled is found.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	const rounds = 4000
	for _, tt := range []struct{ a, b, least, most float64 }{
		{200, 200, 0.03, 0.06}, {20, 20, 0.02, 0.06}, {2, 2, 0, 0.05}, {200, 400, 0.999, 1}, {20, 60, 0.95, 1},
	} {
		found := 0
		for range rounds {
			a, b := poisson(r, tt.a), poisson(r, tt.b)
			c := Change{A: Side{a, uint64(a) * 10000}, B: Side{b, uint64(b) * 10000}}
			c.judgeTimes()
			if c.Distinguishable {
				found++
			}
		}
		if part := float64(found) / rounds; part < tt.least || part > tt.most {
			t.Errorf("%v and %v samples: %.1f%% distinguishable", tt.a, tt.b, 100*part)
		}
	}
}
