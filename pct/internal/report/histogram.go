package report

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/pct/internal/path"
)

const (
	widestBar = 40
	longGap   = 6 // rows without values, of which more are one
)

// histogram writes what the filter int-hist writes: how many numbers are in steps of 1, 2, 5, 10, 20, 50 … A row counts
// those between two edges, including the edge nearer to zero.
func histogram(out *bufio.Writer, numbers []path.Quantity) {
	below, above := map[int]int{}, map[int]int{} // by step, of negative and of positive numbers
	zeros, all := 0, 0
	for _, q := range numbers {
		all += q.Samples
		switch {
		case q.Number < 0:
			below[step(-q.Number)] += q.Samples
		case q.Number > 0:
			above[step(q.Number)] += q.Samples
		default:
			zeros += q.Samples
		}
	}
	most := zeros
	for _, counts := range []map[int]int{below, above} {
		for _, n := range counts {
			most = max(most, n)
		}
	}
	row := func(from, to float64, n int) {
		bar := strings.Repeat("#", int(widestBar*float64(n)/float64(most)+0.5))
		if n > 0 && bar == "" {
			bar = "."
		}
		text := fmt.Sprintf("%12s %12s %8d  %5.1f%%  %s", rounded(from), rounded(to), n, percent(n, all), bar)
		fmt.Fprintln(out, strings.TrimRight(text, " "))
	}
	rows := func(counts map[int]int, sign float64, row func(step, n int)) {
		if len(counts) == 0 {
			return
		}
		low, high := math.MaxInt, math.MinInt
		for s := range counts {
			low, high = min(low, s), max(high, s)
		}
		none := 0
		for i := range high - low + 1 {
			s := low + i
			if sign < 0 {
				s = high - i
			}
			n, ok := counts[s]
			if !ok {
				none++
				continue
			}
			if none > longGap {
				fmt.Fprintf(out, "%12s %12s %8s\n", "...", "...", "0")
				none = 0
			}
			for ; none > 0; none-- {
				row(s-none*int(sign), 0)
			}
			row(s, n)
		}
	}
	fmt.Fprintf(out, "%12s %12s %8s  %6s\n", "from", "to", "count", "%")
	rows(below, -1, func(s, n int) { row(-edge(s+1), -edge(s), n) })
	if zeros > 0 {
		row(0, 0, zeros)
	}
	rows(above, 1, func(s, n int) { row(edge(s), edge(s+1), n) })
}

// edge is where a step begins: 3k is 10^k, 3k+1 is 2·10^k, 3k+2 is 5·10^k.
func edge(step int) float64 {
	k := int(math.Floor(float64(step) / 3))
	x, err := strconv.ParseFloat(fmt.Sprintf("%de%d", []int{1, 2, 5}[step-3*k], k), 64)
	if err != nil { // beyond the range
		return math.Inf(1)
	}
	return x
}

// step is the number of the step that a number above 0 is in.
func step(x float64) int {
	s := 3 * int(math.Floor(math.Log10(x)))
	for edge(s) > x {
		s--
	}
	for edge(s+1) <= x {
		s++
	}
	return s
}

func rounded(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }
