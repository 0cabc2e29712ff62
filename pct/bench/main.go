// Package bench measures how long call path profiles take, beside perf report and go tool
// pprof on the same samples, in one run.
package bench

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/bench/harness"
)

const usage = `usage: bench reports [-F HZ] [-run REGEXP] [-rounds N] [-bin DIR]

Has perf record sample the call paths of a Go compilation, imports them, and makes the same
profiles of them with pct, perf report and go tool pprof by turns: prints the wall
time, the CPU time and the memory of each.

  -F HZ       samples per second of CPU time (default 5000)
  -run REGEXP only the profiles whose name matches, such as 'root'
  -rounds N   of which the middle is printed (default 3)
  -bin DIR    where pct is (default ./bin)
  -h          print this

example: bench reports -rounds 1
`

// Part is the benchmark of reports.
func Part() harness.Part {
	var rate *int
	return harness.Part{
		Name: "reports", Usage: usage, Rounds: 3,
		Flags: func(flags *flag.FlagSet) { rate = flags.Int("F", 5000, "") },
		Measure: func(r *harness.Run) error {
			if *rate < 1 {
				return errors.New("-F: want a number above 0")
			}
			return compare(r, *rate)
		},
	}
}

// A contender is a command that makes a profile.
type contender struct {
	what string
	argv []string
}

// compare samples, imports, and prints the table.
func compare(r *harness.Run, rate int) error {
	dir, out := r.Dir, r.Out
	recorded, runs, profile := filepath.Join(dir, "perf.data"), filepath.Join(dir, "runs"), filepath.Join(dir, "profile.pb.gz")
	pct := filepath.Join(r.Bin, "pct")
	script := filepath.Join(dir, "script")
	for _, argv := range [][]string{
		{"perf", "record", "-q", "-g", "-e", "cpu-clock:u", "-F", fmt.Sprint(rate), "-o", recorded, "go", "build", "-a", "-o", filepath.Join(dir, "gofmt"), "cmd/gofmt"},
		{"sh", "-c", `perf script -i "$1" -F +pid > "$2"`, "sh", recorded, script},
		{pct, "import", "-o", runs, script},
	} {
		if _, err := measure(argv); err != nil {
			return err
		}
	}
	dirs, err := compilers(runs)
	if err != nil {
		return err
	}
	ours := func(args ...string) []string { return append(append([]string{pct}, args...), dirs...) }
	perf := func(args ...string) []string {
		return append([]string{"perf", "report", "-i", recorded, "--stdio", "--comm", "compile"}, args...)
	}
	pprof := func(args ...string) []string {
		return append(append([]string{"go", "tool", "pprof"}, args...), profile)
	}
	if _, err := measure(ours("pprof", "-O", profile)); err != nil {
		return err
	}
	contenders := []contender{
		{"functions, with callees", ours("fn")},
		{"functions, with callees", perf("--children", "-g", "none")},
		{"functions, with callees", pprof("-top", "-cum")},
		{"functions by themselves", ours("body")},
		{"functions by themselves", perf("--no-children", "-g", "none")},
		{"functions by themselves", pprof("-top")},
		{"from a root downwards", ours("down", "cmd/compile/internal/gc.Main")},
		{"from a root downwards", perf("--children", "-g", "caller,0.5,callee")},
		{"to a root upwards", ours("up", "runtime.mallocgc")},
		{"to a root upwards", perf("--no-children", "-g", "callee", "-S", "runtime.mallocgc")},
		{"to a root upwards", pprof("-peek", "runtime.mallocgc$")},
		{"the file for pprof", ours("pprof", "-O", os.DevNull)},
	}
	contenders = slices.DeleteFunc(contenders, func(c contender) bool { return !r.Match.MatchString(c.what) })
	costs := make([][]harness.Cost, len(contenders))
	r.InRounds(0, func() {
		for i, c := range contenders {
			one, wrong := measure(c.argv)
			if wrong != nil {
				r.Fail(c.what, c.name(dir), wrong)
				continue
			}
			costs[i] = append(costs[i], one)
		}
	})
	head, err := exec.Command(pct, append([]string{"fn", "-n", "1"}, dirs...)...).Output()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The Go compiler, %d processes, sampled by perf record -g -F %d\n", len(dirs), rate)
	for line := range strings.Lines(string(head)) {
		if strings.Contains(line, "samples") {
			fmt.Fprint(out, line)
			break
		}
	}
	w := r.Table()
	fmt.Fprintln(w, "profile\tby\twall, s\tCPU, s\tMB")
	for i, c := range contenders {
		if i > 0 && c.what == contenders[i-1].what {
			c.what = "" // told once
		}
		if len(costs[i]) == 0 {
			fmt.Fprintf(w, "%s\t%s\tn/a\n", c.what, c.name(dir))
			continue
		}
		// The cost of the round whose wall time is the middle one.
		m := harness.Middle(costs[i], func(a, b harness.Cost) int { return cmp.Compare(a.Wall, b.Wall) })
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%d\n", c.what, c.name(dir), m.Wall.Seconds(), m.CPU.Seconds(), m.Kilobytes>>10)
	}
	return w.Flush()
}

// name says which tool it is, and what that does, without files of ours in dir.
func (c contender) name(dir string) string {
	words := slices.DeleteFunc(slices.Clone(c.argv), func(word string) bool { return strings.Contains(word, dir) || word == "-i" })
	words[0] = filepath.Base(words[0])
	return strings.Join(words[:min(len(words), 8)], " ")
}

// compilers are the run directories of the compiler's processes.
func compilers(runs string) ([]string, error) {
	dirs, err := filepath.Glob(filepath.Join(runs, "compile.*"))
	if err == nil && len(dirs) == 0 {
		err = errors.New("the compiler was not sampled")
	}
	return dirs, err
}

func measure(argv []string) (harness.Cost, error) {
	c, err := harness.Measure(exec.Command(argv[0], argv[1:]...), 0)
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(argv[:min(4, len(argv))], " "), err)
	}
	return c, err
}
