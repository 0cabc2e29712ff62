package main

import (
	"cmp"
	"slices"
)

// spread is the middle, the least and the most of some figures.
type spread struct{ mid, least, most float64 }

func summary[T any](runs []T, figure func(T) float64) spread {
	if len(runs) == 0 {
		return spread{}
	}
	var figures []float64
	for _, r := range runs {
		figures = append(figures, figure(r))
	}
	return spread{middle(figures), slices.Min(figures), slices.Max(figures)}
}

// middle returns the upper of the middle values.
func middle[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
