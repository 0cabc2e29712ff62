// Package table is what a script of dbctl counts in: tables of keys, in memory, in the file of a run directory, and as
// they are printed.
package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// Kind is what a table does with the numbers of a key.
type Kind int

// The kinds, in the order in which tables of one name are printed.
const (
	Hist  Kind = iota // their distribution
	Count             // how many there are, and if there are any their sum, mean, least and greatest
	Sum               // their sum alone, which may be taken back
)

// kindWords are the kinds in the file.
var kindWords = [...]string{Hist: "hist", Count: "count", Sum: "sum"}

// Name is a table: those of different kinds are different ones.
type Name struct {
	Text string
	Kind Kind
}

// Tables are those of one run; any goroutine may use them.
type Tables struct {
	mu   sync.Mutex
	list map[Name]map[string]*row // by key
}

// row is what was counted for a key.
type row struct {
	count   uint64
	numbers uint64 // of the calls, those that gave one
	total   float64
	least   float64
	most    float64
	buckets map[int]bucket // of Hist
}

const (
	mostKeys  = 10000      // of a table
	otherKeys = "(others)" // what others are counted for
)

// Add counts for a key; number may be "" for Count. The error is that it is no number, and then nothing is counted.
func (ts *Tables) Add(name Name, key, number string) error {
	v, given := 0.0, number != "" || name.Kind != Count
	if given {
		var ok bool
		if v, ok = readNumber(number); !ok {
			return fmt.Errorf("%q is not a number", number)
		}
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	r := ts.row(name, key)
	r.count++
	if given {
		r.add(v, name.Kind)
	}
	return nil
}

// row is that of a key, or of the others if there are too many.
func (ts *Tables) row(name Name, key string) *row {
	if ts.list == nil {
		ts.list = make(map[Name]map[string]*row)
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
		r = &row{}
		rows[key] = r
	}
	return r
}

func (r *row) add(v float64, kind Kind) {
	if r.numbers == 0 || v < r.least {
		r.least = v
	}
	if r.numbers == 0 || v > r.most {
		r.most = v
	}
	r.numbers++
	r.total += v
	if kind == Hist {
		if r.buckets == nil {
			r.buckets = make(map[int]bucket)
		}
		i := bucketOf(v)
		b := r.buckets[i]
		r.buckets[i] = bucket{b.count + 1, b.total + v}
	}
}

// readNumber reads what a number begins with, as a debugger shows them: 3, 0x18, -0x18, 120 'x'.
func readNumber(text string) (float64, bool) {
	word, _, _ := strings.Cut(text, " ")
	digits, negative := strings.CutPrefix(word, "-")
	if hex, ok := strings.CutPrefix(digits, "0x"); ok {
		n, err := strconv.ParseUint(hex, 16, 64)
		if negative {
			return -float64(n), err == nil
		}
		return float64(n), err == nil
	}
	v, err := strconv.ParseFloat(word, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// zero reports whether numbers that were added have come to 0, but for what fractions are rounded by.
func (r *row) zero() bool {
	if r.total == math.Trunc(r.total) {
		return r.total == 0
	}
	const rounding = 1e-12
	return math.Abs(r.total) < rounding*float64(r.numbers)*max(math.Abs(r.least), math.Abs(r.most))
}
