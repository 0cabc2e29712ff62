package main_test

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// TestParts: a function has the share of the samples that it has of the CPU time by the program's own clock, where the
// rest is the kernel's: also for users whose events the kernel gives no look into it, and where it blocks a clock's signal.
// The samples stand for all of its CPU time, and no more.
func TestParts(t *testing.T) {
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
			if c.as != nil && os.Geteuid() != 0 {
				c.as = nil // this user is none of the privileged
			}
			// The names of what was sampled may be kept there after dbctl has ended.
			root, err := os.MkdirTemp(tree.dir, "parts-")
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Chmod(tree.dir, 0o755), os.Chmod(root, 0o777|os.ModeSticky)); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(filepath.Join(tree.bin, "dbctl"), "-o", root, "-D", "clock=perf", "-D", "interval=1000",
				"profile.dbctl", filepath.Join(tree.targets, "parts"), c.spins, c.bytes, "700", c.blocks)
			cmd.Env, cmd.SysProcAttr, cmd.Stderr = environment(t), c.as, os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			want, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				t.Fatal(err)
			}
			dirs, err := filepath.Glob(filepath.Join(root, "parts.*"))
			if err != nil || len(dirs) != 1 {
				t.Fatalf("run directories %q, %v", dirs, err)
			}
			r, err := data.Open(dirs[0])
			if err != nil {
				t.Fatal(err)
			}
			var sampled time.Duration
			for _, s := range r.Samples {
				sampled += time.Duration(s.Weight) * time.Microsecond
			}
			if off := sampled.Seconds()/r.Meta.CPU.Seconds() - 1; !(math.Abs(off) < 0.1) {
				t.Errorf("samples of %v in %v of CPU time", sampled, r.Meta.CPU)
			}
			got, n := shareOf(t, dirs[0], "work")
			p := want / 100
			if bound := 100 * 5 * math.Sqrt(p*(1-p)/n); math.Abs(got-want) > bound+1 {
				t.Errorf("work has %.1f%% of the samples and %.1f%% of the time: more than %.1f off (%.0f samples)", got, want, bound+1, n)
			}
		})
	}
}

// shareOf is the share of a function in percent, and how many samples of equal weight would be as exact
// as those of the run.
func shareOf(t *testing.T, dir, function string) (percent, samples float64) {
	r, err := data.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var sum, squares float64
	for _, s := range r.Samples {
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
