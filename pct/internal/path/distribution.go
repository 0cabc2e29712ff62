package path

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Distribution is of values that are numbers. The zero value is of none.
type Distribution struct {
	Quantities []Quantity // each once, the least first
	Numbers    int        // samples of which they are
	Gone       int        // samples whose value the program did not keep

	Min, Median, Mean, High, Max float64 // High is the least that 99% of the values don't exceed

	// Tailed is set where the mean says little: it is farther from the median than half of the values are
	// from each other. It is not of a few different ones.
	Tailed bool
	// Modes are the two numbers about which the values lie if they do, with a gap between.
	Modes []float64
}

// Quantity is a number and how many samples have it.
type Quantity struct {
	Number  float64
	Samples int
}

// distribution is that of values; false if some are no numbers that can be added.
func distribution(values []Frequency) (d Distribution, numeric bool) {
	sum := 0.0
	for _, f := range values {
		n, ok := parseNumber(f.Value)
		switch {
		case strings.HasPrefix(f.Value, "<"): // <optimized out>
			d.Gone += f.Samples
			continue
		case !ok || !quantity(f.Value):
			return Distribution{}, false
		}
		d.Quantities = append(d.Quantities, Quantity{n.float, f.Samples})
		d.Numbers += f.Samples
		sum += n.float * float64(f.Samples)
	}
	if d.Numbers == 0 {
		return Distribution{}, false
	}
	slices.SortFunc(d.Quantities, func(a, b Quantity) int { return cmp.Compare(a.Number, b.Number) })
	d.Min, d.Max = d.Quantities[0].Number, d.Quantities[len(d.Quantities)-1].Number
	d.Mean, d.Median, d.High = sum/float64(d.Numbers), d.Quantile(0.5), d.Quantile(0.99)
	d.Tailed = len(d.Quantities) > fewDifferent && math.Abs(d.Mean-d.Median) > d.Quantile(0.75)-d.Quantile(0.25)
	d.Modes = d.modes()
	return d, true
}

// Quantile returns the least number that this part of the values does not exceed.
func (d *Distribution) Quantile(q float64) float64 {
	rank := max(1, int(math.Ceil(q*float64(d.Numbers)-1e-9)))
	for _, x := range d.Quantities {
		if rank -= x.Samples; rank <= 0 {
			return x.Number
		}
	}
	return d.Max
}

// Correlation is Pearson's coefficient of the medians of columns and the costs of a call on their paths, of those paths
// on which two samples or more saw a call; false for fewer than three of them, or if one of both is constant.
func Correlation(columns []Column) (r float64, paths int, ok bool) {
	var n, mx, my, sxx, syy, sxy float64
	for _, c := range columns {
		if !c.Numeric || c.Cost.Long == 0 {
			continue
		}
		// Running means, exact where the values are large and near each other.
		n++
		dx, dy := c.Median-mx, c.Cost.Mean-my
		mx, my = mx+dx/n, my+dy/n
		sxx += dx * (c.Median - mx)
		syy += dy * (c.Cost.Mean - my)
		sxy += dx * (c.Cost.Mean - my)
	}
	if n < 3 || sxx == 0 || syy == 0 {
		return 0, int(n), false
	}
	return sxy / math.Sqrt(sxx*syy), int(n), true
}

const (
	mostBins   = 20
	fewestBins = 3
	perBin     = 3 // different numbers in a bin, about: of whole numbers, bins do not differ by much
	notable    = 0.1

	fewDifferent = 10
)

// modes looks for two heaps of values, each of a notable part of them, with a valley between that is less than
// half as high as the lower one, and not by chance. Bins grow by a factor where the numbers span several orders
// of magnitude.
func (d *Distribution) modes() []float64 {
	low, high := d.Quantile(0.01), d.High
	bins := min(mostBins, len(d.Quantities)/perBin)
	if bins < fewestBins || low == high {
		return nil
	}
	scale := func(x float64) float64 { return x }
	if low > 0 && high/low > 100 {
		scale = math.Log
	}
	counts, sums := make([]float64, bins), make([]float64, bins)
	for _, x := range d.Quantities {
		n := math.Max(low, math.Min(x.Number, high))
		at := min(bins-1, int(float64(bins)*(scale(n)-scale(low))/(scale(high)-scale(low))))
		counts[at] += float64(x.Samples)
		sums[at] += float64(x.Samples) * n
	}
	for valley := 1; valley < bins-1; valley++ {
		left, right := highest(counts[:valley]), valley+1+highest(counts[valley+1:])
		lower := min(counts[left], counts[right])
		if counts[valley] < lower/2 && lower-counts[valley] > 3*math.Sqrt(lower+counts[valley]) &&
			total(counts[:valley]) > notable*float64(d.Numbers) && total(counts[valley+1:]) > notable*float64(d.Numbers) {
			return []float64{sums[left] / counts[left], sums[right] / counts[right]}
		}
	}
	return nil
}

func highest(counts []float64) (at int) {
	for i, n := range counts {
		if n > counts[at] {
			at = i
		}
	}
	return at
}

func total(counts []float64) (sum float64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}
