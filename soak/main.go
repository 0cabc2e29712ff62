// Soak harms programs that are profiled, and what profiles them, at random, for as long as it is told to: kills of every
// part at random instants, trees of processes, attaching again and again, disks that fill up, data directories
// that change while they are written. The programs must write what they write by themselves, and data must be readable.
//
//	soak [-bin DIR] [-minutes M] [-seed N] [-rounds N] [TRIAL...]
//
// Each failure is told with the seed of its round: `soak -seed N -rounds 1 TRIAL` makes the same choices again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// A soaking is one execution of this command.
type soaking struct {
	bin, programs, dir string
}

// A trial is a kind of harm: one round of it, by choices of r. It returns what went wrong.
type trial struct {
	name  string
	round func(s *soaking, ctx context.Context, dir string, r *rand.Rand) error
}

var trials = []trial{
	{"trees", trees},
	{"kills", kills},
	{"attach", attach},
	{"disk", disk},
	{"renames", renames},
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	bin := flags.String("bin", "bin", "the directory of the commands")
	minutes := flags.Float64("minutes", 60, "end after so many")
	rounds := flags.Int("rounds", 0, "end after so many rounds of each trial; 0: no limit")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()%1e9), "of the first round; others count on")
	whole := flags.Bool("matrix", false, "the whole matrix first, for half the time at most")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	chosen := slices.DeleteFunc(slices.Clone(trials), func(t trial) bool { return flags.NArg() > 0 && !slices.Contains(flags.Args(), t.name) })
	if len(chosen) == 0 || flags.NArg() > len(chosen) {
		fmt.Fprintf(stderr, "soak: no such trial among %q\n", flags.Args())
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer stop()
	end := time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	s, err := begin(*bin)
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	defer os.RemoveAll(s.dir)

	failed := 0
	if *whole && !matrixWhole(ctx, end.Add(-time.Until(end)/2), stdout) {
		failed++
	}
	counts := map[string]int{}
	fmt.Fprintf(stdout, "soak: the first seed is %d\n", *seed)
	for n := 0; ctx.Err() == nil && time.Now().Before(end) && (*rounds == 0 || n < *rounds*len(chosen)); n++ {
		t, number := chosen[n%len(chosen)], *seed+uint64(n/len(chosen))
		dir := filepath.Join(s.dir, fmt.Sprint(n))
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			err = t.round(s, ctx, dir, rand.New(rand.NewPCG(number, number)))
		}
		if ctx.Err() != nil {
			break
		}
		counts[t.name]++
		if err != nil {
			failed++
			fmt.Fprintf(stdout, "soak: FAILED: -seed %d -rounds 1 %s: %v\n", number, t.name, err)
		}
		os.RemoveAll(dir)
	}
	if err := reap(time.Minute); err != nil {
		failed++
		fmt.Fprintln(stdout, "soak:", err)
	}
	for _, t := range chosen {
		fmt.Fprintf(stdout, "soak: %s: %d rounds\n", t.name, counts[t.name])
	}
	if failed > 0 {
		fmt.Fprintf(stdout, "soak: %d failed\n", failed)
		return 1
	}
	return 0
}

// begin compiles the programs. Orphans become our children.
func begin(bin string) (*soaking, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, err
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(bin, "profile")); err != nil {
		return nil, fmt.Errorf("no commands there (make builds them): %w", err)
	}
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return nil, err
	}
	s := &soaking{bin: bin, dir: dir, programs: dir}
	for _, name := range []string{"family", "steady"} {
		source := filepath.Join("soak", "testdata", name+".c")
		if _, err := os.Stat(source); err != nil {
			source = filepath.Join("testdata", name+".c")
		}
		args := []string{"-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", filepath.Join(dir, name), source}
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("gcc %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return s, nil
}

// reap waits until we have no children any more.
func reap(patience time.Duration) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return nil
		case pid == 0 && time.Now().After(deadline):
			out, _ := exec.Command("ps", "-o", "pid,ppid,stat,wchan:20,args", "--ppid", fmt.Sprint(os.Getpid())).Output()
			return fmt.Errorf("processes are left over:\n%s", out)
		}
	}
}

// matrixWhole runs the whole matrix test and says whether it passed; when the time is over it is ended, which is no failure.
func matrixWhole(ctx context.Context, end time.Time, stdout io.Writer) bool {
	timed, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	cmd := exec.CommandContext(timed, "go", "test", "-count=1", "-timeout", "10h", "-v", "./matrix", "-args", "-whole")
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	failed := strings.Contains(string(out), "--- FAIL")
	if failed {
		fmt.Fprintf(stdout, "%s", out)
	}
	fmt.Fprintf(stdout, "soak: the matrix: %v\n", errors.Join(err, timed.Err()))
	return !failed && (err == nil || timed.Err() != nil)
}
