package collector_test

import (
	"strings"
	"testing"
)

// touches are how many page faults faulting's functions have, if they are asked for 500.
func touches(p *profile, times uint64, from ...string) {
	p.t.Helper()
	p.exactly(times*500, append(from, "both", "one", "touch")...)
	p.exactly(times*1500, append(from, "both", "three", "touch")...)
}

// Every page fault is a sample, at its instruction, and no other is: not what the collector itself touches.
func TestPageFaults(t *testing.T) {
	for _, resource := range []string{"faults", "minor-faults"} {
		s := measured(t, "x"+resource+":1", "faulting", "both", "500").ok("1\n")
		p := s.resources(s.state.Pid())[resource].whole()
		touches(p, 1, "main")
		if p.all > 2000+50 {
			t.Errorf("%d samples of %s, want 2000 and what the program starts and ends with", p.all, resource)
		}
		if h := p.run.Header; h.Unit != "fault" || h.Clock != resource || h.Interval != 1 {
			t.Errorf("header %+v", h)
		}
		if p.on("prepare_paths") > 0 || p.on("calls_add") > 0 {
			t.Error("samples are of the collector")
		}
	}
	s := measured(t, "xmajor-faults:1", "faulting", "both", "500").ok("1\n")
	if dirs := s.dirs(s.state.Pid()); len(dirs) > 0 {
		s.profile(dirs[0]).exactly(0, "touch")
	}
}

// What else is measured has faults in its handlers, which are not the program's.
func TestPageFaultsBesideOthers(t *testing.T) {
	s := measured(t, "xalloc:4096 xminor-faults:1 xmajor-faults:1 xfaults:1 xcpu:1000 xfpe xio:1 xwrite:1", "faulting", "both", "500").ok("1\n")
	all := s.resources(s.state.Pid())
	if all["faults"] != nil || !strings.Contains(s.notes, "EVENTS_OVERLAP") {
		t.Errorf("faults and a part of them: %s", s.notes)
	}
	touches(all["minor-faults"].whole(), 1, "main")
	// The pages are mapped at once, and a hit is at random in each.
	if n := all["alloc"].on("main", "both", "fresh", "mmap"); n < 1999 || n > 2001 {
		t.Errorf("%d hits of 2000 pages", n)
	}
	all["write"].exactly(2, "main", "both", "printf")
}

// Of each interval one fault is a sample, whichever.
func TestPageFaultsOfIntervals(t *testing.T) {
	s := measured(t, "xfaults:10", "faulting", "both", "5000").ok("1\n")
	p := s.resources(s.state.Pid())["faults"].whole()
	one, three := p.on("both", "one", "touch"), p.on("both", "three", "touch")
	// Where it begins with an interval is random, and so is what of the collector's own was hit.
	if one < 490 || one > 510 || three < 1490 || three > 1510 {
		t.Errorf("%d and %d samples of 5000 and 15000 faults", one, three)
	}
	for _, n := range p.run.Samples() {
		if n.Weight != 10*n.Count {
			t.Errorf("%d samples weigh %d faults", n.Count, n.Weight)
		}
	}
}

func TestPageFaultsOfThreads(t *testing.T) {
	s := measured(t, "xfaults:1", "faulting", "threads", "500").ok("1\n1\n1\n1\n")
	touches(s.resources(s.state.Pid())["faults"].whole(), 3, "of_thread")
	children := 0
	for _, dir := range s.dirs(0) {
		if c := s.profile(dir); c.run.Meta.Pid != s.state.Pid() {
			touches(c.whole(), 1, "threads")
			children++
		}
	}
	if children != 1 {
		t.Errorf("%d children", children)
	}
}

// Users who may not look into the kernel get them too.
func TestPageFaultsWithoutPrivilege(t *testing.T) {
	s := measured(t, "xfaults:1", "setpriv", "--bounding-set=-all", "--inh-caps=-all", built+"/faulting", "both", "500").ok("1\n")
	found := false
	for _, dir := range s.dirs(s.state.Pid()) {
		if p := s.profile(dir); strings.HasSuffix(p.run.Meta.Exe, "/faulting") {
			touches(p, 1, "main")
			found = true
		}
	}
	if !found {
		t.Errorf("no samples: %s", s.notes)
	}
}

// A program that wants SIGTRAP gets it, and nothing of ours; its faults are sampled on.
func TestPageFaultsOfCatchers(t *testing.T) {
	s := measured(t, "xfaults:1", "faulting", "catcher", "500").ok("1\n1\ntrap\n")
	touches(s.resources(s.state.Pid())["faults"].whole(), 2, "catcher")
	if strings.Contains(s.notes, "page faults") {
		t.Errorf("notes: %s", s.notes)
	}
}

// Of a page that a handler of the program must make accessible there are two faults, as there are without us.
func TestPageFaultsOfBarriers(t *testing.T) {
	s := measured(t, "xfaults:1", "faulting", "barrier", "500").ok("")
	s.resources(s.state.Pid())["faults"].exactly(2*500, "main", "barrier", "touch")
}

// What the kernel touches for the program is not seen, and that is said.
func TestPageFaultsOfKernel(t *testing.T) {
	s := measured(t, "xfaults:1", "faulting", "reads", "500").ok("")
	s.resources(s.state.Pid())["faults"].exactly(250, "main", "reads", "touch")
	if !strings.Contains(s.notes, "page faults in system calls") {
		t.Errorf("notes: %s", s.notes)
	}
}

// Where hits are so far apart that few faults are counted, none are said to be in system calls.
func TestPageFaultsFarApart(t *testing.T) {
	s := measured(t, "xfaults:100000", "faulting", "threads", "2000").ok("1\n1\n1\n1\n")
	if strings.Contains(s.notes, "page faults") {
		t.Errorf("notes: %s", s.notes)
	}
}

// Bytes count once, in the function that the program called.
func TestBytesMoved(t *testing.T) {
	s := measured(t, "xread:1 xwrite:1", "moves", t.TempDir()+"/file").ok("")
	all := s.resources(s.state.Pid())
	for resource, moved := range map[string]map[string]uint64{
		"read": {"read": 100, "pread": 60, "readv": 70, "fread": 70, "fgets": 50, "getc": 30, "sendfile": 40},
		"write": {"write": 100, "pwrite": 50, "writev": 70, "dprintf": 101, "fwrite": 70, "fputs": 100, "fprintf": 101,
			"putc": 30, "cookie": 100, "sendfile": 40},
	} {
		p, sum := all[resource], uint64(0)
		if p == nil {
			t.Fatalf("no %s: %s", resource, s.notes)
		}
		for function, n := range moved {
			p.exactly(10*n, "main", "by_"+function)
			sum += 10 * n
		}
		if p.whole().all != sum || p.run.Header.Unit != "byte" {
			t.Errorf("%d samples of %s, want %d; header %+v", p.all, resource, sum, p.run.Header)
		}
	}
}

func TestBytesMovedAfterJump(t *testing.T) {
	s := measured(t, "xread:1", "moves", "jump").ok("")
	s.resources(s.state.Pid())["read"].whole().exactly(10*100, "further_in", "read")
}

// A call of many intervals weighs as many.
func TestBytesOfIntervals(t *testing.T) {
	s := measured(t, "xread:64", "moves", t.TempDir()+"/file").ok("")
	p := s.resources(s.state.Pid())["read"]
	if want := uint64(10 * (100 + 60 + 70 + 70 + 50 + 30 + 40) / 64); p.all < want-1 || p.all > want+1 {
		t.Errorf("%d samples of 64 bytes, want %d", p.all, want)
	}
}
