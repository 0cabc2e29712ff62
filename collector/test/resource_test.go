package collector_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// measured is run, with the libraries too that count resources.
func measured(t *testing.T, letters string, args ...string) *sampled {
	t.Helper()
	s := prepare(t, letters, args...)
	var libraries []string
	for _, name := range []string{"libpct.so", "libpctalloc.so", "libpctio.so"} {
		libraries = append(libraries, filepath.Join(built, name))
	}
	s.setenv("LD_PRELOAD=" + strings.Join(libraries, ":"))
	return s.run()
}

// resources are the profiles in the only run directory of a process, by their resources.
func (s *sampled) resources(pid int) map[string]*profile {
	s.t.Helper()
	dirs := s.dirs(pid)
	if len(dirs) != 1 {
		s.t.Fatalf("run directories: %v\n%s", dirs, s.notes)
	}
	runs, err := data.OpenAll(dirs[0])
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]*profile{}
	for _, r := range runs {
		all[r.Header.Resource] = newProfile(s.t, r)
	}
	return all
}

// exactly fails unless so many samples are on a path.
func (p *profile) exactly(want uint64, functions ...string) {
	p.t.Helper()
	if got := p.on(functions...); got != want {
		p.t.Errorf("%d samples are on %q, want %d", got, functions, want)
	}
}

// bytesOf is what each function of allocations' `known` asks for in all.
func bytesOf(p *profile) {
	p.t.Helper()
	p.exactly(10*1000, "known", "by_malloc", "malloc")
	p.exactly(10*2000, "known", "by_calloc", "calloc")
	p.exactly(10*10, "known", "by_realloc", "malloc")
	p.exactly(10*5000, "known", "by_realloc", "realloc")
	p.exactly(10*6000, "known", "by_array")
	p.exactly(10*3200, "known", "by_memalign", "memalign")
	p.exactly(10*7000, "known", "by_posix")
	p.exactly(10*6400, "known", "by_aligned", "aligned_alloc")
	p.exactly(10*4100, "known", "by_valloc", "valloc")
	p.exactly(10*10, "known", "by_strdup")
	p.exactly(10<<16, "known", "by_mmap")
	p.exactly(0, "by_reserved")
}

func TestAllocations(t *testing.T) {
	s := measured(t, "xalloc:1", "allocations", "known").ok("done\n")
	p := s.resources(s.state.Pid())["alloc"].whole()
	bytesOf(p)
	for _, n := range p.run.Samples() {
		if n.Weight != n.Count {
			t.Errorf("%d samples weigh %d bytes", n.Count, n.Weight)
		}
	}
	if h := p.run.Header; h.Unit != "byte" || h.Clock != "alloc" || h.Period != 0 {
		t.Errorf("header %+v", h)
	}
}

func TestAllocationsByNew(t *testing.T) {
	s := measured(t, "xalloc:1", "news").ok("10240\n")
	p := s.resources(s.state.Pid())["alloc"].whole()
	p.exactly(10*1000, "main", "_ZL3onev")
	if n := p.on("_ZL7doubledv"); n != 10*2047 {
		t.Errorf("%d bytes of a vector, want %d", n, 10*2047)
	}
}

func TestAllocationsOfFamily(t *testing.T) {
	s := measured(t, "xalloc:1", "allocations", "family").ok("")
	p := s.resources(s.state.Pid())["alloc"].whole()
	p.exactly(4*1000*64, "of_thread", "by_small", "malloc")
	p.exactly(0, "known")
	var child *profile
	for _, dir := range s.dirs(0) {
		if c := s.profile(dir); c.run.Meta.Pid != s.state.Pid() {
			child = c.whole()
		}
	}
	if child == nil {
		t.Fatal("the child has no samples")
	}
	bytesOf(child)
	child.exactly(0, "of_thread")
}

// What is executed is looked at first, but a FIFO is not opened: that would wait for a writer.
func TestExecutingNoFile(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o755); err != nil {
		t.Fatal(err)
	}
	s := measured(t, "xcpu", "timeout", "-s", "KILL", "60", "sh", "-c", fifo+"; echo $?")
	if !strings.HasSuffix(s.out, "\n126\n") || !s.state.Success() {
		t.Errorf("%v: %q", s.state, s.out)
	}
}

// What spans several intervals weighs as many: 10,240 bytes are 10 intervals of 1,024.
func TestAllocationsOfIntervals(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { allocationsOfIntervals(t, d) })
}

func allocationsOfIntervals(t *testing.T, d *chance.Draw) {
	var hits, runs uint64
	for ; runs < 20; runs++ {
		s := measured(t, "xalloc:1024", "allocations", "ten").ok("done\n")
		n := s.resources(s.state.Pid())["alloc"].on("ten", "by_kilobyte")
		// The instants of a thread's hits are random, one in each of its intervals.
		if n < 9 || n > 11 {
			t.Errorf("%d hits of 10240 bytes", n)
		}
		hits += n
	}
	if hits < 10*runs-12 || hits > 10*runs+12 {
		t.Errorf("%d hits of %d times 10240 bytes", hits, runs)
	}
	s := measured(t, "xalloc:4096", "allocations", "ratio").ok("100\ndone\n")
	p := s.resources(s.state.Pid())["alloc"].whole()
	small, kilobyte := p.on("by_small"), p.on("by_kilobyte")
	within(d, "64 of 1088 bytes", small, small+kilobyte, 64.0/1088)
	if want := uint64(100000 * 1088 / 4096); p.all < want-2 || p.all > want+10 {
		t.Errorf("%d hits, want %d", p.all, want)
	}
}

// A program that limits its address space has it to itself, though trees of many resources were there before.
func TestResourcesInLittleSpace(t *testing.T) {
	for _, megabytes := range []uint64{40, 400} {
		s := measured(t, "xalloc:1 xcpu:1000 xio:1 xread:1 xwrite:1 xfaults:16 xfpe", "processes", "late-space", strconv.FormatUint(megabytes, 10)).ok("done\n")
		p := s.resources(s.state.Pid())["alloc"].whole()
		p.exactly(megabytes/2<<20, "space", "malloc")
		p.exactly(2*2000, "asks", "ask", "malloc")
		p.exactly(2000, "late_space", "ask", "malloc")
	}
}

func TestOwnMallocIsKept(t *testing.T) {
	s := measured(t, "xalloc:1", "allocations-own", "known").ok("done\n")
	p := s.resources(s.state.Pid())["alloc"]
	p.exactly(10<<16, "known", "by_mmap")
	p.exactly(0, "by_malloc")
	if !strings.Contains(s.notes, "has its own malloc") {
		t.Errorf("notes: %s", s.notes)
	}
}

// A program at a fixed address, which takes malloc's, holds the place by which all know it.
func TestMallocOfFixedProgram(t *testing.T) {
	s := measured(t, "xalloc:1", "allocations-fixed", "known").ok("done\n")
	bytesOf(s.resources(s.state.Pid())["alloc"].whole())
	if strings.Contains(s.notes, "malloc") {
		t.Errorf("notes: %s", s.notes)
	}
}

// Programs do what they do without us.
func TestResourcesOfPrograms(t *testing.T) {
	for _, args := range [][]string{
		{"python3", "-c", `import json, threading
print(len(json.dumps([{"a": i} for i in range(20000)])))
ts = [threading.Thread(target=lambda: [str(i) for i in range(5000)]) for _ in range(4)]
[t.start() for t in ts]
[t.join() for t in ts]`},
		{"perl", "-e", `my %h; $h{$_} = "x$_" for 1..20000; print scalar(keys %h), "\n"; system("echo", "child")`},
		{"sqlite3", ":memory:", "create table t(a, b); with recursive n(i) as (select 1 union all select i+1 from n where i < 20000) insert into t select i, hex(i) from n; select count(distinct b), sum(length(b)) from t"},
		{"gcc", "-O2", "-S", "-o", "-", "testdata/work.c"},
	} {
		want, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		if err != nil {
			t.Fatal(err)
		}
		s := measured(t, "xalloc:8192 xcpu:1000 xio:1", append([]string{}, args...)...).ok(string(want))
		found := map[string]bool{}
		for _, dir := range s.dirs(0) {
			runs, err := data.OpenAll(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range runs {
				if r.Header.Resource != "cpu" && len(r.Samples()) > 0 {
					found[r.Header.Resource] = true
					newProfile(t, r).whole()
				}
			}
		}
		if !found["alloc"] || !found["io"] {
			t.Errorf("%s: samples of %v: %s", args[0], found, s.notes)
		}
	}
}

func TestInputOutput(t *testing.T) {
	s := measured(t, "xio:100", "waits").ok("")
	lines := strings.Fields(s.out)
	if len(lines) != 5 || strings.Join(lines[:4], " ") != "40 lines 40 lines" {
		t.Fatalf("%s", s.out)
	}
	spent, err := strconv.ParseUint(lines[4], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	p := s.resources(s.state.Pid())["io"].whole()
	read, fgets := p.on("main", "by_read", "read"), p.on("main", "by_stream", "fgets")
	// The program's own clock runs a little longer, and at most two intervals are not yet over.
	if n := read + fgets; n > spent/100+2 || n < spent/100/2 || read < n/5 || fgets < n/5 {
		t.Errorf("%d and %d samples of 100 µs, the program waited %d µs", read, fgets, spent)
	}
}

// exceptions runs the program of that name with and without fpe, and compares what it prints.
func exceptions(t *testing.T, letters, mode string) *sampled {
	t.Helper()
	var want bytes.Buffer
	plain := exec.Command(filepath.Join(built, "exceptions"), mode)
	plain.Stdout, plain.Stderr = &want, &want
	_ = plain.Run() // how it ends is compared
	s := prepare(t, letters, "exceptions", mode).run()
	if s.out != want.String() || s.state.String() != plain.ProcessState.String() {
		t.Errorf("%s: %v\n%swant %v\n%s", mode, s.state, s.out, plain.ProcessState, want.String())
	}
	return s
}

func TestExceptions(t *testing.T) {
	const letters = "xfpe xfpe-invalid xfpe-divide xfpe-overflow xfpe-underflow xfpe-inexact xfpe-denormal"
	s := exceptions(t, letters, "all")
	all := s.resources(s.state.Pid())
	for resource, functions := range map[string][]string{
		"fpe-divide":    {"divide", "packed"},
		"fpe-invalid":   {"invalid"},
		"fpe-overflow":  {"overflow"},
		"fpe-underflow": {"underflow"},
		"fpe-denormal":  {"denormal"},
		"fpe-inexact":   {"overflow", "underflow", "denormal", "inexact"},
		"fpe":           {"divide", "packed", "invalid", "overflow", "underflow"},
	} {
		p := all[resource]
		if p == nil {
			t.Fatalf("no %s", resource)
		}
		for _, f := range functions {
			p.exactly(300, "main", "all", f)
		}
		if p.whole().all != uint64(300*len(functions)) {
			t.Errorf("%d samples of %s, want %d", p.all, resource, 300*len(functions))
		}
	}
	one := exceptions(t, "xfpe-divide:10", "all")
	if p := one.resources(one.state.Pid())["fpe-divide"]; p.all != 60 || p.run.Samples()[0].Weight != 10*p.run.Samples()[0].Count {
		t.Errorf("%d samples of 600 exceptions at each 10", p.all)
	}
	// Beside a clock that traps too.
	both := exceptions(t, "xfpe xcpu:1000", "all")
	both.resources(both.state.Pid())["fpe"].exactly(300, "main", "all", "divide")
}

func TestExceptionsOfThreads(t *testing.T) {
	s := exceptions(t, "xfpe", "threads")
	p := s.resources(s.state.Pid())["fpe"]
	p.exactly(600, "of_thread", "divide")
	if p.all != 600 {
		t.Errorf("%d samples", p.all)
	}
	for _, dir := range s.dirs(0) {
		if c := s.profile(dir); c.run.Meta.Pid != s.state.Pid() {
			c.exactly(300, "main", "threads", "invalid")
		}
	}
	if len(s.dirs(0)) != 2 {
		t.Errorf("run directories %v", s.dirs(0))
	}
}

// A program keeps its own SIGFPE, and the exceptions that it enables.
func TestExceptionsOfCatchers(t *testing.T) {
	s := exceptions(t, "xfpe", "catcher")
	s.resources(s.state.Pid())["fpe"].exactly(300, "main", "catcher", "divide")
	if !strings.Contains(s.notes, "enabled floating point exceptions itself") {
		t.Errorf("notes: %s", s.notes)
	}
	exceptions(t, "xfpe", "integer")
}

// The older functions that block SIGFPE leave it open, for an exception would end the program.
func TestExceptionsWhileBlocked(t *testing.T) {
	s := exceptions(t, "xfpe", "blocked")
	s.resources(s.state.Pid())["fpe"].exactly(4*300, "main", "blocked", "divide")
}

// Without it no program pays for it.
func TestNothingStandsBeforeUnasked(t *testing.T) {
	symbols, err := exec.Command("nm", "-D", "--defined-only", filepath.Join(built, "libpct.so")).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(symbols)) {
		if f := strings.Fields(line); len(f) == 3 && (strings.Contains(f[2], "alloc") && f[2] != "pct_own_malloc" || f[2] == "mmap" || f[2] == "read" || f[2] == "write") {
			t.Errorf("libpct.so stands before %s", f[2])
		}
	}
}
