package main_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// A known ratio is found, whatever the program is and however it's counted.
func TestKnownRatio(t *testing.T) {
	for _, prog := range []string{"spin", "spin-static"} {
		for _, how := range []string{"-cpus", "-threads"} {
			t.Run(prog+how, func(t *testing.T) {
				chance.Test(t, func(d *chance.Draw) {
					r := command(t, how, "-F", "997", prog, "ratio", "700")
					r.want(0)
					run := r.only(prog)
					heavy, light := in(t, run, prog, "heavy"), in(t, run, prog, "light")
					near(d, "heavy", heavy, heavy+light, 0.75)
					if n := len(run.Samples()); heavy+light < n*9/10 {
						t.Errorf("only %d of %d samples are in the two functions", heavy+light, n)
					}
				})
			})
		}
	}
}

// What is written about a run is what was.
func TestMeta(t *testing.T) {
	r := command(t, "-F", "997", "spin", units(300))
	before := time.Now()
	r.want(0)
	run := r.only("spin")
	m := run.Meta
	dir := filepath.Base(run.Dir)
	if m.Exe != built+"/spin" || !slices.Equal(m.Argv, []string{"spin", units(300)}) || m.Ppid != r.Process.Pid ||
		dir != fmt.Sprintf("spin.%d", m.Pid) || m.Tree != dir {
		t.Errorf("who: %+v", m)
	}
	if m.Start.Before(before) || m.End.Before(m.Start) || m.End.After(time.Now()) {
		t.Errorf("when: %v to %v", m.Start, m.End)
	}
	period := time.Duration(math.Round(1e9 / 997))
	if m.State != "complete" || m.Status != "exit 0" || m.Clock != "perf" || m.Period.Round(10) != period.Round(10) || m.CPU <= 0 || m.BuildID == "" {
		t.Errorf("how: %+v", m)
	}
	if int(m.Samples) != len(run.Samples()) {
		t.Errorf("meta counts %d samples, there are %d", m.Samples, len(run.Samples()))
	}
	last := time.Duration(0)
	for _, s := range run.Samples() {
		if s.Weight != 1003 || s.Time < last || s.Time > m.End.Sub(m.Start) || int(s.Thread) != m.Pid {
			t.Fatalf("sample %+v after %v", s, last)
		}
		last = s.Time
	}
	if run.Header.Resource != "cpu" || run.Header.Unit != "µs" {
		t.Errorf("header %+v", run.Header)
	}
}

// Each thread's samples are its own.
func TestThreads(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { sharesOfThreads(t, d) })
}

func sharesOfThreads(t *testing.T, d *chance.Draw) {
	for _, how := range []string{"-cpus", "-threads"} {
		r := command(t, how, "-F", "997", "spin-static", "threads", units(120))
		var out strings.Builder
		r.Stdout = &out
		r.want(0)
		used := cpuTimes(t, out.String())
		run := r.only("spin-static")
		each := map[uint32]int{}
		for _, s := range run.Samples() {
			if int(s.Thread) != run.Meta.Pid {
				each[s.Thread]++
			}
		}
		if len(each) != 3 {
			t.Fatalf("%s: samples of threads: %v", how, each)
		}
		n := 0
		for _, k := range each {
			n += k
		}
		for tid, k := range each {
			near(d, how+" a thread", k, n, used[tid])
		}
	}
}

// Many short processes weigh as much as one long one with the same work.
func TestShortProcesses(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { shortProcesses(t, d) })
}

func shortProcesses(t *testing.T, d *chance.Draw) {
	const short = 300
	script := fmt.Sprintf("spin-long %s; i=0; while [ $i -lt %d ]; do spin %s; i=$((i+1)); done", units(short), short, units(1))
	r := command(t, "-cpus", "-F", "499", "sh", "-c", script)
	r.want(0)
	long, many := in(t, r.only("spin-long"), "spin-long", "spin"), 0
	for _, run := range r.runs("spin") {
		many += in(t, run, "spin", "spin")
	}
	near(d, "short ones", many, long+many, 0.5)
}

// A clock for each thread does not see them, and says so.
func TestShortProcessesUnseen(t *testing.T) {
	r := command(t, "-threads", "-F", "100", "sh", "-c", "spin-long "+units(200)+"; for i in 1 2 3 4 5 6; do spin "+units(1)+"; done")
	r.want(0)
	run := r.only("spin-long")
	if notes := strings.Join(run.Meta.Notes, "\n"); !strings.Contains(notes, "less than one period of CPU time") {
		t.Errorf("notes: %q", notes)
	}
}

// The whole tree of a script is sampled, and known.
func TestTree(t *testing.T) {
	for _, how := range []string{"-cpus", "-threads"} {
		r := command(t, how, "-F", "997", "sh", "-c", "spin "+units(150)+" & spin-static "+units(150)+"; wait; exec spin-long "+units(150))
		r.want(0)
		last, static := r.only("spin-long"), r.only("spin-static")
		for prog, run := range map[string]*data.Run{"spin-long": last, "spin-static": static, "spin": r.only("spin")} {
			if n := in(t, run, prog, "spin"); n < 50 {
				t.Errorf("%s: %s has %d samples", how, prog, n)
			}
			if run != last && run.Meta.Ppid != last.Meta.Pid {
				t.Errorf("%s: the parent of %s is %d, want %d", how, prog, run.Meta.Ppid, last.Meta.Pid)
			}
		}
		processes, err := data.ReadTree(last.Meta.TreeDir(last.Dir))
		if err != nil {
			t.Fatal(err)
		}
		root := processes[0]
		if len(processes) != 3 || root.How != "launch" || root.Status != "exit 0" || len(root.Programs) != 2 ||
			root.Programs[1].Exe != built+"/spin-long" || root.Programs[1].Dir != filepath.Base(last.Dir) {
			t.Errorf("%s: tree %+v", how, processes)
		}
		for _, p := range processes[1:] {
			if p.Parent != 0 || p.How != "fork" || p.End.IsZero() || p.Samples == 0 {
				t.Errorf("%s: process %+v", how, p)
			}
		}
	}
}

// Kernel samples have their functions beside them; without -k their time counts for
// the program's calls.
func TestKernel(t *testing.T) {
	for _, how := range []string{"-cpus", "-threads"} {
		r := command(t, how, "-k", "-F", "997", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=5000", "status=none")
		r.want(0)
		run := r.only("dd")
		symbols := kernelSyms(t, run.Dir)
		kernel := 0
		for _, s := range run.Samples() {
			o, addr := at(run, s)
			if !strings.HasPrefix(o.Path, "[kernel") {
				continue
			}
			kernel++
			if o.Kind != data.ObjectKernel || o.Bias != 0 || addr < symbols[0] {
				t.Fatalf("%s: %#x in %+v", how, addr, o)
			}
		}
		if n := len(run.Samples()); kernel*10 < n*8 || n < 50 {
			t.Errorf("%s: %d of %d samples are the kernel's", how, kernel, n)
		}
	}
	r := command(t, "-F", "997", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=5000", "status=none")
	r.want(0)
	run := r.only("dd")
	libc := 0
	for _, s := range run.Samples() {
		o, _ := at(run, s)
		if strings.HasPrefix(o.Path, "[kernel") {
			t.Fatalf("a kernel sample without -k: %+v", o)
		}
		if strings.HasPrefix(filepath.Base(o.Path), "libc.so") {
			libc++
		}
	}
	if n := len(run.Samples()); libc*10 < n*8 || n < 50 {
		t.Errorf("%d of %d samples are where libc calls the kernel", libc, n)
	}
	if _, err := os.Stat(run.Dir + "/kernel.syms"); err == nil {
		t.Error("there is a kernel.syms without -k")
	}
}

// kernelSyms are the addresses of the functions in a run's kernel.syms, which must be
// in order, and those of the kernel that runs.
func kernelSyms(t *testing.T, dir string) []uint64 {
	t.Helper()
	now, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir + "/kernel.syms")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var addrs []uint64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		addr, err := strconv.ParseUint(strings.Fields(lines.Text())[0], 16, 64)
		if err != nil || len(addrs) > 0 && addr <= addrs[len(addrs)-1] {
			t.Fatalf("kernel.syms: %q after %#x: %v", lines.Text(), addrs, err)
		}
		if !strings.Contains(string(now), lines.Text()) {
			t.Errorf("%q is not in /proc/kallsyms", lines.Text())
		}
		addrs = append(addrs, addr)
	}
	if len(addrs) == 0 {
		t.Fatal("kernel.syms is empty")
	}
	return addrs
}

// After so many samples, or so much time, sampling ends and the program goes on.
func TestLimits(t *testing.T) {
	for _, limit := range [][]string{{"-n", "20"}, {"-t", "0.3"}} {
		done := filepath.Join(t.TempDir(), "done")
		r := command(t, append(limit, "-F", "997", "sh", "-c", "spin "+units(500)+"; echo >"+done+"; exit 3")...)
		r.want(3)
		if _, err := os.Stat(done); err != nil {
			t.Error(err)
		}
		n := 0
		for _, run := range append(r.runs("spin"), r.runs("dash")...) {
			n += len(run.Samples())
			if run.Meta.State != "detached" && run.Meta.State != "complete" {
				t.Errorf("%v: state %q", limit, run.Meta.State)
			}
		}
		if limit[0] == "-n" && n != 20 {
			t.Errorf("%v: %d samples", limit, n)
		}
	}
}
