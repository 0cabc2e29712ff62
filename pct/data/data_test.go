package data

import (
	"reflect"
	"testing"
	"time"
)

// sampleRun writes a run with every kind of record and returns what a reader
// must find.
func sampleRun(t testing.TB) *Run {
	t.Helper()
	start := time.Unix(1700000000, 123456789)
	meta := Meta{
		Version: Version, Argv: []string{"prog", "", "a b\nc=\\d\xff"}, Exe: "/bin/prog", BuildID: "ab12", Host: "h",
		Pid: 7, Ppid: 6, Start: start.UTC(), End: start.Add(time.Second).UTC(), Clock: "perf", Period: 10 * time.Millisecond,
		Asked: 99.5, Samples: 3, Lost: 5, Partial: 1, CPU: time.Second / 3, State: "complete", Status: "exit 3", Tree: "prog.7",
		Notes: []string{"one", "two"},
	}
	header := Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond, Start: start, Interval: 10000}
	d, err := Create(t.TempDir(), "/bin/prog", 7)
	check(t, err)
	check(t, d.WriteMeta(meta))
	w, err := d.NewWriter(header)
	check(t, err)
	exe := w.Object("/bin/prog", "ab12", 'f', 0x400000, 0x402000, 0x3ff000)
	vdso := w.Object("[vdso]", "", 'v', 1<<63, 1<<63+4096, 1<<63)
	outer := w.Node(0, exe, 0x1136)
	inner := w.Node(outer, vdso, 0x10)
	strange := w.Node(outer, 0, 1<<64-1)
	n := w.Field("n")
	check(t, w.Sample(Sample{Time: 10 * time.Millisecond, CPU: time.Millisecond, Thread: 7, Node: inner, Weight: 10000,
		Fields: []FieldValue{{n, "42"}}}))
	check(t, w.Lost(2, "late"))
	name := w.Field("name")
	check(t, w.Sample(Sample{Time: 5 * time.Millisecond, Thread: 1 << 31, Node: strange, Weight: 1<<64 - 1, Partial: true,
		Fields: []FieldValue{{name, "\x00\xff"}, {n, ""}}}))
	w.Names(exe, 0x1136, []Name{{"inlined", "/src/a.c", 7}, {"main", "", 0}})
	w.Names(0, 1<<64-1, nil)
	check(t, w.Sample(Sample{Time: time.Hour, CPU: time.Minute, Thread: 7, Weight: 10000}))
	check(t, w.Sample(Sample{Node: outer, Weight: 30000, Count: 3, Untimed: true, Fields: []FieldValue{{n, "43"}}}))
	check(t, w.Lost(3, "late"))
	w.Node(strange, exe, 0x1200)
	check(t, w.Close())
	return &Run{
		Dir: d.Path(), Meta: meta, Header: header,
		Objects: []Object{{}, {"/bin/prog", "ab12", 'f', 0x400000, 0x402000, 0x3ff000, ""}, {"[vdso]", "", 'v', 1 << 63, 1<<63 + 4096, 1 << 63, ""}},
		Nodes:   []Node{{}, {0, 1, 0x1136}, {1, 2, 0x10}, {1, 0, 1<<64 - 1}, {3, 1, 0x1200}},
		Fields:  []string{"", "n", "name"},
		Packed: packed(
			Sample{10 * time.Millisecond, time.Millisecond, 7, 2, 10000, 1, false, false, []FieldValue{{1, "42"}}},
			Sample{5 * time.Millisecond, 0, 1 << 31, 3, 1<<64 - 1, 1, true, false, []FieldValue{{2, "\x00\xff"}, {1, ""}}},
			Sample{time.Hour, time.Minute, 7, 0, 10000, 1, false, false, nil},
			Sample{0, 0, 0, 1, 30000, 3, false, true, []FieldValue{{1, "43"}}},
		),
		Names: map[Place][]Name{{1, 0x1136}: {{"inlined", "/src/a.c", 7}, {"main", "", 0}}, {0, 1<<64 - 1}: {}},
		Lost:  map[string]uint64{"late": 5},
	}
}

// packed packs samples.
func packed(samples ...Sample) (p Packed) {
	for i := range samples {
		p.Add(&samples[i])
	}
	return p
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRoundTrip(t *testing.T) {
	want := sampleRun(t)
	got, err := Open(want.Dir)
	check(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
