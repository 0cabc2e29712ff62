package table

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// magic is the first line of the file, which docs/FORMAT.md specifies.
const magic = "PCTtables1"

// Words that lines begin with, besides those of the kinds.
const (
	rowWord    = "row"
	bucketWord = "bucket"
	belowWord  = "below"
)

// Encode is the file of the tables.
func (ts *Tables) Encode() []byte {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var b bytes.Buffer
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	fmt.Fprintln(&b, magic)
	for _, name := range ts.names() {
		fmt.Fprintf(&b, "%s %s\n", kindWords[name.Kind], strconv.Quote(name.Text))
		rows := ts.list[name]
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			r := rows[key]
			fmt.Fprintf(&b, "%s %d %d %s %s %s %s\n", rowWord, r.count, r.numbers, number(r.total), number(r.least), number(r.most), strconv.Quote(key))
			for _, i := range slices.Sorted(maps.Keys(r.buckets)) {
				index := strconv.Itoa(i)
				if i == below {
					index = belowWord
				}
				fmt.Fprintf(&b, "%s %s %d %s\n", bucketWord, index, r.buckets[i].count, number(r.buckets[i].total))
			}
		}
	}
	return b.Bytes()
}

// Decode reads the file of tables. The error says in which line it is wrong.
func Decode(text []byte) (*Tables, error) {
	first, rest, _ := strings.Cut(string(text), "\n")
	if first != magic {
		return nil, fmt.Errorf("line 1: it is not a file of tables of a known version")
	}
	d := decoder{ts: &Tables{list: make(map[Name]map[string]*row)}}
	n := 1
	for line := range strings.Lines(rest) {
		n++
		line, whole := strings.CutSuffix(line, "\n")
		if !whole || !d.line(line) {
			return nil, fmt.Errorf("line %d: damaged", n)
		}
	}
	return d.ts, nil
}

// decoder is where in the file it reads.
type decoder struct {
	ts   *Tables
	kind Kind
	rows map[string]*row
	row  *row
}

func (d *decoder) line(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	if kind := slices.Index(kindWords[:], word); kind >= 0 {
		text, err := strconv.Unquote(rest)
		name := Name{text, Kind(kind)}
		if err != nil || d.ts.list[name] != nil {
			return false
		}
		d.kind, d.rows, d.row = name.Kind, make(map[string]*row), nil
		d.ts.list[name] = d.rows
		return true
	}
	switch {
	case word == rowWord && d.rows != nil:
		return d.readRow(strings.SplitN(rest, " ", 6))
	case word == bucketWord && d.row != nil && d.kind == Hist:
		return d.bucket(strings.Split(rest, " "))
	}
	return false
}

func (d *decoder) readRow(fields []string) bool {
	if len(fields) != 6 {
		return false
	}
	r := &row{}
	key, err := strconv.Unquote(fields[5])
	if err != nil || d.rows[key] != nil ||
		!unsigned(fields[0], &r.count) || !unsigned(fields[1], &r.numbers) || r.numbers > r.count ||
		!float(fields[2], &r.total) || !float(fields[3], &r.least) || !float(fields[4], &r.most) {
		return false
	}
	d.rows[key], d.row = r, r
	return true
}

func (d *decoder) bucket(fields []string) bool {
	if len(fields) != 3 {
		return false
	}
	i, err := strconv.Atoi(fields[0])
	if fields[0] == belowWord {
		i, err = below, nil
	}
	var b bucket
	if err != nil || !possible(i) || !unsigned(fields[1], &b.count) || b.count == 0 || !float(fields[2], &b.total) {
		return false
	}
	if d.row.buckets == nil {
		d.row.buckets = make(map[int]bucket)
	}
	_, again := d.row.buckets[i]
	d.row.buckets[i] = b
	return !again
}

func unsigned(text string, v *uint64) bool {
	n, err := strconv.ParseUint(text, 10, 64)
	*v = n
	return err == nil
}

func float(text string, v *float64) bool {
	f, err := strconv.ParseFloat(text, 64)
	*v = f
	return err == nil
}
