package path

import (
	"math"
	"testing"
)

func TestCorrelation(t *testing.T) {
	columns := func(pairs ...[2]float64) (all []Column) {
		for _, p := range pairs {
			all = append(all, Column{Numeric: true, Distribution: Distribution{Median: p[0]}, Cost: Cost{Long: 1, Mean: p[1]}})
		}
		return append(all, Column{Cost: Cost{Long: 1, Mean: 1e9}}, Column{Numeric: true, Distribution: Distribution{Median: 1e9}, Cost: Cost{Calls: 3}})
	}
	for _, c := range []struct {
		columns []Column
		r       float64
		ok      bool
	}{
		{columns([2]float64{1, 10}, [2]float64{2, 20}, [2]float64{3, 30}), 1, true},
		{columns([2]float64{1e9 + 1, 3}, [2]float64{1e9 + 2, 2}, [2]float64{1e9 + 3, 1}), -1, true},
		{columns([2]float64{1, 10}, [2]float64{2, 21}, [2]float64{3, 29}, [2]float64{4, 41}), 0.997, true}, // as filter corr has it
		{columns([2]float64{1, 10}, [2]float64{2, 20}), 0, false},
		{columns([2]float64{1, 10}, [2]float64{1, 20}, [2]float64{1, 30}), 0, false},
		{nil, 0, false},
	} {
		if r, _, ok := Correlation(c.columns); ok != c.ok || math.Abs(r-c.r) > 0.001 {
			t.Errorf("%v: %g, %v, want %g, %v", c.columns, r, ok, c.r, c.ok)
		}
	}
}
