package table

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Print prints all tables by name, each with the greatest sums and counts first.
func (ts *Tables) Print(w io.Writer) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, name := range ts.names() {
		rows := ts.list[name]
		keys := sortedKeys(rows)
		switch name.Kind {
		case Hist:
			for _, key := range keys {
				rows[key].histogram(w, name.Text, key)
			}
		case Count:
			printCounts(w, name.Text, keys, rows)
		case Sum:
			fmt.Fprintf(w, "%12s  %s\n", "total", name.Text)
			for _, key := range keys {
				if r := rows[key]; !r.zero() {
					fmt.Fprintf(w, "%12s  %s\n", figure(r.total), key)
				}
			}
		}
	}
}

func printCounts(w io.Writer, name string, keys []string, rows map[string]*row) {
	numbers := slices.ContainsFunc(keys, func(key string) bool { return rows[key].numbers > 0 })
	if numbers {
		fmt.Fprintf(w, "%10s %12s %12s %12s %12s  %s\n", "count", "total", "mean", "least", "most", name)
	} else {
		fmt.Fprintf(w, "%10s  %s\n", "count", name)
	}
	for _, key := range keys {
		r := rows[key]
		fmt.Fprintf(w, "%10d", r.count)
		switch {
		case r.numbers > 0:
			fmt.Fprintf(w, " %12s %12.6g %12s %12s", figure(r.total), r.mean(), figure(r.least), figure(r.most))
		case numbers:
			fmt.Fprintf(w, "%52s", "")
		}
		fmt.Fprintf(w, "  %s\n", key)
	}
}

func (r *row) mean() float64 { return r.total / float64(r.numbers) }

// figure is a number with all digits if it is whole, else with six.
func figure(v float64) string {
	const exact = 1 << 53
	if v == math.Trunc(v) && math.Abs(v) < exact {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// names are all tables in their order.
func (ts *Tables) names() []Name {
	return slices.SortedFunc(maps.Keys(ts.list), func(a, b Name) int {
		return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Kind, b.Kind))
	})
}

func sortedKeys(rows map[string]*row) []string {
	return slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(rows[b].total, rows[a].total), cmp.Compare(rows[b].count, rows[a].count), cmp.Compare(a, b))
	})
}

// histogram prints quantiles, and how many numbers lie from each power of 2 to the next.
func (r *row) histogram(w io.Writer, name, key string) {
	if r.numbers == 0 {
		return
	}
	quantile := func(share float64) string {
		v, known := r.quantile(share)
		if !known {
			return "<= 0"
		}
		return figure(v)
	}
	fmt.Fprintf(w, "%s %s: %d, mean %.6g, median %s, 90 %% %s, 99 %% %s, from %s to %s\n",
		name, key, r.count, r.mean(), quantile(0.5), quantile(0.9), quantile(0.99), figure(r.least), figure(r.most))
	counts, notAbove := r.powers()
	highest := slices.Max(append(slices.Collect(maps.Values(counts)), notAbove))
	const width = 40
	line := func(from string, n uint64) {
		bar := strings.Repeat("@", int(math.Ceil(width*float64(n)/float64(max(1, highest)))))
		fmt.Fprintf(w, "%12s %10d |%-*s|\n", from, n, width, bar)
	}
	if notAbove > 0 {
		line("<= 0", notAbove)
	}
	if len(counts) == 0 {
		return
	}
	powers := slices.Sorted(maps.Keys(counts))
	for p := powers[0]; p <= powers[len(powers)-1]; p++ {
		line(figure(math.Ldexp(1, p)), counts[p])
	}
}
