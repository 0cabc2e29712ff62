package main_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/profilecollection/pct/pct/data"
)

// traced prepares pct-ring with the kernel's tracepoints: where tracefs is not mounted, it
// is in a mount namespace of its own.
func traced(t *testing.T, args ...string) *ring {
	t.Helper()
	return within(t, "test -e /sys/kernel/tracing/events || mount -t tracefs none /sys/kernel/tracing", args...)
}

// within prepares pct-ring in a mount namespace of its own, after a shell command.
func within(t *testing.T, prepare string, args ...string) *ring {
	t.Helper()
	r := command(t, args...)
	script := prepare + "\nexec \"$@\""
	r.Args = append([]string{"unshare", "-m", "sh", "-c", script, "sh", r.Path}, args...)
	r.Path = "/usr/bin/unshare"
	return r
}

// of is the run of a resource of a program; the first one's is named by none.
func (r *ring) of(prog, resource string) *data.Run {
	r.t.Helper()
	for _, run := range r.runs(prog) {
		if run.Header.Resource == resource {
			return run
		}
	}
	all, _ := os.ReadDir(r.root)
	r.t.Fatalf("no run of %s for %s among %v\n%s", prog, resource, all, &r.stderr)
	return nil
}

// usage adds up the weights and the hits of the samples whose call path has some functions,
// next to each other and innermost first; without any, of all. A reason for being off the processor is one.
func usage(t *testing.T, run *data.Run, prog string, want ...string) (weight, hits uint64) {
	t.Helper()
	known := map[data.NodeID]string{}
	for _, s := range run.Samples() {
		if known[s.Node] == "" {
			path := names(t, run, prog, s)
			node := run.Nodes[s.Node]
			if of := run.Names[data.Place{Object: node.Object, Vaddr: node.Vaddr}]; len(of) > 0 {
				path[0] = of[0].Function
			}
			known[s.Node] = " " + strings.Join(path, " ") + " "
		}
		if len(want) == 0 || strings.Contains(known[s.Node], " "+strings.Join(want, " ")+" ") {
			weight += s.Weight
			hits += s.Count
		}
	}
	return weight, hits
}

// about expects a weight within some gticks of what it must be.
func about(t *testing.T, what string, got uint64, want, within float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > within {
		t.Errorf("%s: %d gticks, want %.0f ± %.0f", what, got, want, within)
	}
}

// remainder is how far from the truth a resource is at most that is used at one place: the kernel does
// not tell of less than an interval for each processor, and the first hit and the last may be elsewhere.
func remainder(interval int) float64 { return float64(interval * (runtime.NumCPU() + 2)) }

// Several resources of a run are each found where, and as much as, they are used.
func TestResources(t *testing.T) {
	for _, prog := range []string{"uses", "uses-static"} {
		for _, paths := range []bool{true, false} {
			t.Run(fmt.Sprint(prog, paths), func(t *testing.T) {
				args := []string{"-r", "faults:16", "-r", "cpu:1ms", "-r", "minor-faults:32", "-r", "syscalls:50", "-r", "calls:stepped:10",
					prog, "touch", "4096", "ask", "4000", "step", "1000"}
				if paths {
					args = append([]string{"-paths"}, args...)
				}
				r := traced(t, args...)
				r.want(0)
				check := func(resource, unit string, interval, want int, within float64, path ...string) {
					t.Helper()
					run := r.of(prog, resource)
					if h := run.Header; h.Unit != unit || h.Interval != uint64(interval) || h.Period != 0 || run.Meta.State != "complete" {
						t.Errorf("header of %s: %+v", resource, h)
					}
					if !paths && resource != "syscalls" {
						path = path[:1]
					} else if !paths {
						path = nil // it's in the C library
						within += 50
					}
					weight, hits := usage(t, run, prog, path...)
					about(t, resource, weight, float64(want), within)
					if weight != hits*uint64(interval) {
						t.Errorf("%s: %d hits weigh %d", resource, hits, weight)
					}
				}
				check("faults", "fault", 16, 4096, remainder(16), "touch", "main")
				check("calls:stepped", "call", 10, 1000, remainder(10), "stepped", "step", "main")
				if paths && prog == "uses" {
					check("syscalls", "syscall", 50, 4000, remainder(50), "libc.so.6", "ask", "main")
				} else if paths {
					check("syscalls", "syscall", 50, 4000, remainder(50), "ask", "main")
				} else {
					check("syscalls", "syscall", 50, 4050, remainder(50))
				}
				run := r.of(prog, "cpu")
				if h := run.Header; h.Unit != "µs" || h.Interval != 1000 || h.Period.Milliseconds() != 1 {
					t.Errorf("header of cpu: %+v", h)
				}
				if name := filepath.Base(run.Dir); name != fmt.Sprintf("%s.%d", prog, run.Meta.Pid) || run.Meta.Tree != name || len(r.dirs(prog)) != 1 {
					t.Errorf("the resources are in %v, the tree in %s", r.dirs(prog), run.Meta.Tree)
				}
			})
		}
	}
}

// What other processes of the same program call is not told of a run.
func TestCallsOfOthers(t *testing.T) {
	r := command(t, "-paths", "-r", "calls:stepped:1", "uses", "spin", "100", "step", "100")
	others := exec.Command("sh", "-c", "while ./uses step 10 >/dev/null; do sleep 0.01; done")
	others.Dir, others.SysProcAttr = r.Dir, &syscall.SysProcAttr{Setpgid: true}
	if err := others.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { syscall.Kill(-others.Process.Pid, syscall.SIGKILL); others.Wait() }()
	r.want(0)
	run := r.only("uses")
	if weight, _ := usage(t, run, "uses", "stepped", "step", "main"); weight != 100 {
		t.Errorf("%d calls, want 100", weight)
	}
	if len(run.Meta.Notes) > 0 {
		t.Errorf("notes %q", run.Meta.Notes)
	}
	want := "pct-ring: calls:stepped: counted by a kernel probe: each call takes 1 to 20 µs more\n" +
		"pct-ring: calls:stepped: calls that stopped the program: 100\n"
	if got := r.stderr.String(); got != want {
		t.Errorf("says %q, want %q", got, want)
	}
}

// Functions that use a resource in turn have their shares of it: samples are not in step with them.
func TestTurns(t *testing.T) {
	const times = 6000
	for _, every := range []int{2, 3, 5} {
		r := traced(t, "-paths", "-r", "faults:10", "-r", "syscalls:30", "-r", "calls:stepped:10", "uses", "turns", fmt.Sprint(times), fmt.Sprint(every))
		r.want(0)
		for resource, interval := range map[string]int{"faults": 10, "syscalls": 30, "calls:stepped": 10} {
			run := r.of("uses", resource)
			some, hits := usage(t, run, "uses", "some")
			others, more := usage(t, run, "uses", "others")
			about(t, resource, some+others, times, remainder(interval))
			share, want := float64(hits)/float64(hits+more), 1/float64(every)
			if deviation := math.Sqrt(want * (1 - want) * float64(interval) / times); math.Abs(share-want) > 6*deviation {
				t.Errorf("%s: %.3f of the samples are where each %d. use is", resource, share, every)
			}
		}
	}
}

// Where there are no samples, the reason is said, and what shows more.
func TestNoneOfResource(t *testing.T) {
	for resource, want := range map[string]string{
		"calls:stepped:1000000": "less than one interval of each resource was used; a shorter interval such as calls:stepped:1 shows more",
		"real:3600s":            "less than one interval of each resource was used; a shorter interval such as real:100us shows more",
		"user:3600s":            "hardly any CPU time was used",
	} {
		r := command(t, "-r", resource, "uses", "ask", "1")
		if r.want(0); !strings.Contains(r.stderr.String(), want) {
			t.Errorf("%s: %q, want %q", resource, &r.stderr, want)
		}
	}
}

// What is told of a resource is in the runs of that resource alone: here that whole intervals are far from all.
func TestNotesOfResource(t *testing.T) {
	r := command(t, "-paths", "-threads", "-r", "cpu:1ms", "-r", "faults:1000", "uses", "spin", "50", "touch", "2500")
	r.want(0)
	for resource, want := range map[string]bool{"cpu": false, "faults": true} {
		notes := strings.Join(r.of("uses", resource).Meta.Notes, "\n")
		if strings.Contains(notes, "faults: the kernel counted ") != want {
			t.Errorf("notes of %s: %q", resource, notes)
		}
	}
}

// Calls are counted in threads and children, too, which are made as without us.
func TestCallsOfFamilies(t *testing.T) {
	const times = 100
	r := command(t, "-paths", "-r", "calls:one:1", "-r", "calls:libc.so.6:fork:1", "family", fmt.Sprint(times))
	r.want(0)
	for _, resource := range []string{"calls:one", "calls:libc.so.6:fork"} {
		var weight uint64
		for _, run := range r.runs("family") {
			if run.Header.Resource == resource {
				w, _ := usage(t, run, "family")
				weight += w
			}
		}
		if want := map[string]uint64{"calls:one": 4 * times, "calls:libc.so.6:fork": 1}[resource]; weight != want {
			t.Errorf("%d %s, want %d", weight, resource, want)
		}
	}
}

// Each event is a sample if the interval is 1.
func TestEveryEvent(t *testing.T) {
	r := command(t, "-paths", "-r", "faults:1", "-r", "calls:reading:1", "-r", "calls:libc.so.6:read:1", "uses", "touch", "64", "read", "30", "100")
	r.want(0)
	for _, c := range []struct {
		resource string
		want     uint64
		path     []string
	}{
		{"faults", 64, []string{"touch", "main"}},
		{"calls:reading", 1, []string{"reading", "main"}},
		{"calls:libc.so.6:read", 30, []string{"libc.so.6", "reading", "main"}},
	} {
		run := r.of("uses", c.resource)
		weight, hits := usage(t, run, "uses", c.path...)
		few := uint64(0)
		if c.resource == "faults" {
			few = 3 // touching itself, and what it counts in
		}
		if weight < c.want || weight > c.want+few || hits != weight {
			t.Errorf("%s: %d hits weigh %d, want %d", c.resource, hits, weight, c.want)
		}
	}
}

// A call that moves several intervals of bytes has as many hits (section 5.1 of the 1993
// paper), and small ones count as much as they must.
func TestBytes(t *testing.T) {
	r := traced(t, "-paths", "-r", "read:1024", "-r", "write:1000", "uses-static", "read", "50", "10240", "write", "40", "5000")
	r.want(0)
	for resource, c := range map[string]struct {
		function   string
		interval   uint64
		hits, each int
	}{"read": {"reading", 1024, 10, 50}, "write": {"writing", 1000, 5, 40}} {
		run := r.of("uses-static", resource)
		n := 0
		for _, s := range run.Samples() {
			path := names(t, run, "uses-static", s)
			if s.Partial || len(path) < 3 || path[1] != c.function || path[2] != "main" {
				continue
			}
			n++
			if s.Count != uint64(c.hits) || s.Weight != s.Count*c.interval {
				t.Errorf("%s: a sample of %d hits weighs %d", resource, s.Count, s.Weight)
			}
		}
		if n != c.each {
			t.Errorf("%s: %d samples, want %d", resource, n, c.each)
		}
	}
	const small, calls = 100, 800
	r = traced(t, "-paths", "-r", "read:4096", "uses", "read", fmt.Sprint(calls), fmt.Sprint(small))
	r.want(0)
	weight, _ := usage(t, r.of("uses", "read"), "uses", "libc.so.6", "reading", "main")
	about(t, "small reads", weight, small*calls, 2*4096+remainder(8*small))
}

// Where calls come too fast for us, the samples near those that were lost stand for them; what none stands for is said.
func TestLostSamples(t *testing.T) {
	const small, calls = 100, 500000
	r := traced(t, "-paths", "-r", "write:100", "uses-static", "write", fmt.Sprint(calls), fmt.Sprint(small))
	r.want(0)
	run := r.of("uses-static", "write")
	weight, _ := usage(t, run, "uses-static")
	low := 0
	for _, note := range run.Meta.Notes {
		if _, rest, is := strings.Cut(note, "too low by some "); is {
			fmt.Sscanf(rest, "%d%%", &low)
		}
	}
	t.Logf("%d of %d samples lost, %d%% of them in no weight", run.Meta.Lost, calls, low)
	const whole = small * calls
	about(t, "fast writes", weight+uint64(low*whole/100), whole, 0.02*whole)
	if told := strings.Contains(strings.Join(run.Meta.Notes, "\n"), "write: samples near those that were lost stand for them"); told != (run.Meta.Lost > 0) {
		t.Errorf("%d samples lost; the notes are %q", run.Meta.Lost, run.Meta.Notes)
	}
}

// What is not there is refused, and what can be done about it is said.
func TestRefusedResources(t *testing.T) {
	refused := func(r *ring, status int, says string) {
		t.Helper()
		if got := r.status(); got != status || !strings.Contains(r.stderr.String(), says) {
			t.Errorf("%v: exit status %d, want %d; it says %q, want %q", r.Args, got, status, &r.stderr, says)
		}
	}
	if _, err := os.Stat("/sys/bus/event_source/devices/cpu"); err != nil {
		refused(command(t, "-r", "cycles", "true"), 125, "does not count them")
	} else {
		command(t, "-r", "cycles", "true").want(0)
	}
	const hide = "mount -t tmpfs none /sys/kernel"
	refused(within(t, hide, "-r", "read", "true"), 125, "mount -t tracefs tracefs /sys/kernel/tracing")
	refused(command(t, "-r", "calls:nothing", "uses", "step", "1"), 1, "uses has no function nothing; for one of a library give both names, such as calls:libc.so.6:malloc")
	refused(command(t, "-r", "calls:mmap", "uses", "step", "1"), 1, "uses has no function mmap; that of the library is calls:libc.so.6:mmap")
	script := filepath.Join(t.TempDir(), "script")
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	for first, interpreter := range map[string]string{"#!/bin/sh -e": "/bin/sh", "#! /usr/bin/env -S sh -e": shell} {
		if err := os.WriteFile(script, []byte(first+"\ntrue\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		refused(command(t, "-r", "calls:main", script), 1, "script is a script, whose functions the kernel does not know; a function of its interpreter is named calls:"+interpreter+":FUNCTION")
	}
	refused(command(t, "-r", "calls:nothing.so:f", "uses", "step", "1"), 1, "library nothing.so not found")
	for arg, says := range map[string]string{
		"bogus": "no resource", "calls": "function is missing", "faults:x": "not an interval", "faults:0": "from 1", "cpu:1": "such as 10ms",
		"alloc": "is measured in a program: profile -r alloc PROGRAM",
	} {
		refused(command(t, "-r", arg, "true"), 2, says)
	}
	refused(command(t, "-r", "faults", "-r", "faults:2", "true"), 2, "given twice")
	refused(command(t, "-r", "real", "-cpus", "true"), 2, "cannot be measured with -cpus")
	r := command(t, "-r", "switches", "true")
	r.SysProcAttr = unprivileged()
	refused(r, 125, "perf_event_paranoid")
	// For profile, with its name and its exit statuses.
	r = command(t, "-as", "profile", "-r", "switches", "true")
	r.SysProcAttr = unprivileged()
	refused(r, 1, "perf_event_paranoid")
	if text := r.stderr.String(); !strings.HasPrefix(text, "profile: ") || strings.Contains(text, "pct-ring: ") {
		t.Errorf("as profile: %q", text)
	}
	refused(command(t, "-as", "profile", "-r", "real", "-r", "real", "true"), 2, "profile: the resource real is given twice (profile -h explains)\n")
	r = command(t, "-paths", "-r", "faults:64", "uses", "touch", "640")
	r.SysProcAttr = unprivileged()
	refused(r, 0, "")
	weight, _ := usage(t, r.of("uses", "faults"), "uses", "touch", "main")
	about(t, "faults that an unprivileged user sees", weight, 640, remainder(64))
}
