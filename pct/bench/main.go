// Bench measures how long call path profiles take, beside perf report and go tool
// pprof on the same samples, in one run.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

const usage = `usage: bench [-F HZ] [-rounds N] [-bin DIR]

Has perf record sample the call paths of a Go compilation, imports them, and makes the same
profiles of them with pct, perf report and go tool pprof by turns: prints the wall
time, the CPU time and the memory of each.

  -F HZ       samples per second of CPU time (default 5000)
  -rounds N   of which the middle is printed (default 3)
  -bin DIR    where pct is (default ./bin)
  -h          print this

example: bench -rounds 1
`

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	rate := flags.Int("F", 5000, "")
	rounds := flags.Int("rounds", 3, "")
	bin := flags.String("bin", "bin", "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && (*rate < 1 || *rounds < 1):
		err = errors.New("-F and -rounds: want a number above 0")
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n%s", err, usage)
		return 2
	}
	dir, err := os.MkdirTemp("", "pct-bench")
	if err == nil {
		defer os.RemoveAll(dir)
		*bin, err = filepath.Abs(*bin)
	}
	if err == nil {
		err = compare(dir, *bin, *rate, *rounds, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	return 0
}

// A contender is a command that makes a profile.
type contender struct {
	what string
	argv []string
}

// compare samples, imports, and prints the table.
func compare(dir, bin string, rate, rounds int, out io.Writer) error {
	recorded, runs, profile := filepath.Join(dir, "perf.data"), filepath.Join(dir, "runs"), filepath.Join(dir, "profile.pb.gz")
	pct := filepath.Join(bin, "pct")
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
		{"", perf("--children", "-g", "none")},
		{"", pprof("-top", "-cum")},
		{"functions by themselves", ours("body")},
		{"", perf("--no-children", "-g", "none")},
		{"", pprof("-top")},
		{"from a root downwards", ours("down", "cmd/compile/internal/gc.Main")},
		{"", perf("--children", "-g", "caller,0.5,callee")},
		{"to a root upwards", ours("up", "runtime.mallocgc")},
		{"", perf("--no-children", "-g", "callee", "-S", "runtime.mallocgc")},
		{"", pprof("-peek", "runtime.mallocgc$")},
		{"the file for pprof", ours("pprof", "-O", os.DevNull)},
	}
	costs := make([][]cost, len(contenders))
	for range rounds {
		for i, c := range contenders {
			one, err := measure(c.argv)
			if err != nil {
				return err
			}
			costs[i] = append(costs[i], one)
		}
	}
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
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "profile\tby\twall, s\tCPU, s\tMB")
	for i, c := range contenders {
		m := middle(costs[i])
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%d\n", c.what, c.name(), m.wall.Seconds(), m.cpu.Seconds(), m.kilobytes>>10)
	}
	return w.Flush()
}

// name says which tool it is, and what that does.
func (c contender) name() string {
	words := slices.DeleteFunc(slices.Clone(c.argv), func(word string) bool { return strings.Contains(word, "/pct-bench") || word == "-i" })
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

// cost is what a command took, with the processes that it waited for.
type cost struct {
	wall, cpu time.Duration
	kilobytes int64 // the most memory of one process
}

func measure(argv []string) (cost, error) {
	var complaint bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = &complaint
	start := time.Now()
	err := cmd.Run()
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", strings.Join(argv[:min(4, len(argv))], " "), err, complaint.String())
	}
	c := cost{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.kilobytes = usage.Maxrss
	}
	return c, nil
}

// middle is the cost of the round whose wall time is the middle one.
func middle(all []cost) cost {
	all = slices.SortedFunc(slices.Values(all), func(a, b cost) int { return cmp.Compare(a.wall, b.wall) })
	return all[len(all)/2]
}
