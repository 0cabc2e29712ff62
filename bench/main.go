// Bench runs the benchmarks and prints one page.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/profilecollection/pct/bench/harness"
	library "github.com/profilecollection/pct/collector/bench"
	dbctl "github.com/profilecollection/pct/dbctl/bench"
	reports "github.com/profilecollection/pct/pct/bench"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = `usage: bench [-bin DIR]
       bench PART [OPTION...]

Measures PCT and other tools side by side, and prints one page of all parts or
the tables of one:

  library   what the library's samples cost the program, and how true they are
  dbctl     for how long a sample by dbctl stops the program
  reports   how long call path profiles take

  -bin DIR  where the commands are (default ./bin)
  -h        print this; bench PART -h prints the options of the part

example: bench library -run 'python3|gaps'
`

func parts() []harness.Part { return []harness.Part{library.Part(), dbctl.Part(), reports.Part()} }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		for _, p := range parts() {
			if p.Name == args[0] {
				return p.Main(args[1:], stdout, stderr)
			}
		}
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	bin := flags.String("bin", "bin", "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("there is no part %q", flags.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n%s", err, usage)
		return 2
	}
	status := 0
	for i, p := range parts() {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		status = max(status, p.Main([]string{"-bin", *bin}, stdout, stderr))
	}
	return status
}
