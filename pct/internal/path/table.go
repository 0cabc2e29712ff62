package path

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/profilecollection/pct/pct/data"
)

// Column tabulates the values that the selected samples have in one field.
type Column struct {
	Name    string
	Group   string    // NAME=VALUE of Options.By, "" without
	Path    *CallPath // with Options.By path, the samples': nil without
	Values  int       // samples with a value
	Missing int       // samples without
	Weight  uint64    // of the samples with a value
	Share   float64   // of that in the weight of all selected samples
	Cost    Cost      // with a Path: of the calls of its innermost function there, if they were counted

	// Numeric is set if all values are numbers that can be added, no pointers and no characters, but for those
	// that the program did not keep. Distribution is of these.
	Numeric bool
	Distribution

	// The values, most frequent first.
	Frequent []Frequency
}

// Frequency is a value, the number of samples that have it, and their weight.
type Frequency struct {
	Value   string
	Samples int
	Weight  uint64
}

// ByPath is the Options.By that splits values by call paths, unless a field has that name.
const ByPath = "path"

// ByPaths reports whether the options split values by call paths.
func (rs *Runs) ByPaths(o Options) bool {
	return o.By == ByPath && !slices.Contains(rs.Fields(), ByPath)
}

// Tabulate returns a column for each name, for each field if none is given; with
// o.By, for each value of that, of which the one with most samples comes first; of call paths
// the one with most weight of samples that have a value. The translator is for call paths.
func (s *Selection) Tabulate(t Translator, names []string, o Options) ([]Column, error) {
	if len(names) == 0 {
		names = s.runs.Fields()
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the samples have no fields: they were taken without an expression (profile -expr)")
	}
	parts, err := s.split(t, o)
	if err != nil {
		return nil, err
	}
	var columns []Column
	for _, name := range names {
		getters, err := s.runs.bindAll(name, 0)
		if err != nil {
			return nil, err
		}
		first := len(columns)
		for _, part := range parts {
			c := part.column(name, getters)
			c.Group, c.Path, c.Cost = part.group, part.path, part.cost
			if s.weight > 0 {
				c.Share = float64(c.Weight) / float64(s.weight)
			}
			columns = append(columns, c)
		}
		if s.runs.ByPaths(o) {
			slices.SortStableFunc(columns[first:], func(a, b Column) int { return cmp.Compare(b.Weight, a.Weight) })
		}
	}
	return columns, nil
}

// subset is the samples of a selection that are of one group.
type subset struct {
	Selection
	group string
	path  *CallPath
	cost  Cost // of the innermost function's calls on the path, if they were counted
}

// split returns the groups of a selection, the largest first; all of it if it isn't
// split by anything.
func (s *Selection) split(t Translator, o Options) ([]*subset, error) {
	if s.runs.ByPaths(o) {
		return s.splitByPath(t, o)
	}
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
				p = s.none(name, nil)
				byGroup[name] = p
			}
			p.take(i, sample)
		}
	}
	return slices.SortedFunc(maps.Values(byGroup), func(a, b *subset) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.group, b.group))
	}), nil
}

// splitByPath returns a subset for each call path, the heaviest first.
func (s *Selection) splitByPath(t Translator, o Options) ([]*subset, error) {
	o.By, o.Activations = "", o.Levels == 0 && s.countsCalls(o)
	c, err := s.Calls(t, o)
	if err != nil {
		return nil, err
	}
	byNode := map[int32]*subset{}
	for i, samples := range s.samples {
		for _, sample := range samples.All() {
			node := c.node(c.at[i][sample.Node], sample.Partial)
			if o.Levels > 0 {
				node = c.cut(node, o.Levels)
			}
			p, ok := byNode[node]
			if !ok {
				p = s.none("", &CallPath{c.tree, node})
				if int(node) < len(c.Seen) {
					p.cost = c.Seen[node]
				}
				byNode[node] = p
			}
			p.take(i, sample)
		}
	}
	return slices.SortedFunc(maps.Values(byNode), func(a, b *subset) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), c.compare(a.path.node, b.path.node))
	}), nil
}

// countsCalls reports whether the calls of all samples that are selected were counted, in frames of functions.
func (s *Selection) countsCalls(o Options) bool {
	for i, r := range s.runs.all {
		if n := s.samples[i].Len(); n > 0 && (r.Calls == nil || n < r.Packed.Len()) {
			return false
		}
	}
	return o.Granularity == Symbol || o.Granularity == Call
}

// none is a subset without samples.
func (s *Selection) none(group string, path *CallPath) *subset {
	return &subset{Selection{runs: s.runs, samples: make([]*data.Packed, len(s.samples))}, group, path, Cost{}}
}

func (s *Selection) column(name string, getters []getter) Column {
	c := Column{Name: name}
	counts := map[string]*Frequency{}
	for i, samples := range s.samples {
		for _, sample := range samples.All() {
			value, ok := getters[i](sample)
			if !ok {
				c.Missing += int(sample.Count)
				continue
			}
			f := counts[value]
			if f == nil {
				f = &Frequency{Value: value}
				counts[value] = f
			}
			f.Samples += int(sample.Count)
			f.Weight += sample.Weight
			c.Values += int(sample.Count)
			c.Weight += sample.Weight
		}
	}
	for _, f := range counts {
		c.Frequent = append(c.Frequent, *f)
	}
	slices.SortFunc(c.Frequent, func(a, b Frequency) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Value, b.Value))
	})
	c.Distribution, c.Numeric = distribution(c.Frequent)
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
