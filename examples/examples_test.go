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

	"github.com/profilecollection/pct/internal/chance"
)

// prefix is where the commands under test are installed.
var prefix = filepath.Join(os.TempDir(), fmt.Sprintf("pct-examples-%d", os.Getpid()))

func TestMain(m *testing.M) {
	status := 1
	os.Setenv("PCT_CACHE", filepath.Join(prefix, "cache")) // not the user's own
	if err := install(prefix); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		status = m.Run()
	}
	os.RemoveAll(prefix)
	os.Exit(status)
}

func TestExamples(t *testing.T) {
	chance.Scripts(t, testscript.Params{
		Dir: ".",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Join(prefix, "bin")+":/usr/local/bin:/usr/bin:/bin")
			env.Setenv("PCT_DIR", filepath.Join(env.WorkDir, "data"))
			env.Setenv("PCT_CACHE", os.Getenv("PCT_CACHE"))
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
// the samples, within the error to be expected of so many of them: a quantity that chance decides.
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
	p := want / 100
	chance.Of(ts).Check(chance.Quantity{
		Name: strings.Join(args[:2], " "), Got: got / 100, Want: p,
		Error: math.Sqrt(max(n*p*(1-p), 1)) / n, Bias: 0.02,
		Why: fmt.Sprintf("binomial error of %g samples, or of a line that has everything one sample that met the program "+
			"while it was loaded; no machine runs both halves of a test at quite one speed", n),
	})
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
