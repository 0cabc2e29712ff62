package collector_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// Three parts of the program's time to one, whatever the storage and the clock are.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		letters string
		want    data.Counts // its kind, width, bin size, clock, resource, period
	}{
		{"", data.Counts{Kind: data.Histogram, Width: 4, BinSize: 1, Clock: "thread", Resource: "cpu", Period: 10 * time.Millisecond}},
		{"q4000 w1", data.Counts{Kind: data.Histogram, Width: 1, BinSize: 1, Clock: "thread", Resource: "cpu", Period: 4 * time.Millisecond}},
		{"w8IP", data.Counts{Kind: data.Histogram, Width: 8, BinSize: 1, Clock: "thread", Resource: "cpu", Period: 10 * time.Millisecond}},
		{"g16 w2 IV", data.Counts{Kind: data.Histogram, Width: 2, BinSize: 16, Clock: "virtual", Resource: "cpu", Period: 10 * time.Millisecond}},
		{"IR q3000", data.Counts{Kind: data.Histogram, Width: 4, BinSize: 1, Clock: "real", Resource: "real", Period: 3 * time.Millisecond}},
		{"q5000 r2", data.Counts{Kind: data.Histogram, Width: 4, BinSize: 1, Clock: "thread", Resource: "cpu", Period: 10 * time.Millisecond}},
		{"q1000", data.Counts{Kind: data.Histogram, Width: 4, BinSize: 1, Clock: "perf", Resource: "cpu", Period: time.Millisecond}},
		{"q500r2", data.Counts{Kind: data.Histogram, Width: 4, BinSize: 1, Clock: "perf", Resource: "cpu", Period: time.Millisecond}},
		{"l q1000", data.Counts{Kind: data.Log, Width: 16, BinSize: 1, Clock: "perf", Resource: "cpu", Period: time.Millisecond}},
		{"c100 q1000", data.Counts{Kind: data.Circular, Width: 16, BinSize: 1, Clock: "perf", Resource: "cpu", Period: time.Millisecond}},
	} {
		t.Run(c.letters, func(t *testing.T) {
			chance.Test(t, func(d *chance.Draw) {
				s := prepare(t, c.letters, "target", "ratio", "0.5").run().ok("done\n")
				f := s.counts()["target"]
				got := data.Counts{Kind: f.Kind, Width: f.Width, BinSize: f.BinSize, Clock: f.Clock, Resource: f.Resource, Period: f.Period}
				if got != c.want {
					t.Errorf("the file has %+v, want %+v", got, c.want)
				}
				if f.BuildID == "" || f.Pid != s.state.Pid() || f.Bias == 0 || f.Size == 0 {
					t.Errorf("the header has build-id %q, pid %d, bias %x, size %d", f.BuildID, f.Pid, f.Bias, f.Size)
				}
				three, one := inFunction(t, f, "three"), inFunction(t, f, "one")
				within(d, "function three", three, three+one, 0.75)
				switch n := total(t, f); f.Kind {
				case data.Circular:
					if n != f.Capacity || f.Written <= n {
						t.Errorf("%d records for a capacity of %d, %d written", n, f.Capacity, f.Written)
					}
				default:
					if n != f.Samples {
						t.Errorf("%d counts, but %d samples", n, f.Samples)
					}
				}
				if m := s.meta(); m.State != "complete" || m.Collector != "libpct" || m.Clock != c.want.Clock || m.Period != c.want.Period ||
					m.Exe != filepath.Join(built, "target") || len(m.Argv) != 3 || m.CPU == 0 || m.Started == 0 || m.Ppid != os.Getpid() {
					t.Errorf("meta: %+v", m)
				}
			})
		})
	}
}

func TestLogIsInOrderOfTime(t *testing.T) {
	f := prepare(t, "l", "target", "threads", "0.1").run().ok("done\n").counts()["target"]
	threads := map[uint32]bool{}
	last := time.Duration(-1)
	if err := f.Records(func(at time.Duration, thread uint32, vaddr uint64) {
		threads[thread] = true
		if at < last || at > time.Hour || vaddr < f.Low || vaddr >= f.Low+f.Size {
			t.Errorf("a record at %v of 0x%x after %v", at, vaddr, last)
		}
		last = at
	}); err != nil {
		t.Fatal(err)
	}
	if len(threads) < 6 {
		t.Errorf("records of %d threads, of 8", len(threads))
	}
}

func TestCountersSaturate(t *testing.T) {
	s := prepare(t, "w1 g65536 q200", "target", "ratio", "0.5").run().ok("done\n")
	f := s.counts()["target"]
	if f.Full == 0 || f.Lost == 0 || total(t, f) != f.Samples {
		t.Errorf("full counters %d, lost %d, samples %d, counts %d", f.Full, f.Lost, f.Samples, total(t, f))
	}
	if err := f.Each(func(_, n uint64) {
		if n > 255 {
			t.Errorf("a counter of one byte has %d", n)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// Letters o and p: a file of one's own, which is added to.
func TestNamedFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my counts")
	once := func(letters string) {
		t.Helper()
		s := prepare(t, letters, "target", "ratio", "0.1")
		s.command.Dir = dir
		s.run().ok("done\n")
		if len(s.dirs(0)) != 0 {
			t.Errorf("%q made %v", letters, s.dirs(0))
		}
	}
	count := func(path string) uint64 {
		t.Helper()
		c, err := data.OpenCounts(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(c.Object) != "target" {
			t.Errorf("%s counts %s", path, c.Object)
		}
		return total(t, c)
	}
	once("q1000o" + path)
	first := count(path)
	once("q1000o" + path)
	if second := count(path); second <= first {
		t.Errorf("%d counts were added to, and are %d", first, second)
	}
	before := count(path)
	once("q1000 g8 o" + path)
	if count(path) != before {
		t.Error("counts of another kind were added")
	}
	count(path + ".2")
	start := func() time.Time {
		c, err := data.OpenCounts(path)
		if err != nil {
			t.Fatal(err)
		}
		return c.Start
	}
	old := start()
	once("t q1000o" + path)
	if !start().After(old) {
		t.Error("letter t kept the old counts")
	}
	once("q1000o" + dir)
	count(filepath.Join(dir, "target.pct"))
	once("p q1000")
	count(filepath.Join(dir, "pc.pct"))

	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	once("t q1000 o" + foreign)
	if b, err := os.ReadFile(foreign); err != nil || string(b) != "mine" {
		t.Errorf("a foreign file now holds %q, %v", b, err)
	}
	count(foreign + ".2")
}

func TestBadLettersAreNoted(t *testing.T) {
	s := prepare(t, "q1000 x wA v I", "target", "ratio", "0.1").run().ok("")
	if !strings.Contains(s.out, "target: PC counting activated") {
		t.Errorf("letter v: %q", s.out)
	}
	if !strings.Contains(s.notes, "$PCT has unknown letters") || s.counts()["target"].Period != time.Millisecond {
		t.Errorf("notes: %s", s.notes)
	}
}

func TestAsleepWithoutPCT(t *testing.T) {
	for _, program := range []string{"switch", "switch-static", "switch-profil"} {
		s := prepare(t, "", program)
		s.command.Env = []string{"PCT_DIR=" + s.root}
		s.run().ok("done\n")
		if exists(s.root) {
			t.Errorf("%s was sampled", program)
		}
	}
}

func TestSwitch(t *testing.T) {
	for _, c := range []struct{ program, letters string }{
		{"switch", ""}, {"switch", "q1000"}, {"switch-static", ""}, {"switch-static", "q1000"}, {"switch-profil", ""},
	} {
		s := prepare(t, c.letters, c.program)
		s.command.Env = []string{"PCT=" + c.letters, "PCT_DIR=" + s.root}
		f := s.run().ok("done\n").counts()[c.program]
		if f == nil {
			t.Fatalf("%s: %v", c.program, s.dirs(0))
		}
		if seen, hidden := inFunction(t, f, "seen"), inFunction(t, f, "hidden"); seen == 0 || hidden != 0 {
			t.Errorf("%s with %q: %d samples in the part that is on, %d where it is off", c.program, c.letters, seen, hidden)
		}
	}
}

func TestProfil(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { profil(t, d) })
}

func profil(t *testing.T, d *chance.Draw) {
	s := prepare(t, "", "target", "ratio", "0.8").setenv("LD_PRELOAD=" + filepath.Join(built, "libpctprof.so")).run().ok("done\n")
	f := s.counts()["target"]
	three, one := inFunction(t, f, "three"), inFunction(t, f, "one")
	within(d, "function three", three, three+one, 0.75)
	if f.Clock != "profil" || f.Samples != total(t, f) || f.Samples == 0 {
		t.Errorf("clock %s, samples %d, counts %d", f.Clock, f.Samples, total(t, f))
	}
}
