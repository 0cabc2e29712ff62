package imported

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/google/pprof/profile"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

const pprofFormat = "pprof"

// largest bounds a profile of pprof, which is read as a whole.
const largest = 4 << 30

// noSuch says that a file lacks the event or sample type that was asked for.
type noSuch struct {
	file, what, wanted string
	names              []string
}

func (e *noSuch) Error() string {
	return fmt.Sprintf("%s has no %s %q; there is %s", e.file, e.what, e.wanted, several(e.names))
}

// readPprof reads profile.proto, and what gperftools wrote before there was that.
func readPprof(in *bufio.Reader, o Options) (*Profile, error) {
	src, err := io.ReadAll(io.LimitReader(in, largest+1))
	if err != nil {
		return nil, fmt.Errorf("%s: after byte %d: %w", o.Name, len(src), err)
	}
	if len(src) > largest {
		return nil, fmt.Errorf("%s is larger than %d bytes", o.Name, largest)
	}
	from, err := profile.ParseData(src)
	if err != nil {
		if p, failure := readFolded(bufio.NewReader(bytes.NewReader(src)), o); p != nil {
			return p, failure // with control characters in its names
		}
		return nil, fmt.Errorf("%s (%d bytes) is not a complete profile of pprof: %w", o.Name, len(src), err)
	}
	if err := from.RemoveUninteresting(); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	return convert(from, o)
}

// convert takes one sample type of a profile of pprof.
func convert(from *profile.Profile, o Options) (*Profile, error) {
	at, err := sampleType(from, o)
	if err != nil {
		return nil, err
	}
	chosen := from.SampleType[at]
	p := &Profile{Format: pprofFormat, table: newTable(), resource: chosen.Type, unit: chosen.Unit, clock: pprofFormat}
	weight, isTime := carry{divisor: 1}, true
	unit := uint64(1)
	switch chosen.Unit {
	case "nanoseconds", "ns":
		weight.divisor = uint64(time.Microsecond)
	case "microseconds", "us":
	case "milliseconds", "ms":
		unit = 1000
	case "seconds", "s":
		unit = 1_000_000
	default:
		isTime = false
	}
	if isTime {
		p.unit = resource.Microsecond
	}
	if t := from.PeriodType; t != nil && t.Unit == "nanoseconds" && t.Type == chosen.Type {
		p.period = time.Duration(max(0, from.Period))
	}
	if from.TimeNanos > 0 {
		p.start = time.Unix(0, from.TimeNanos)
		p.end = p.start.Add(time.Duration(max(0, from.DurationNanos)))
	}
	if strings.HasSuffix(chosen.Type, "_space") {
		p.notes = append(p.notes, "the numbers of samples are those of objects, as estimated by who wrote the profile: they are no measure of its errors")
	}
	count := counts(from, at)
	l := located{table: p.table, places: map[*profile.Location]int32{}, files: map[string]*object.File{}}
	defer l.close()
	one := &process{name: stem(o.Name)}
	if len(from.Mapping) > 0 && from.Mapping[0].File != "" && from.Mapping[0].File[0] != '[' {
		one.exe = from.Mapping[0].File
		one.name = filepath.Base(one.exe)
	}
	negative := 0
	for _, s := range from.Sample {
		value := s.Value[at]
		if value < 0 {
			negative++
		}
		if value <= 0 {
			continue
		}
		made := sample{count: 1, weight: weight.times(uint64(value), unit), fields: fields(s)}
		if count >= 0 && s.Value[count] > 0 {
			made.count = uint64(s.Value[count])
		}
		made.node, made.partial = l.node(s.Location)
		one.samples = append(one.samples, made)
	}
	if negative > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: %d samples are left out: they are negative, as in a difference of profiles", o.Name, negative))
	}
	if others := types(from, at); o.Resource == "" && len(others) > 0 && !(len(others) == 1 && count >= 0) {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: took %q; -r takes another one: %s", o.Name, chosen.Type, several(others)))
	}
	if len(one.samples) == 0 {
		return nil, &empty{o.Name}
	}
	p.processes = []*process{one}
	return p, nil
}

// sampleType returns the index of the one to take.
func sampleType(from *profile.Profile, o Options) (int, error) {
	wanted := o.Resource
	if wanted == "" {
		wanted = from.DefaultSampleType
	}
	for i, t := range from.SampleType {
		if t.Type == wanted {
			return i, nil
		}
	}
	if o.Resource != "" {
		return 0, &noSuch{o.Name, "sample type", o.Resource, types(from, -1)}
	}
	if len(from.SampleType) == 0 {
		return 0, fmt.Errorf("%s is a profile without sample types", o.Name)
	}
	return len(from.SampleType) - 1, nil // as pprof does
}

// types are the names of the sample types but one.
func types(from *profile.Profile, but int) []string {
	var names []string
	for i, t := range from.SampleType {
		if i != but {
			names = append(names, t.Type)
		}
	}
	return names
}

// counts finds the sample type that says how many samples a value is of, -1 if there is
// none: alloc_objects of alloc_space, else the nearest count before it.
func counts(from *profile.Profile, at int) int {
	objects := strings.TrimSuffix(from.SampleType[at].Type, "_space") + "_objects"
	for i, t := range from.SampleType {
		if t.Type == objects {
			return i
		}
	}
	for i := at; i >= 0; i-- {
		if from.SampleType[i].Unit == "count" {
			return i
		}
	}
	return -1
}

// fields are the labels of a sample, in the order of their names.
func fields(s *profile.Sample) []field {
	var all []field
	for name, values := range s.Label {
		for _, v := range values {
			all = append(all, field{name, v})
		}
	}
	for name, values := range s.NumLabel {
		for _, v := range values {
			all = append(all, field{name, number(v)})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

// located puts the locations of a profile into a table.
type located struct {
	table  *table
	places map[*profile.Location]int32
	files  map[string]*object.File // nil of those that are not there, or others
}

func (l *located) close() {
	for _, f := range l.files {
		if f != nil {
			f.Close()
		}
	}
}

// node returns the call path of locations, innermost first. One that ends with what pct
// writes for callers that are not known does not reach its outermost frame.
func (l *located) node(stack []*profile.Location) (node int32, partial bool) {
	if n := len(stack); n > 0 {
		if last := stack[n-1]; last.Mapping == nil && last.Address == 0 && len(last.Line) == 1 &&
			last.Line[0].Function != nil && last.Line[0].Function.Name == "?" {
			stack, partial = stack[:n-1], true
		}
	}
	for _, at := range slices.Backward(stack) {
		id, ok := l.places[at]
		if !ok {
			id = l.place(at)
			l.places[at] = id
		}
		node = l.table.child(node, id)
	}
	return node, partial
}

func (l *located) place(at *profile.Location) int32 {
	p := place{addr: at.Address}
	for _, line := range at.Line {
		if line.Function == nil {
			continue
		}
		name := line.Function.Name
		if name == "" {
			name = line.Function.SystemName
		}
		p.names = append(p.names, data.Name{Function: name, File: line.Function.Filename, Line: int(min(max(0, line.Line), 1<<31-1))})
	}
	p.named = len(p.names) > 0
	if m := at.Mapping; m != nil && m.File != "" {
		id := l.table.mapped(m.File, at.Address)
		p.object = id
		if o := l.table.objects[id]; id != 0 && o.kind == 0 {
			p.addr = l.vaddr(m, at.Address)
			o.buildID = m.BuildID
			if !isHex(o.buildID) {
				o.buildID = ""
			}
			o.start, o.end, o.bias = m.Start, m.Limit, at.Address-p.addr
			p.object = l.table.object(o)
		}
	}
	return l.table.place(p, at.Address != 0)
}

// isHex reports whether a build-id is one of GNU, in hexadecimal; Go has others.
func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// vaddr is the address in the file of a run-time address: by its program headers, if it
// is there and the same, else as most linkers have it.
func (l *located) vaddr(m *profile.Mapping, addr uint64) uint64 {
	if addr < m.Start {
		return addr
	}
	inFile := addr - m.Start + m.Offset
	f, ok := l.files[m.File]
	if !ok {
		if opened, err := object.Open(m.File); err == nil {
			f = opened
			if isHex(m.BuildID) && !f.IsBuild(m.BuildID) {
				f.Close()
				f = nil
			}
		}
		l.files[m.File] = f
	}
	if f == nil {
		if m.Start == m.Offset || m.Offset == 0 && m.Start < 1<<32 {
			return addr // mapped where it was linked to
		}
		return inFile
	}
	if vaddr, ok := f.Vaddr(inFile); ok {
		return vaddr
	}
	return inFile
}
