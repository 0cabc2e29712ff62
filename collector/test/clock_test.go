package collector_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// No event has a period that is hardly longer than an interrupt: such a one would hold up a processor for good.
func TestShortestPeriod(t *testing.T) {
	opened := regexp.MustCompile(`sample_period=(\d+)`)
	for _, c := range []struct {
		letters string
		period  time.Duration // that is got
		least   time.Duration // of any event
	}{
		{"q1", 100 * time.Microsecond, 50 * time.Microsecond},
		{"r1 q100", 100 * time.Microsecond, 50 * time.Microsecond},
		{"r1 q1000", time.Millisecond, 100 * time.Microsecond},
	} {
		s := prepare(t, c.letters, "target", "ratio", "0.1")
		// Of the program alone: strace is not to be sampled.
		own := len(s.command.Env) - 4 // $PCT, where it's kept, and the library
		var variables []string
		for _, v := range s.command.Env[own:] {
			variables = append(variables, "-E", v)
		}
		log := filepath.Join(t.TempDir(), "log")
		arguments := append([]string{"-f", "-e", "trace=perf_event_open", "-o", log}, variables...)
		traced := exec.Command("strace", append(arguments, s.command.Args...)...)
		traced.Env = s.command.Env[:own]
		if out, err := traced.CombinedOutput(); err != nil || string(out) != "done\n" {
			t.Fatalf("%s: %v\n%s", c.letters, err, out)
		}
		calls, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		found := opened.FindAllStringSubmatch(string(calls), -1)
		if len(found) == 0 {
			t.Fatalf("%s: no event was opened", c.letters)
		}
		for _, f := range found {
			if ns, err := strconv.ParseInt(f[1], 10, 64); err != nil || time.Duration(ns) < c.least {
				t.Errorf("%s: an event has a period of %s ns", c.letters, f[1])
			}
		}
		dirs := s.dirs(0)
		if len(dirs) != 1 {
			t.Fatalf("%s: run directories: %v", c.letters, dirs)
		}
		for object, counts := range countsOf(t, dirs[0]) {
			if counts.Period != c.period {
				t.Errorf("%s: %s has a period of %v, want %v", c.letters, object, counts.Period, c.period)
			}
		}
	}
}

// Each event that is due is one sample, whether the kernel's tick hides it or not, and what no event saw is the kernel's.
func TestKernelClock(t *testing.T) {
	if out, err := exec.Command(filepath.Join(built, "kernelclock")).CombinedOutput(); err != nil || string(out) != "done\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
