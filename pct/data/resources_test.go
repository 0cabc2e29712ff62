package data

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// Each resource of a directory is a run, in the order in which they were asked for; each has its own part of what the
// meta tells of all, and the notes that its file has.
func TestRunsOfResources(t *testing.T) {
	d, err := Create(t.TempDir(), "p", 1)
	check(t, err)
	check(t, d.WriteMeta(Meta{Resources: []string{"real", "cpu", "io", "faults"}, Clock: "perf", Period: time.Millisecond, Asked: 1000, Samples: 6, State: "complete", Notes: []string{"of all"}}))
	write := func(h Header, samples int, note string) {
		w, err := d.NewWriter(h)
		check(t, err)
		for range samples {
			check(t, w.Sample(Sample{Weight: 1}))
		}
		if note != "" {
			w.Note(note)
		}
		check(t, w.Close())
	}
	write(Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond}, 1, "")
	write(Header{Resource: "faults", Unit: "fault", Clock: "perf"}, 2, "of faults")
	write(Header{Resource: "real", Unit: "µs", Clock: "perf", Period: time.Millisecond}, 3, "")
	runs, err := OpenAll(d.Path())
	check(t, err)
	for i, want := range []struct {
		resource string
		samples  uint64
		period   time.Duration
		asked    float64
		notes    []string
	}{
		{"real", 3, time.Millisecond, 1000, []string{"of all"}},
		{"cpu", 1, 10 * time.Millisecond, 100, []string{"of all"}},
		{"faults", 2, 0, 0, []string{"of all", "of faults"}},
	} {
		r := runs[i]
		if m := r.Meta; r.Header.Resource != want.resource || m.Samples != want.samples || m.Period != want.period || m.Asked != want.asked || !slices.Equal(m.Notes, want.notes) {
			t.Errorf("run %d: %s, %+v; want %+v", i, r.Header.Resource, m, want)
		}
	}

	// A collector that is killed can leave each file torn, and one of the next without a byte.
	for _, r := range []string{"cpu", "faults"} {
		path := filepath.Join(d.Path(), pathsOf(r))
		st, err := os.Stat(path)
		check(t, err)
		check(t, os.Truncate(path, st.Size()-1))
	}
	check(t, os.WriteFile(filepath.Join(d.Path(), pathsOf("io")), nil, 0o600))
	runs, err = OpenAll(d.Path())
	var torn *Truncated
	if len(runs) != 3 || err != nil {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if n := runs[0].Packed.Len(); n != 3 {
		t.Errorf("%d samples in the whole file", n)
	}
	for _, r := range runs {
		if len(r.Damage) != 1 || !errors.As(r.Damage[0], &torn) {
			t.Errorf("%s: %v", r.Header.Resource, r.Damage)
		}
	}
}

// What was named formerly is read as if it were named now.
func TestFormerName(t *testing.T) {
	want := sampleRun(t)
	check(t, os.Rename(filepath.Join(want.Dir, pathsOf("cpu")), filepath.Join(want.Dir, formerPaths)))
	got, err := Open(want.Dir)
	check(t, err)
	if !reflect.DeepEqual(got, want) || !IsRun(want.Dir) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
