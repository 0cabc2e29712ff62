package main_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// TestShareBesideKernel: a function has the share of the samples that it has of the CPU time by the program's own clock, where the
// rest is the kernel's: also for users whose events the kernel gives no look into it, and where it blocks a clock's signal.
func TestShareBesideKernel(t *testing.T) {
	nobody := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	for _, c := range []struct {
		name         string
		spins, bytes string
		blocks       string
		as           *syscall.SysProcAttr
	}{
		{"perf", "10000", "200000", "none", nil},
		{"unprivileged", "10000", "200000", "none", nobody},
		{"mostly kernel", "3000", "1000000", "none", nobody},
		{"blocks SIGURG", "10000", "200000", "urg", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chance.Test(t, func(d *chance.Draw) { parts(d, c.as, c.spins, c.bytes, c.blocks) })
		})
	}
}

// parts runs the program once, and has work's share of the samples be that of its CPU time.
func parts(d *chance.Draw, as *syscall.SysProcAttr, spins, bytes, blocks string) {
	if as != nil && os.Geteuid() != 0 {
		as = nil // this user is none of the privileged
	}
	// The names of what was sampled may be kept there after dbctl has ended.
	root, err := os.MkdirTemp(tree.dir, "parts-")
	if err != nil {
		d.Fatal(err)
	}
	if err := errors.Join(os.Chmod(tree.dir, 0o755), os.Chmod(root, 0o777|os.ModeSticky)); err != nil {
		d.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(tree.bin, "dbctl"), "-o", root, "-D", "clock=perf", "-D", "interval=1000",
		"profile.dbctl", filepath.Join(tree.targets, "parts"), spins, bytes, "700", blocks)
	cmd.Env, cmd.SysProcAttr, cmd.Stderr = environment(d), as, os.Stderr
	before := chance.Stolen(d)
	out, err := cmd.Output()
	if err != nil {
		d.Fatal(err)
	}
	stolen := chance.Stolen(d) - before
	want, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		d.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(root, "parts.*"))
	if err != nil || len(dirs) != 1 {
		d.Fatalf("run directories %q, %v", dirs, err)
	}
	got, n := shareOf(d, dirs[0], "work")
	q := chance.Share("work", got/100*n, n, want/100)
	told := toldTooMuch(d, dirs[0])
	q.Bias = 0.01 + stolen.Seconds()/0.7 + told
	q.Why += fmt.Sprintf("; the program's own clocks take a hundredth, %v of 700 ms were stolen, which the clock counts, and the run says that interrupts are up to %.2f", stolen, told)
	d.Check(q)
}

// toldTooMuch is how much of the time a run says to have counted as the kernel's though it may be that of interrupts.
func toldTooMuch(t testing.TB, dir string) float64 {
	r, err := data.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`\(up to about ([0-9]+) points too much\)`).FindStringSubmatch(strings.Join(r.Meta.Notes, "\n"))
	if m == nil {
		return 0
	}
	points, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return points / 100
}

// shareOf is the share of a function in percent, and how many samples of equal weight would be as exact
// as those of the run.
func shareOf(t testing.TB, dir, function string) (percent, samples float64) {
	r, err := data.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var sum, squares float64
	for _, s := range r.Samples() {
		sum += float64(s.Weight)
		squares += float64(s.Weight) * float64(s.Weight)
	}
	if sum == 0 {
		t.Fatal("there are no samples")
	}
	out, err := exec.Command(filepath.Join(tree.bin, "pct"), "sym%", "-threshold", "0", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^ *([0-9.]+)% .*:` + function + `$`).FindSubmatch(out)
	if row != nil {
		if percent, err = strconv.ParseFloat(string(row[1]), 64); err != nil {
			t.Fatal(err)
		}
	}
	return percent, sum * sum / squares
}
