package collector_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// entries reads a table: the number of its addresses, and the samples in function wide.
// No more samples than those of n threads that are still being counted may be missing.
func entries(t *testing.T, c *data.Counts, n uint64) (addresses, wide uint64) {
	t.Helper()
	if c.Kind != data.Table {
		t.Fatalf("%s is of kind %d", c.Path, c.Kind)
	}
	var sum uint64
	if err := c.Each(func(_, count uint64) { addresses++; sum += count }); err != nil {
		t.Fatal(err)
	}
	if sum < c.Samples || sum > c.Samples+n {
		t.Errorf("%s: %d samples at %d addresses, but it tells %d", c.Path, sum, addresses, c.Samples)
	}
	if c.Written < addresses || c.Written > addresses+addresses/10+8 {
		t.Errorf("%s: %d entries for %d addresses", c.Path, c.Written, addresses)
	}
	return addresses, inFunction(t, c, "wide")
}

// Of an object with much text each address is kept once, whatever threads bring it.
func TestTable(t *testing.T) {
	for letters, due := range map[string]uint64{"q100": 16000, "q4000": 400} {
		s := prepare(t, letters, "large", "threads", "8", "0.2").run().ok("done\n")
		f := s.counts()["large"]
		addresses, wide := entries(t, f, 0)
		// A look by the kernel's tick counts for 1.6 samples on average, where the processors are shared.
		looks := map[string]uint64{"q100": f.Samples, "q4000": f.Samples * 10 / 16}[letters]
		if wide*10 < f.Samples*9 || addresses*10 < looks*7 {
			t.Errorf("%s: %d of %d samples in the function, at %d addresses", letters, wide, f.Samples, addresses)
		}
		// The kernel's tick misses threads on a busy machine, and then says so.
		if m := s.meta(); m.State != "complete" || f.Samples+f.Lost < due/2 || letters == "q100" && f.Lost*10 > f.Samples {
			t.Errorf("%s: state %s, %d samples, %d lost", letters, m.State, f.Samples, f.Lost)
		}
	}
	if f := prepare(t, "q1000 g1", "large", "threads", "1", "0.1").run().ok("done\n").counts()["large"]; f.Kind != data.Histogram || f.Size < 300000 {
		t.Errorf("with the size of bins given: kind %d of %d bytes", f.Kind, f.Size)
	}
	if f := prepare(t, "q1000 w2", "large", "threads", "1", "0.1").run().ok("done\n").counts()["large"]; f.Kind != data.Histogram || f.Width != 2 {
		t.Errorf("with the size of counters given: kind %d, %d bytes", f.Kind, f.Width)
	}
}

// A child has an index and a file of its own: no address that its parent had found is missing.
func TestTableOfChild(t *testing.T) {
	s := prepare(t, "q200", "large", "fork", "0.3").run().ok("")
	var child int
	if _, err := fmt.Sscan(s.out, &child); err != nil {
		t.Fatal(err)
	}
	for pid, most := range map[int]uint64{child: 2000, s.state.Pid(): 3500} {
		f := countsOf(t, s.dirs(pid)...)["large"]
		if f == nil || f.Pid != pid {
			t.Fatalf("process %d: %v", pid, f)
		}
		if _, wide := entries(t, f, 0); wide < 20 || wide > most {
			t.Errorf("process %d has %d samples", pid, wide)
		}
	}
}

// What finds no room is counted as lost, and told.
func TestFullTable(t *testing.T) {
	const blocks = "10" // of 512 bytes
	lib, large := filepath.Join(built, "libpct.so"), filepath.Join(built, "large")
	// The limit is there before the first sample, which makes the file.
	s := prepare(t, "q200", "sh", "-c", "ulimit -f "+blocks+"; LD_PRELOAD="+lib+" exec "+large+" threads 1 0.3").setenv("LD_PRELOAD=").run().ok("done\n")
	f := s.counts()["large"]
	addresses, _ := entries(t, f, 0)
	if f.Capacity > 64 || addresses != f.Capacity || f.Lost == 0 {
		t.Errorf("room for %d addresses, %d are there, %d samples lost", f.Capacity, addresses, f.Lost)
	}
	if notes := strings.Join(s.meta().Notes, "\n"); !strings.Contains(notes, "more addresses than") {
		t.Errorf("notes: %s", notes)
	}
}

// A file that is there has its size already, and goes on when the program limits that of files.
func TestTableBeforeLimit(t *testing.T) {
	f := prepare(t, "q200", "large", "limit", "5120", "0.02", "0.3").run().ok("done\n").counts()["large"]
	addresses, wide := entries(t, f, 0)
	if f.Capacity < 300000 || addresses < 500 || wide*10 < f.Samples*9 {
		t.Errorf("room for %d addresses, %d are there, %d of %d samples in the function", f.Capacity, addresses, wide, f.Samples)
	}
}

func TestTableOfKilled(t *testing.T) {
	found := 0
	for i := range 12 {
		s := prepare(t, "q100", "large", "forever")
		s.begin()
		// The moment is any; nothing depends on it.
		time.Sleep(time.Duration(5*i) * time.Millisecond)
		if err := s.command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if s.command.Wait() == nil || s.command.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("it ended with %v", s.command.ProcessState)
		}
		files, err := filepath.Glob(filepath.Join(s.root, "large.*", "large"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			c, err := data.OpenCounts(file)
			if err != nil {
				t.Fatal(err)
			}
			entries(t, c, 1)
			found++
		}
	}
	if found == 0 {
		t.Error("none of them was sampled")
	}
}
