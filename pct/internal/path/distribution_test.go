package path

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A mean is not told where it says little, and is where it says something.
func TestDistribution(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name          string
		draw          func() float64
		tailed, heaps bool
	}{
		{"normal", func() float64 { return 100 + 10*random.NormFloat64() }, false, false},
		{"uniform", func() float64 { return random.Float64() }, false, false},
		{"whole numbers", func() float64 { return float64(random.IntN(30)) }, false, false},
		{"few whole numbers", func() float64 { return float64(10 * random.IntN(4)) }, false, false},
		{"exponential", func() float64 { return random.ExpFloat64() }, false, false},
		{"log-normal", func() float64 { return math.Exp(3 * random.NormFloat64()) }, true, false},
		{"Pareto", func() float64 { return 1 / random.Float64() }, true, false},
		{"a few giants", func() float64 {
			if random.IntN(100) == 0 {
				return 1e6
			}
			return float64(random.IntN(10))
		}, true, false},
		{"two heaps", func() float64 { return float64(100*random.IntN(2)) + 10*random.NormFloat64() }, false, true},
		{"two heaps, far apart", func() float64 { return math.Exp(float64(8*random.IntN(2)) + random.NormFloat64()) }, false, true},
		{"one heap of many, one of few", func() float64 {
			if random.IntN(5) == 0 {
				return 500 + float64(random.IntN(20))
			}
			return 10 + float64(random.IntN(20))
		}, true, true},
	} {
		counts := map[string]int{}
		for range 3000 {
			counts[fmt.Sprint(c.draw())]++
		}
		var all []Frequency
		for value, n := range counts {
			all = append(all, Frequency{Value: value, Samples: n})
		}
		d, ok := distribution(all)
		if !ok || d.Tailed != c.tailed || (len(d.Modes) == 2) != c.heaps {
			t.Errorf("%s: %v, tailed %v, modes %.4g, median %g, mean %g", c.name, ok, d.Tailed, d.Modes, d.Median, d.Mean)
		}
	}
}

func TestQuantile(t *testing.T) {
	d, ok := distribution([]Frequency{{"3", 98, 0}, {"-1", 1, 0}, {"<optimized out>", 7, 0}, {"10", 1, 0}})
	if !ok || d.Numbers != 100 || d.Gone != 7 {
		t.Fatalf("%+v", d)
	}
	for q, want := range map[float64]float64{0: -1, 0.01: -1, 0.011: 3, 0.5: 3, 0.99: 3, 0.991: 10, 1: 10} {
		if got := d.Quantile(q); got != want {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
	for _, values := range [][]Frequency{nil, {{"<optimized out>", 1, 0}}, {{"1", 1, 0}, {"x", 1, 0}}, {{"65 'A'", 1, 0}}, {{"0x10", 1, 0}}} {
		if d, ok := distribution(values); ok {
			t.Errorf("%v: %+v", values, d)
		}
	}
}
