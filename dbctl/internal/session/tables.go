package session

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// tables are what a script counts in, of all processes of the run; any goroutine may. They are printed
// at the end of the run.
type tables struct {
	mu   sync.Mutex
	list map[tableName]map[string]*row // by key
}

// tableName is a table of COUNT, or of HIST.
type tableName struct {
	name string
	hist bool
}

// row is what was counted for a key.
type row struct {
	count      uint64
	numbers    uint64 // of the calls, those that gave one
	total      float64
	least      float64
	most       float64
	magnitudes map[int]uint64 // how many numbers lie from this power of 2 to the next
}

const (
	mostKeys  = 10000       // of a table
	otherKeys = "(others)"  // what others are counted for
	below     = math.MinInt // the magnitude of what is not above 0
)

// add counts for a key; number may be "", but for HIST.
func (ts *tables) add(name tableName, key, number string) error {
	v, given := 0.0, number != "" || name.hist
	if given {
		var err error
		word, _, _ := strings.Cut(number, " ") // as a debugger shows characters
		if v, err = strconv.ParseFloat(word, 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q is not a number", number)
		}
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.list == nil {
		ts.list = make(map[tableName]map[string]*row)
	}
	if ts.list[name] == nil {
		ts.list[name] = make(map[string]*row)
	}
	rows := ts.list[name]
	r := rows[key]
	if r == nil && len(rows) >= mostKeys {
		key = otherKeys
		r = rows[key]
	}
	if r == nil {
		r = &row{magnitudes: make(map[int]uint64)}
		rows[key] = r
	}
	r.count++
	if !given {
		return nil
	}
	if r.numbers == 0 || v < r.least {
		r.least = v
	}
	if r.numbers == 0 || v > r.most {
		r.most = v
	}
	r.numbers++
	r.total += v
	magnitude := below
	if v > 0 {
		_, e := math.Frexp(v)
		magnitude = e - 1
	}
	r.magnitudes[magnitude]++
	return nil
}

// print prints all of them.
func (ts *tables) print(w io.Writer) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, name := range slices.SortedFunc(maps.Keys(ts.list), tableName.compare) {
		rows := ts.list[name]
		keys := slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
			return cmp.Or(cmp.Compare(rows[b].total, rows[a].total), cmp.Compare(rows[b].count, rows[a].count), cmp.Compare(a, b))
		})
		if name.hist {
			for _, key := range keys {
				rows[key].histogram(w, name.name, key)
			}
			continue
		}
		numbers := slices.ContainsFunc(keys, func(key string) bool { return rows[key].numbers > 0 })
		if numbers {
			fmt.Fprintf(w, "%10s %12s %12s %12s %12s  %s\n", "count", "total", "mean", "least", "most", name.name)
		} else {
			fmt.Fprintf(w, "%10s  %s\n", "count", name.name)
		}
		for _, key := range keys {
			r := rows[key]
			fmt.Fprintf(w, "%10d", r.count)
			switch {
			case r.numbers > 0:
				fmt.Fprintf(w, " %12.6g %12.6g %12.6g %12.6g", r.total, r.total/float64(r.numbers), r.least, r.most)
			case numbers:
				fmt.Fprintf(w, "%52s", "")
			}
			fmt.Fprintf(w, "  %s\n", key)
		}
	}
}

// compare orders by name.
func (n tableName) compare(m tableName) int {
	switch {
	case n.name != m.name:
		return cmp.Compare(n.name, m.name)
	case n.hist == m.hist:
		return 0
	case n.hist:
		return -1
	}
	return 1
}

// histogram prints how many numbers are of which magnitude.
func (r *row) histogram(w io.Writer, name, key string) {
	fmt.Fprintf(w, "%s %s: %d, mean %.6g, from %.6g to %.6g\n", name, key, r.count, r.total/float64(r.numbers), r.least, r.most)
	magnitudes := slices.Sorted(maps.Keys(r.magnitudes))
	highest := slices.Max(slices.Collect(maps.Values(r.magnitudes)))
	const width = 40
	line := func(from string, n uint64) {
		bar := strings.Repeat("@", int((n*width+highest-1)/highest))
		fmt.Fprintf(w, "%12s %10d |%-*s|\n", from, n, width, bar)
	}
	if magnitudes[0] == below {
		line("<= 0", r.magnitudes[below])
		magnitudes = magnitudes[1:]
	}
	if len(magnitudes) == 0 {
		return
	}
	for m := magnitudes[0]; m <= magnitudes[len(magnitudes)-1]; m++ {
		line(fmt.Sprintf("%.6g", math.Ldexp(1, m)), r.magnitudes[m])
	}
}
