package path

import (
	"math"
	"math/rand/v2"
	"testing"
)

// judged compares a of A samples with b of B.
func judged(a, b, totalA, totalB int) Change {
	side := func(n int) Side { return Side{n, uint64(n) * 10000} }
	c := Change{A: side(a), B: side(b)}
	c.judge(side(totalA), side(totalB))
	return c
}

// TestPaperRule: for equal totals and small shares the test is the paper's,
// |n1-n2| > 2√(n1+n2).
func TestPaperRule(t *testing.T) {
	const total = 1_000_000_000
	compared := 0
	for a := range 120 {
		for b := range 120 {
			difference, sum := float64(a-b), float64(a+b)
			if sum < 2*fewSamples || difference*difference == 4*sum {
				continue // few samples, and the border itself
			}
			compared++
			if got, want := judged(a, b, total, total).Distinguishable, math.Abs(difference) > 2*math.Sqrt(sum); got != want {
				t.Errorf("%d and %d of %d: %v, want %v", a, b, total, got, want)
			}
		}
	}
	if compared < 14000 {
		t.Errorf("only %d pairs compared", compared)
	}
}

func TestDistinguishable(t *testing.T) {
	for _, tt := range []struct {
		a, b, totalA, totalB int
		want                 bool
		deviations           float64
	}{
		{81, 81, 810, 810, false, 0},
		{81, 162, 810, 1620, false, 0},
		{81, 120, 810, 810, true, 2.939}, // pooled 12.4 %: 4.81 % against 1.64 %
		{300, 700, 1000, 2000, true, 2.739},
		{810, 800, 810, 810, true, 3.172},
		{100, 100, 100, 100, false, 0},

		// Few samples: by chance 5 of 5 are on one side once in 16.
		{5, 0, 1000, 1000, false, 2.239},
		{6, 0, 1000, 1000, true, 2.453},
		{0, 6, 1000, 1000, true, 2.453},
		{100, 95, 100, 100, false, 2.265},
		{100, 94, 100, 100, true, 2.488},

		// One sample in the smaller total is there by chance once in eleven times; five
		// are not.
		{0, 1, 1000, 100, false, 3.164},
		{1, 0, 100, 1000, false, 3.164},
		{0, 5, 10000, 100, true, 22.366},
		{5, 0, 100, 10000, true, 22.366},
	} {
		c := judged(tt.a, tt.b, tt.totalA, tt.totalB)
		if c.Distinguishable != tt.want || math.Abs(c.Deviations-tt.deviations) > 0.001 {
			t.Errorf("%d of %d and %d of %d: %v, %.3f deviations; want %v, %.3f", tt.a, tt.totalA, tt.b, tt.totalB,
				c.Distinguishable, c.Deviations, tt.want, tt.deviations)
		}
	}
}

// draw samples a program's functions.
func draw(r *rand.Rand, shares []float64, total int) []int {
	counts := make([]int, len(shares))
	for range total {
		x := r.Float64()
		for i, share := range shares {
			if x -= share; x < 0 || i == len(shares)-1 {
				counts[i]++
				break
			}
		}
	}
	return counts
}

// TestChance: of functions that did not change no more are called distinguishable
// than chance makes of two standard deviations, whatever the totals.
func TestChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shares := make([]float64, 100)
	sum := 0.0
	for i := range shares {
		shares[i] = 1 / float64(i+1)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	for _, totals := range [][2]int{{300, 300}, {1000, 1000}, {3000, 3000}, {5000, 200}, {200, 5000}} {
		const rounds = 100
		found, possible := 0, 0
		for range rounds {
			a, b := draw(r, shares, totals[0]), draw(r, shares, totals[1])
			for i := range shares {
				if a[i]+b[i] == 0 {
					continue
				}
				possible++
				if judged(a[i], b[i], totals[0], totals[1]).Distinguishable {
					found++
				}
			}
		}
		part := float64(found) / float64(possible)
		t.Logf("totals %v: %d of %d (%.1f%%)", totals, found, possible, 100*part)
		if part > 0.05 || found == 0 {
			t.Errorf("totals %v: %.1f%% of what did not change is distinguishable", totals, 100*part)
		}
	}
}

// TestDoubled: a function that takes twice its time is found, and the others, which
// have less of the total, fall with it.
func TestDoubled(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	before := []float64{0.1, 0.9}
	after := []float64{0.2 / 1.1, 0.9 / 1.1}
	for range 200 {
		const total = 2000
		a, b := draw(r, before, total), draw(r, after, total)
		for i := range a {
			c := judged(a[i], b[i], total, total)
			if up := c.Difference() > 0; !c.Distinguishable || up != (i == 0) {
				t.Errorf("%d and %d of %d are not distinguishable", a[i], b[i], total)
			}
		}
	}
}
