package path

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/profilecollection/pct/pct/data"
)

// Column tabulates the values that the selected samples have in one field.
type Column struct {
	Name    string
	Group   string // NAME=VALUE of Options.By, "" without
	Values  int    // samples with a value
	Missing int    // samples without
	Numeric bool   // all values are numbers that can be added: no pointers, no characters

	// If they are:
	Min, Mean, Max float64

	// The values, most frequent first.
	Frequent []Frequency
}

// Frequency is a value and the number of samples that have it.
type Frequency struct {
	Value   string
	Samples int
}

// Tabulate returns a column for each name, for each field if none is given; with
// o.By, for each value of that, of which the one with most samples comes first.
func (s *Selection) Tabulate(names []string, o Options) ([]Column, error) {
	if len(names) == 0 {
		names = s.runs.Fields()
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the samples have no fields: they were taken without an expression (profile -expr)")
	}
	parts, err := s.split(o)
	if err != nil {
		return nil, err
	}
	var columns []Column
	for _, name := range names {
		getters, err := s.runs.bindAll(name, 0)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			c := part.column(name, getters)
			c.Group = part.group
			columns = append(columns, c)
		}
	}
	return columns, nil
}

// subset is the samples of a selection that are of one group.
type subset struct {
	Selection
	group string
}

// split returns the groups of a selection, the largest first; all of it if it isn't
// split by anything.
func (s *Selection) split(o Options) ([]*subset, error) {
	groups, err := s.groups(o)
	if groups == nil {
		return []*subset{{Selection: *s}}, err
	}
	byGroup := map[string]*subset{}
	for i, samples := range s.samples {
		for _, sample := range samples.All() {
			name := o.By + "=" + groups[i](sample)
			p, ok := byGroup[name]
			if !ok {
				p = &subset{Selection{runs: s.runs, samples: make([]*data.Packed, len(s.samples))}, name}
				byGroup[name] = p
			}
			p.take(i, sample)
		}
	}
	return slices.SortedFunc(maps.Values(byGroup), func(a, b *subset) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.group, b.group))
	}), nil
}

func (s *Selection) column(name string, getters []getter) Column {
	c := Column{Name: name, Numeric: true, Min: math.Inf(1), Max: math.Inf(-1)}
	counts := map[string]int{}
	sum := 0.0
	for i, samples := range s.samples {
		for _, sample := range samples.All() {
			value, ok := getters[i](sample)
			if !ok {
				c.Missing += int(sample.Count)
				continue
			}
			c.Values += int(sample.Count)
			counts[value] += int(sample.Count)
			n, ok := parseNumber(value)
			if !ok || !quantity(value) {
				c.Numeric = false
			}
			sum += n.float * float64(sample.Count)
			c.Min = min(c.Min, n.float)
			c.Max = max(c.Max, n.float)
		}
	}
	c.Numeric = c.Numeric && c.Values > 0
	if c.Numeric {
		c.Mean = sum / float64(c.Values)
	} else {
		c.Min, c.Max = 0, 0
	}
	for value, n := range counts {
		c.Frequent = append(c.Frequent, Frequency{value, n})
	}
	slices.SortFunc(c.Frequent, func(a, b Frequency) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Value, b.Value))
	})
	return c
}

// A ValueRow is the values of a sample, or of several that are alike.
type ValueRow struct {
	Values  []string
	Samples int
}

// Values returns the values of the named fields, in the order of the runs, of those samples that have
// them all; missing counts the others.
func (s *Selection) Values(names []string) (rows []ValueRow, missing int, err error) {
	columns := make([][]getter, len(names))
	for i, name := range names {
		if columns[i], err = s.runs.bindAll(name, 0); err != nil {
			return nil, 0, err
		}
	}
	for i, samples := range s.samples {
	sample:
		for _, sample := range samples.All() {
			row := ValueRow{make([]string, len(names)), int(sample.Count)}
			for j := range names {
				value, ok := columns[j][i](sample)
				if !ok {
					missing += row.Samples
					continue sample
				}
				row.Values[j] = value
			}
			rows = append(rows, row)
		}
	}
	return rows, missing, nil
}
