package main_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// TestScripts runs testdata/*.txtar: dbctl on real programs, with the real
// debugger. Their commands share and threads state quantities that chance decides.
func TestScripts(t *testing.T) {
	chance.Scripts(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", strings.Join([]string{tree.bin, tree.targets, "/usr/local/bin:/usr/bin:/bin"}, ":"))
			env.Setenv("PCT_DIR", filepath.Join(env.WorkDir, "data"))
			env.Setenv("SCRIPTS", filepath.Join(tree.dir, "scripts"))
			sources, err := filepath.Abs("../internal/expression/testdata")
			if err != nil {
				return err
			}
			env.Setenv("SOURCES", sources)
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("LC_ALL", "C.UTF-8")
			before := chance.Stolen(t)
			env.Values[stolenBefore{}] = &before
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":   status,
			"run":      onlyRun,
			"share":    share,
			"threads":  threads,
			"sampled":  sampled,
			"wait-for": waitForText,
		},
		Condition:           condition,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// condition debug-registers: on this machine they trap.
func condition(name string) (bool, error) {
	if name != "debug-registers" {
		return false, fmt.Errorf("there is no condition %s", name)
	}
	return tracer.DebugRegisters() == nil, nil
}

// stolenBefore is the key of chance.Stolen when the latest command of status began.
type stolenBefore struct{}

// stolen is what the host has taken from our processors since then.
func stolen(ts *testscript.TestScript) time.Duration {
	return chance.Stolen(chance.Of(ts)) - *ts.Value(stolenBefore{}).(*time.Duration)
}

// status N COMMAND ARG…: the command exits with this status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status n command [arg...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	*ts.Value(stolenBefore{}).(*time.Duration) = chance.Stolen(chance.Of(ts))
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s exited with %d, want %d\nstdout: %s\nstderr: %s", args[1], got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// run NAME [PROG]: calls the only run directory (of PROG) NAME from now on.
func onlyRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: run name [prog]")
	}
	prog := "*"
	if len(args) == 2 {
		prog = args[1]
	}
	dirs, err := filepath.Glob(filepath.Join(ts.Getenv("PCT_DIR"), prog+".[0-9]*"))
	ts.Check(err)
	if len(dirs) != 1 {
		ts.Fatalf("%d run directories of %s, want one: %v", len(dirs), prog, dirs)
	}
	ts.Check(os.Rename(dirs[0], ts.MkAbs(args[0])))
}

// speeds is the bias that a share may have because no machine runs two parts of a program at quite
// one speed.
const speeds = 0.02

// share FILE TEXT PERCENT: this part of the lines of a file contain the text.
// With FILE a run directory, of its values: share DIR FIELD=VALUE PERCENT.
func share(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: share file text percent")
	}
	want, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	want /= 100
	n, with := 0, 0
	if fi, err := os.Stat(ts.MkAbs(args[0])); err == nil && fi.IsDir() {
		n, with = countValues(ts, args[0], args[1])
	} else {
		for line := range strings.Lines(ts.ReadFile(args[0])) {
			n++
			if strings.Contains(line, args[1]) {
				with++
			}
		}
	}
	if n < 20 {
		ts.Fatalf("%d are too few to tell a share", n)
	}
	q := chance.Share(strings.Join(args[:2], " "), float64(with), float64(n), want)
	q.Bias, q.Why = speeds, q.Why+"; parts of a program differ in speed"
	chance.Of(ts).Check(q)
}

// countValues counts the samples that have the field, and those with the value.
func countValues(ts *testscript.TestScript, dir, text string) (n, with int) {
	name, value, _ := strings.Cut(text, "=")
	r, err := data.Open(ts.MkAbs(dir))
	ts.Check(err)
	for _, s := range r.Samples() {
		for _, f := range s.Fields {
			if r.Fields[f.Field] == name {
				n++
				if f.Value == value {
					with++
				}
			}
		}
	}
	return n, with
}

// threads DIR FILE: the samples of a run are shared by its threads as their CPU
// time was, which FILE tells, a line "TID MS" each.
func threads(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: threads dir file")
	}
	r, err := data.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	samples := map[uint32]float64{}
	total := 0.0
	for _, s := range r.Samples() {
		w := float64(s.Weight) / float64(r.Header.Period.Microseconds())
		samples[s.Thread] += w
		total += w
	}
	used := map[uint32]float64{}
	sum := 0.0
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		var tid uint32
		var ms float64
		if _, err := fmt.Sscan(line, &tid, &ms); err != nil {
			ts.Fatalf("%s: %q: %v", args[1], line, err)
		}
		used[tid] = ms
		sum += ms
	}
	if total < 50 || len(used) < 2 {
		ts.Fatalf("%g samples of %d threads are too few", total, len(used))
	}
	taken := stolen(ts).Seconds() / (total * r.Header.Period.Seconds())
	n := 0
	for _, tid := range slices.Sorted(maps.Keys(used)) {
		n++
		q := chance.Share(fmt.Sprintf("%s thread %d", args[0], n), samples[tid], total, used[tid]/sum)
		q.Bias = speeds + taken
		q.Why += fmt.Sprintf("; %.2g of the time was stolen, which the clock counts as some thread's", taken)
		chance.Of(ts).Check(q)
		delete(samples, tid)
	}
	if len(samples) > 1 { // the main thread
		ts.Fatalf("samples of threads that the program does not know: %v", samples)
	}
}

// sampled DIR PERCENT: the samples of a run account for its CPU time but for PERCENT, what the start
// of the program and one period per thread make, and what was stolen, which the clock counts.
func sampled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sampled dir percent")
	}
	slack, err := strconv.ParseFloat(args[1], 64)
	ts.Check(err)
	r, err := data.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	seen := map[uint32]bool{}
	var weight uint64
	for _, s := range r.Samples() {
		weight += s.Weight
		seen[s.Thread] = true
	}
	got, want := float64(weight)/1000, float64(r.Meta.CPU.Microseconds())/1000
	period := float64(r.Header.Period.Microseconds()) / 1000
	allowed, taken := want*slack/100+period*float64(1+len(seen))+5, float64(stolen(ts).Microseconds())/1000
	if want == 0 || got < want-allowed || got > want+allowed+taken {
		ts.Fatalf("samples make %.1f ms of %.1f ms of CPU time (%d samples, period %g ms, %d threads, %.0f ms were stolen)",
			got, want, len(r.Samples()), period, len(seen), taken)
	}
}

// wait-for FILE TEXT: the file comes to hold the text within a minute.
func waitForText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: wait-for file text")
	}
	deadline := time.Now().Add(time.Minute)
	for {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if strings.Contains(string(text), args[1]) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not come to hold %q: %q (%v)", args[0], args[1], text, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
