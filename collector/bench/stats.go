package main

import (
	"fmt"
	"math"
	"slices"
)

// quartiles of some figures: a quarter of them is below the first, half below the
// middle one, a quarter above the third.
type quartiles struct{ first, middle, third float64 }

func quartilesOf(values []float64) quartiles {
	if len(values) == 0 {
		return quartiles{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(values))
	at := func(share float64) float64 {
		place := share * float64(len(sorted)-1)
		low := int(place)
		high := min(low+1, len(sorted)-1)
		return sorted[low] + (place-float64(low))*(sorted[high]-sorted[low])
	}
	return quartiles{at(0.25), at(0.5), at(0.75)}
}

// show prints the middle and the quartiles.
func (q quartiles) show(decimals int) string {
	return fmt.Sprintf("%.*f\t%.*f..%.*f", decimals, q.middle, decimals, q.first, decimals, q.third)
}
