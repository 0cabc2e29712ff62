package path

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/pct/data"
)

// An attribute is a value that every sample has. A field of the same name hides
// it.
type attribute struct {
	name  string
	get   func(r *run, s *data.Sample) string
	bins  func(r *run, s *data.Sample, length time.Duration) string // of a time: the stretch that it is in
	timed bool                                                      // counters do not have it
}

// threadAttribute is known of call paths that were counted in the program, which have no times.
const threadAttribute = "thread"

var attributes = []attribute{
	timeAttribute("cpu", true),
	{name: "exe", get: func(r *run, _ *data.Sample) string { return r.Meta.Exe }},
	{name: "partial", get: func(_ *run, s *data.Sample) string { return strconv.FormatBool(s.Partial) }},
	{name: "pid", get: func(r *run, _ *data.Sample) string { return strconv.Itoa(r.Meta.Pid) }},
	{name: "process", get: func(r *run, _ *data.Sample) string { return r.process.name }},
	{name: threadAttribute, get: func(_ *run, s *data.Sample) string { return strconv.FormatUint(uint64(s.Thread), 10) }, timed: true},
	timeAttribute("time", false),
	{name: "weight", get: func(_ *run, s *data.Sample) string { return strconv.FormatUint(s.Weight/s.Count, 10) }},
}

func timeAttribute(name string, cpu bool) attribute {
	return attribute{
		name: name,
		get:  func(r *run, s *data.Sample) string { return seconds(moment(r, s, cpu)) },
		bins: func(r *run, s *data.Sample, length time.Duration) string {
			return bin(moment(r, s, cpu), length, cpu).span()
		},
		timed: true,
	}
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// A getter returns a value of a sample of the run that it is bound to.
type getter func(s *data.Sample) (string, bool)

// bind finds what a name means in a run, nil if nothing. A time is one of the
// stretches of the length given, unless that is 0.
func bind(r *run, name string, length time.Duration) getter {
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
		switch {
		case a.name != name:
		case a.bins != nil && length > 0:
			return a.unlessUntimed(func(s *data.Sample) string { return a.bins(r, s, length) })
		default:
			return a.unlessUntimed(func(s *data.Sample) string { return a.get(r, s) })
		}
	}
	return nil
}

func (a attribute) unlessUntimed(get func(s *data.Sample) string) getter {
	return func(s *data.Sample) (string, bool) {
		if a.timed && s.Untimed && !(a.name == threadAttribute && s.Thread != 0) {
			return "", false
		}
		return get(s), true
	}
}

// bindAll binds a name in every run; where it means nothing no sample has a
// value. It is an error if it means nothing in all of them. length is as in bind.
func (rs *Runs) bindAll(name string, length time.Duration) ([]getter, error) {
	known := false
	getters := make([]getter, len(rs.all))
	for i, r := range rs.all {
		getters[i] = bind(r, name, length)
		known = known || getters[i] != nil
		if getters[i] == nil {
			getters[i] = func(*data.Sample) (string, bool) { return "", false }
		}
	}
	if known {
		timed := slices.ContainsFunc(attributes, func(a attribute) bool { return a.timed && a.name == name })
		if timed && !slices.Contains(rs.Fields(), name) {
			_, err := rs.needTimes(name)
			return getters, err
		}
		return getters, nil
	}
	fields := "the samples have no fields"
	if all := rs.Fields(); len(all) > 0 {
		fields = "the fields are " + strings.Join(all, ", ")
	}
	if why := rs.Lacking(name); why != "" {
		return nil, fmt.Errorf("no sample has a value %q: %s; %s", name, why, fields)
	}
	return nil, fmt.Errorf("no sample has a value %q: %s; every sample has %s%s", name, fields, strings.Join(Attributes(), ", "), rs.notes())
}

// enumerates reports whether a name is that of a value: true, false or an enumerator of a field.
func (rs *Runs) enumerates(name string) bool {
	if name == "true" || name == "false" {
		return true
	}
	for _, r := range rs.all {
		for _, types := range r.Types {
			for _, t := range types {
				if _, ok := t.Enumerated(name); ok {
					return true
				}
			}
		}
	}
	return false
}

// typesOf are the types of a field's values, as far as they are known.
func (r *run) typesOf(name string) []*value.Type {
	if r.Types == nil {
		return nil
	}
	return r.Types[data.FieldID(max(0, slices.Index(r.Fields, name)))]
}

// ShowMembers makes the values of strings and containers those of their members, and gives texts their addresses.
func (rs *Runs) ShowMembers() {
	for _, r := range rs.all {
		r.Packed.ShowMembers()
	}
}

// notes are what the collector had to say, for those who miss something.
func (rs *Runs) notes() string {
	var all distinct
	for _, r := range rs.all {
		for _, n := range r.Meta.Notes {
			all.add("\n  " + n)
		}
	}
	return strings.Join(all.all, "")
}

// Lacking is why samples have no value of a field, as far as the collector knows.
func (rs *Runs) Lacking(name string) string {
	var all distinct
	for _, r := range rs.all {
		for _, n := range r.Meta.Notes {
			if _, why, ok := strings.Cut(n, " samples have no value of "+name+": "); ok {
				all.add(strings.TrimSuffix(why, "."))
			}
		}
	}
	return strings.Join(all.all, "; ")
}

// Fields returns the names of the samples' fields, each once, in order.
func (rs *Runs) Fields() []string {
	var all distinct
	for _, r := range rs.all {
		for _, name := range r.Fields[1:] {
			all.add(name)
		}
	}
	return all.all
}

// A Selection is some of the samples of runs.
type Selection struct {
	runs    *Runs
	samples []*data.Packed // of each run, nil where there are none
	count   int
	weight  uint64
	limits  []string

	// Warnings are sentences about samples that could not be chosen.
	Warnings []string
}

// Select takes the samples in the window for which where holds; a nil one leaves
// none out. No sample at all is an error of type *NoSamples.
func (rs *Runs) Select(window *Window, where *Expr) (*Selection, error) {
	if err := rs.empty(); err != nil {
		return nil, err
	}
	getters := map[string][]getter{}
	sel := &Selection{runs: rs, samples: make([]*data.Packed, len(rs.all))}
	within := window
	if window != nil {
		var err error
		if sel.Warnings, err = rs.needTimes("-window"); err != nil {
			return nil, err
		}
		sel.limits = append(sel.limits, window.Text())
		if window.From < 0 {
			_, last := rs.extent(false)
			within = &Window{From: max(0, last+window.From), To: endless}
		}
	}
	if where != nil {
		sel.limits = append(sel.limits, where.source)
		for _, name := range where.names {
			all, err := rs.bindAll(name, 0)
			switch {
			case err != nil && !rs.enumerates(name):
				return nil, err
			case err == nil:
				getters[name] = all
			}
		}
	}
	for i, r := range rs.all {
		if window == nil && where == nil {
			sel.takeAll(i)
			continue
		}
		var s *data.Sample
		get := func(name string) (string, []*value.Type, bool) {
			all, ok := getters[name]
			if !ok {
				return name, nil, true // of an enumerator
			}
			text, ok := all[i](s)
			return text, r.typesOf(name), ok
		}
		for _, s = range r.Packed.All() {
			if (within == nil || within.holds(r, s)) && (where == nil || where.holds(get)) {
				sel.take(i, s)
			}
		}
	}
	if sel.count == 0 {
		var by []string
		if window != nil {
			by = append(by, "-window "+window.String())
		}
		if where != nil {
			by = append(by, where.source)
		}
		none := "the only sample is not"
		if n := rs.Summary().Samples; n != 1 {
			none = fmt.Sprintf("none of the %d samples is", n)
		}
		return nil, &NoSamples{fmt.Sprintf("%s selected by %s%s",
			none, strings.Join(by, " and "), rs.when(window))}
	}
	return sel, nil
}

// Samples returns the number of samples selected.
func (s *Selection) Samples() int { return s.count }

// Weight returns the weight of the samples selected.
func (s *Selection) Weight() uint64 { return s.weight }

// Limits says what selected the samples; nothing if all were taken.
func (s *Selection) Limits() []string { return s.limits }

// extent returns the first and the last moment of all samples; where none has CPU
// time, last is before first.
func (rs *Runs) extent(cpu bool) (first, last time.Duration) {
	first, last = endless, -1
	for _, r := range rs.all {
		for _, s := range r.Packed.All() {
			if at := moment(r, s, cpu); (at > 0 || !cpu) && !s.Untimed {
				first, last = min(first, at), max(last, at)
			}
		}
	}
	return first, last
}

// when says when there are samples, to those who gave a window without any.
func (rs *Runs) when(window *Window) string {
	if window == nil {
		return ""
	}
	first, last := rs.extent(window.CPU)
	if last < first {
		return "; they have no CPU times"
	}
	return fmt.Sprintf("; the first was taken at %v, the last at %v", first, last)
}

// Attributes returns the names of the values that every sample has.
func Attributes() []string {
	names := make([]string, len(attributes))
	for i, a := range attributes {
		names[i] = a.name
	}
	return names
}
