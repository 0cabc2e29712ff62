// Package examples_test runs the examples: each .txtar file of this directory is
// a page of documentation, a script (see testscript) and its files in one.
//
// The commands under test are installed as `make install` does it, into a
// directory of their own.
package examples_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// prefix is where the commands under test are installed.
var prefix = filepath.Join(os.TempDir(), fmt.Sprintf("pct-examples-%d", os.Getpid()))

func TestMain(m *testing.M) {
	status := 1
	if err := install(prefix); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		status = m.Run()
	}
	os.RemoveAll(prefix)
	os.Exit(status)
}

func TestExamples(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: ".",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Join(prefix, "bin")+":/usr/local/bin:/usr/bin:/bin")
			env.Setenv("PCT_DIR", filepath.Join(env.WorkDir, "data"))
			env.Setenv("LC_ALL", "C.UTF-8")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"share":   share,
			"between": between,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// install runs `make install`; what it builds goes below prefix too.
func install(prefix string) error {
	cmd := exec.Command("make", "-C", "..", "install", "BIN="+filepath.Join(prefix, "build"), "PREFIX="+prefix)
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "DESTDIR=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

var sampleCount = regexp.MustCompile(`\b(\d+) samples?\b`)

// share FILE TEXT PERCENT: the line of a report that ends in TEXT has that share of
// the samples, within the error to be expected of so many of them.
func share(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: share file text percent")
	}
	report, text := ts.ReadFile(args[0]), args[1]
	want, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	m := sampleCount.FindStringSubmatch(report)
	if m == nil {
		ts.Fatalf("no number of samples in\n%s", report)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	ts.Check(err)
	got, err := percentOf(report, text)
	if err != nil {
		ts.Fatalf("%v in\n%s", err, report)
	}
	if t := tolerance(want, n); math.Abs(got-want) > t {
		ts.Fatalf("%s has %.1f%%, want %.1f%% ± %.1f (%g samples)\n%s", text, got, want, t, n, report)
	}
}

// tolerance is how far, in percent points, the share of one line may be from its
// true value: four standard errors of n samples (once in 16,000 runs by chance), and
// two points because no machine runs both halves of a test at quite one speed. The
// variance is that of one sample at least: of a line that has everything, one may have
// met the program while it was loaded.
func tolerance(percent, n float64) float64 {
	p := percent / 100
	return 400*math.Sqrt(max(n*p*(1-p), 1))/n + 2
}

// percentOf reads the number before "%" from the line that ends in text.
func percentOf(report, text string) (float64, error) {
	for line := range strings.Lines(report) {
		number, rest, found := strings.Cut(line, "%")
		if found && strings.TrimSpace(rest) == text {
			return strconv.ParseFloat(strings.TrimSpace(number), 64)
		}
	}
	return 0, fmt.Errorf("no line for %s", text)
}

// between FILE LOW HIGH: the file is one number, within these bounds.
func between(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: between file low high")
	}
	var x [3]float64
	for i, s := range []string{strings.TrimSpace(ts.ReadFile(args[0])), args[1], args[2]} {
		var err error
		x[i], err = strconv.ParseFloat(s, 64)
		ts.Check(err)
	}
	if x[0] < x[1] || x[0] > x[2] {
		ts.Fatalf("%g is not between %g and %g", x[0], x[1], x[2])
	}
}
