package harness

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Quartiles of some figures: a quarter of them is below the first, half below the
// middle one, a quarter above the third.
type Quartiles struct{ First, Middle, Third float64 }

// QuartilesOf are those of values, not numbers if there are none.
func QuartilesOf(values []float64) Quartiles {
	if len(values) == 0 {
		return Quartiles{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(values))
	at := func(share float64) float64 {
		place := share * float64(len(sorted)-1)
		low := int(place)
		high := min(low+1, len(sorted)-1)
		return sorted[low] + (place-float64(low))*(sorted[high]-sorted[low])
	}
	return Quartiles{at(0.25), at(0.5), at(0.75)}
}

// Show prints the middle and the quartiles, two cells of a table.
func (q Quartiles) Show(decimals int) string {
	return fmt.Sprintf("%.*f\t%.*f..%.*f", decimals, q.Middle, decimals, q.First, decimals, q.Third)
}

// A Spread is the middle, the least and the most of some figures.
type Spread struct{ Middle, Least, Most float64 }

// SpreadOf is the spread of a figure of some runs, zeros if there are none.
func SpreadOf[T any](runs []T, figure func(T) float64) Spread {
	if len(runs) == 0 {
		return Spread{}
	}
	var figures []float64
	for _, r := range runs {
		figures = append(figures, figure(r))
	}
	return Spread{Middle(figures, cmp.Compare), slices.Min(figures), slices.Max(figures)}
}

// Middle returns the upper of the middle values.
func Middle[T any](values []T, compare func(a, b T) int) T {
	return slices.SortedFunc(slices.Values(values), compare)[len(values)/2]
}
