package path

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// An attribute is a value that every sample has. A field of the same name hides
// it.
type attribute struct {
	name string
	get  func(r *data.Run, s *data.Sample) string
}

var attributes = []attribute{
	{"cpu", func(_ *data.Run, s *data.Sample) string { return seconds(s.CPU) }},
	{"exe", func(r *data.Run, _ *data.Sample) string { return filepath.Base(r.Meta.Exe) }},
	{"partial", func(_ *data.Run, s *data.Sample) string { return strconv.FormatBool(s.Partial) }},
	{"pid", func(r *data.Run, _ *data.Sample) string { return strconv.Itoa(r.Meta.Pid) }},
	{"process", func(r *data.Run, _ *data.Sample) string { return filepath.Base(r.Dir) }},
	{"thread", func(_ *data.Run, s *data.Sample) string { return strconv.FormatUint(uint64(s.Thread), 10) }},
	{"time", func(_ *data.Run, s *data.Sample) string { return seconds(s.Time) }},
	{"weight", func(_ *data.Run, s *data.Sample) string { return strconv.FormatUint(s.Weight, 10) }},
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// A getter returns a value of a sample of the run that it is bound to.
type getter func(s *data.Sample) (string, bool)

// bind finds what a name means in a run, nil if nothing.
func bind(r *data.Run, name string) getter {
	if i := slices.Index(r.Fields, name); i > 0 {
		return func(s *data.Sample) (string, bool) {
			for _, f := range s.Fields {
				if f.Field == data.FieldID(i) {
					return f.Value, true
				}
			}
			return "", false
		}
	}
	for _, a := range attributes {
		if a.name == name {
			return func(s *data.Sample) (string, bool) { return a.get(r, s), true }
		}
	}
	return nil
}

// bindAll binds a name in every run; where it means nothing no sample has a
// value. It is an error if it means nothing in all of them.
func (rs *Runs) bindAll(name string) ([]getter, error) {
	known := false
	getters := make([]getter, len(rs.all))
	for i, r := range rs.all {
		getters[i] = bind(r, name)
		known = known || getters[i] != nil
		if getters[i] == nil {
			getters[i] = func(*data.Sample) (string, bool) { return "", false }
		}
	}
	if known {
		return getters, nil
	}
	fields := "the samples have no fields"
	if all := rs.Fields(); len(all) > 0 {
		fields = "the fields are " + strings.Join(all, ", ")
	}
	return nil, fmt.Errorf("no sample has a value %q: %s; every sample has %s%s", name, fields, strings.Join(Attributes(), ", "), rs.notes())
}

// notes are what the collector had to say, for those who miss something.
func (rs *Runs) notes() string {
	var all []string
	for _, r := range rs.all {
		for _, n := range r.Meta.Notes {
			all = appendOnce(all, "\n  "+n)
		}
	}
	return strings.Join(all, "")
}

// Fields returns the names of the samples' fields, each once, in order.
func (rs *Runs) Fields() []string {
	var all []string
	for _, r := range rs.all {
		for _, name := range r.Fields[1:] {
			all = appendOnce(all, name)
		}
	}
	return all
}

// A Selection is some of the samples of runs.
type Selection struct {
	runs    *Runs
	samples [][]*data.Sample // of each run
	count   int
	weight  uint64
	where   string
}

// Select takes the samples for which where holds; all for nil. No sample at all
// is an error of type *NoSamples.
func (rs *Runs) Select(where *Expr) (*Selection, error) {
	if err := rs.empty(); err != nil {
		return nil, err
	}
	getters := map[string][]getter{}
	sel := &Selection{runs: rs, samples: make([][]*data.Sample, len(rs.all))}
	if where != nil {
		sel.where = where.source
		for _, name := range where.names {
			all, err := rs.bindAll(name)
			if err != nil {
				return nil, err
			}
			getters[name] = all
		}
	}
	for i, r := range rs.all {
		var s *data.Sample
		get := func(name string) (string, bool) { return getters[name][i](s) }
		for j := range r.Samples {
			s = &r.Samples[j]
			if where == nil || where.holds(get) {
				sel.samples[i] = append(sel.samples[i], s)
				sel.count++
				sel.weight += s.Weight
			}
		}
	}
	if sel.count == 0 {
		return nil, &NoSamples{fmt.Sprintf("none of the %d samples is selected by %s", rs.Summary().Samples, where.source)}
	}
	return sel, nil
}

// Samples returns the number of samples selected.
func (s *Selection) Samples() int { return s.count }

// Where returns the condition that selected the samples, "" if all were taken.
func (s *Selection) Where() string { return s.where }

// Attributes returns the names of the values that every sample has.
func Attributes() []string {
	names := make([]string, len(attributes))
	for i, a := range attributes {
		names[i] = a.name
	}
	return names
}
