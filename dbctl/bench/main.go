// Bench measures what a sample costs the program that is sampled, for how long
// it stands still, with dbctl and with the usual ways to do the same with gdb,
// side by side in one run.
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

const usage = `usage: bench [-quick] [-run REGEXP] [-rounds N] [-bin DIR]

Samples a program of known stack depth in several ways and prints for how long
each sample stopped it, then how fast gdb's answers are parsed.

  -quick       two short rounds, less than 40 seconds
  -run REGEXP  only the rows whose name matches, such as 'path' or 'depth 50'
  -rounds N    measure everything N times (default 5; 2 if -quick)
  -bin DIR     where dbctl is (default ./bin)
  -h           print this

example: bench -quick -run 'path at depth 50'
`

// options are the command line and what follows from it.
type options struct {
	run    *regexp.Regexp
	rounds int
	dbctl  string
	burn   time.Duration // CPU time of a run of the target
	budget time.Duration // no round begins that is expected to end later
}

func parseOptions(args []string) (options, error) {
	o := options{burn: 400 * time.Millisecond, budget: 140 * time.Second}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	quick := flags.Bool("quick", false, "")
	pattern := flags.String("run", "", "")
	flags.IntVar(&o.rounds, "rounds", 0, "")
	bin := flags.String("bin", "bin", "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.rounds < 0 {
		return o, errors.New("-rounds: want a number above 0")
	}
	if *quick {
		o.burn, o.budget = 200*time.Millisecond, 36*time.Second
	}
	if o.rounds == 0 {
		o.rounds = 5
		if *quick {
			o.rounds = 2
		}
	}
	var err error
	if o.run, err = regexp.Compile(*pattern); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	if o.dbctl, err = filepath.Abs(filepath.Join(*bin, "dbctl")); err != nil {
		return o, err
	}
	return o, nil
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
	if _, err := os.Stat(o.dbctl); err != nil {
		fmt.Fprintf(stderr, "bench: no dbctl (-bin DIR says where it is): %v\n", err)
		return 1
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, dir: dir, out: stdout, err: stderr, samples: make(map[cell][]sampled)}
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
