package pprof

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/google/pprof/profile"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
)

// labels are what tells samples of one call path apart.
type labels struct {
	process   int // number
	pid       int // 0 unknown
	thread    uint32
	hasThread bool
	fields    string // of which ids and values follow each other, as labelTable writes them
}

// labelTable knows the fields of samples.
type labelTable struct {
	names []string
	ids   map[string]int
	text  []bool // of each field: a value of it is no integer
}

func newLabels(calls *path.Calls) *labelTable {
	l := &labelTable{ids: map[string]int{}}
	for s := range calls.Samples() {
		for _, f := range s.Fields {
			id, ok := l.ids[f.Name]
			if !ok {
				id = len(l.names)
				l.ids[f.Name] = id
				l.names = append(l.names, f.Name)
				l.text = append(l.text, false)
			}
			if !l.text[id] {
				_, ok := integer(f.Value)
				l.text[id] = !ok
			}
		}
	}
	return l
}

// integer reads what is written as this package would write it.
func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

// of returns the labels of a sample. A field hides the label of its name.
func (l *labelTable) of(s *path.CallSample) labels {
	made := labels{process: s.Process, pid: s.Pid}
	if !s.Untimed {
		made.thread, made.hasThread = s.Thread, s.Thread != 0
	}
	if len(s.Fields) > 0 {
		var b []byte
		for _, f := range s.Fields {
			b = binary.AppendUvarint(b, uint64(l.ids[f.Name]))
			b = binary.AppendUvarint(b, uint64(len(f.Value)))
			b = append(b, f.Value...)
		}
		made.fields = string(b)
	}
	return made
}

// set gives a sample of a profile its labels.
func (l *labelTable) set(s *profile.Sample, from labels, runs *path.Runs) {
	s.Label, s.NumLabel = map[string][]string{}, map[string][]int64{}
	number := func(name string, n int64) {
		if _, hidden := l.ids[name]; !hidden {
			s.NumLabel[name] = []int64{n}
		}
	}
	if from.pid != 0 {
		number("pid", int64(from.pid))
	}
	if from.hasThread {
		number("thread", int64(from.thread))
	}
	if _, hidden := l.ids["process"]; !hidden {
		s.Label["process"] = []string{valid(runs.Process(from.process))}
	}
	for rest := []byte(from.fields); len(rest) > 0; {
		id, n := binary.Uvarint(rest)
		rest = rest[n:]
		length, n := binary.Uvarint(rest)
		value := string(rest[n : n+int(length)])
		rest = rest[n+int(length):]
		name := valid(l.names[id])
		if l.text[id] {
			s.Label[name] = append(s.Label[name], valid(value))
			continue
		}
		x, _ := integer(value)
		s.NumLabel[name] = append(s.NumLabel[name], x)
	}
}

// valid is a text as profile.proto can have it, in UTF-8.
func valid(s string) string { return visible.Text(s) }

// id is the number of the n-th thing.
func id(n int) uint64 { return uint64(n) + 1 }

// page is what mappings are multiples of.
const page = 4096

// pages returns the whole pages that a range of addresses lies in.
func pages(from, to uint64) (uint64, uint64) {
	from &^= page - 1
	if to > math.MaxUint64-page {
		return from, math.MaxUint64 &^ (page - 1)
	}
	return from, (to + page - 1) &^ (page - 1)
}
