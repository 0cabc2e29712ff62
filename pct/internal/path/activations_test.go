package path

import (
	"math"
	"math/rand/v2"
	"testing"
)

// seen samples activations of a length, at a random phase of a clock of period 1.
func seen(random *rand.Rand, calls int, length func() float64) (c cost, mean float64) {
	var hits uint64
	var samples float64
	for range calls {
		d := length()
		mean += d / float64(calls)
		phase := random.Float64()
		if n := math.Floor(phase + d); n > 0 {
			hits++
			samples += n
		}
	}
	c.add(hits, samples, 1)
	return c, mean
}

// Of calls longer than a period the estimate is the mean within its error, and of shorter ones
// it is a bound.
func TestCostOfCalls(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	even := func(low, high float64) func() float64 {
		return func() float64 { return low + (high-low)*random.Float64() }
	}
	outside := 0
	for _, tt := range []struct {
		name   string
		length func() float64
		short  bool
	}{
		{"long", even(100, 300), false},
		{"a few periods", even(2.5, 5), false},
		{"just a few", even(3, 3), false},
		{"short", even(0.001, 0.01), true},
		{"around a period", even(0.5, 1.5), true},
		{"a period", even(1, 1), true},
	} {
		for _, calls := range []int{1, 2, 7, 100, 10000} {
			for range 100 {
				c, mean := seen(random, calls, tt.length)
				var row ActivationRow
				c.estimate(&row)
				switch off := math.Abs(row.Cost - mean); {
				case row.Calls != c.calls:
					t.Fatalf("%s: %d calls of %d", tt.name, row.Calls, c.calls)
				case c.calls == 0:
				case row.Short != tt.short && (row.Short || calls >= 100): // of a few, all may be longer than they are on average
					t.Fatalf("%d calls, %s: %+v", calls, tt.name, row)
				case row.Short && (row.Cost < mean || row.Error != 0):
					t.Fatalf("%d calls, %s: the mean %g is above the bound %g", calls, tt.name, mean, row.Cost)
				case !row.Short && off > 4*row.Error:
					t.Fatalf("%d calls, %s: %g ± %g, but the mean is %g", calls, tt.name, row.Cost, row.Error, mean)
				case !row.Short && off > row.Error:
					outside++
				}
			}
		}
	}
	// The error is that of the worst phase, so that fewer are outside than of a normal deviation.
	if outside > 1500/3 {
		t.Errorf("%d of 1500 estimates are off by more than their error", outside)
	}
}

func TestUnknownCost(t *testing.T) {
	for _, c := range []cost{{}, {calls: 3}, {weight: 5}} {
		var row ActivationRow
		if c.estimate(&row); row.Calls != 0 || row.Cost != 0 || row.Error != 0 || row.Short {
			t.Errorf("%+v: %+v", c, row)
		}
	}
}
