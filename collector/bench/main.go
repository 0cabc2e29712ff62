// Bench measures what the library's samples cost and how true they are, beside
// perf record and gperftools' profiler, in one run.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

const usage = `usage: bench [-long] [-quick] [-run REGEXP] [-rounds N] [-bin DIR]

Runs programs bare and sampled in several ways, by turns, and prints what that
costs in CPU time, what a sample costs, how long a process takes that ends at
once, and how far shares of functions are off. Then the same of call paths, how
many of them are whole, and how much data they make.

  -long        more rounds: some fifty minutes instead of ten
  -quick       call paths of programs that are a tenth as long: no more than a trial
  -run REGEXP  only the programs and tables whose name matches, such as 'bzip2'
               or 'gaps|starts|short'; of call paths the programs are
               'paths/gcc' and so on, and 'overhead/gcc', the tables
               'paths-gaps', 'paths-report' and 'coverage' (intervals of -calls
               that hold the truth); 'distortion/gcc' is by how much its
               functions' shares are off, 'distortion' that of all;
               'waits/pipes' is that of a program that waits, 'waits' that
               of all such
  -rounds N    no more than N rounds (default: as many as there is time for)
  -bin DIR     below which lib/libpct.so is (default ./bin)
  -h           print this

example: bench -run 'python3|gaps'
`

// options are the command line and what follows from it.
type options struct {
	run    *regexp.Regexp
	rounds int
	bin    string
	budget time.Duration // for the table of CPU time; as much for the distortion
	long   bool
	quick  bool
	// pathBudget is for the table of call paths; a tenth of that for each depth of their gaps.
	pathBudget time.Duration
	waitBudget time.Duration // for each program that waits
}

func parseOptions(args []string) (options, error) {
	o := options{budget: 100 * time.Second, pathBudget: 4 * time.Minute, waitBudget: 30 * time.Second}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.long, "long", false, "")
	flags.BoolVar(&o.quick, "quick", false, "")
	pattern := flags.String("run", "", "")
	flags.IntVar(&o.rounds, "rounds", 1000, "")
	bin := flags.String("bin", "bin", "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.rounds < 1 {
		return o, errors.New("-rounds: want a number above 0")
	}
	if o.long {
		o.budget, o.pathBudget, o.waitBudget = 12*time.Minute, 25*time.Minute, 150*time.Second
	}
	var err error
	if o.run, err = regexp.Compile(*pattern); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	o.bin, err = filepath.Abs(*bin)
	return o, err
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "bench: %v\n%s", err, usage)
		return 2
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, dir: dir, out: stdout, err: stderr}
	if file, ok := stderr.(*os.File); ok {
		info, err := file.Stat()
		b.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	if err := b.all(); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	if b.failures > 0 {
		fmt.Fprintf(stderr, "bench: %d measurements failed\n", b.failures)
		return 1
	}
	return 0
}
