package path

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// The rate is that of all samples of the runs in all of their CPU time, and is left out
// where not both are known.
func TestRate(t *testing.T) {
	const meta = "version=1\ncollector=libpct\npid=1\nperiod=10ms\nasked=100\nstate=complete\n"
	for _, c := range []struct {
		name     string
		meta     string
		resource string
		written  uint64 // records, of a circular log of two; 0: a histogram
		files    []string
		want     float64
	}{
		{"whole", "cpu=10s\n", "cpu", 0, []string{"."}, 60},
		{"all files", "cpu=10s\n", "cpu", 0, []string{"a", "b", "meta"}, 60},
		{"part", "cpu=10s\n", "cpu", 0, []string{"a"}, 0},
		{"unknown CPU time", "", "cpu", 0, []string{"."}, 0},
		{"real", "cpu=10s\n", "real", 0, []string{"."}, 0},
		{"circular", "cpu=10s\n", "cpu", 2, []string{"."}, 30.2},
		{"circular, overwritten", "cpu=10s\n", "cpu", 3, []string{"."}, 0},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"meta": meta + c.meta, "output": "of a script\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"a", "b"} {
			counts := data.Counts{Object: "/bin/" + name, Clock: "prof", Resource: c.resource, Period: 10 * time.Millisecond, Start: time.Unix(1, 0)}
			if err := data.WriteCounts(filepath.Join(dir, name), &counts, map[uint64]uint64{0x10: 300}); err != nil {
				t.Fatal(err)
			}
		}
		if c.written > 0 {
			circular(t, filepath.Join(dir, "b"), c.written)
		}
		var names []string
		for _, name := range c.files {
			names = append(names, filepath.Join(dir, name))
		}
		runs, err := Open(names)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := runs.Summary().Got; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v Hz, want %v", c.name, got, c.want)
		}
	}
}

// circular makes a count file one of a circular log of two records.
func circular(t *testing.T, path string, written uint64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = append(b[:4096], make([]byte, 32)...)
	binary.LittleEndian.PutUint32(b[20:], uint32(data.Circular))
	binary.LittleEndian.PutUint32(b[24:], 16)
	binary.LittleEndian.PutUint64(b[56:], 2)
	binary.LittleEndian.PutUint64(b[64:], written)
	for i := range 2 {
		binary.LittleEndian.PutUint64(b[4096+16*i:], uint64(1+i))
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Of runs at different rates none is told: neither is that of all.
func TestRatesThatDiffer(t *testing.T) {
	for second, want := range map[string]float64{"100": 100, "1000": 0} {
		var dirs []string
		for _, asked := range []string{"100", second} {
			dir := t.TempDir()
			meta := "version=1\ncollector=libpct\npid=1\nperiod=10ms\nasked=" + asked + "\nstate=complete\ncpu=10s\n"
			if err := os.WriteFile(filepath.Join(dir, "meta"), []byte(meta), 0o600); err != nil {
				t.Fatal(err)
			}
			counts := data.Counts{Object: "/bin/a", Clock: "prof", Resource: "cpu", Period: 10 * time.Millisecond, Start: time.Unix(1, 0)}
			if err := data.WriteCounts(filepath.Join(dir, "a"), &counts, map[uint64]uint64{0x10: 300}); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
		runs, err := Open(dirs)
		if err != nil {
			t.Fatal(err)
		}
		if s := runs.Summary(); s.Asked != want || (s.Got > 0) != (want > 0) {
			t.Errorf("100 and %s: asked %v, got %v", second, s.Asked, s.Got)
		}
	}
}
