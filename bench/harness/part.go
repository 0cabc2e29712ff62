// Package harness is what the benchmarks share: their command line, rounds within a
// budget of time, commands that are measured, figures of several rounds, and failures.
package harness

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// A Part is one of the benchmarks: some tables of the page.
type Part struct {
	Name    string
	Usage   string
	Rounds  int                       // the default of -rounds; 0: the part decides
	Flags   func(flags *flag.FlagSet) // defines those of the part alone; nil: none
	Measure func(r *Run) error        // measures, and prints the tables
}

// A Run is one run of a part.
type Run struct {
	Bin      string         // the directory of the commands
	Rounds   int            // the most rounds
	Match    *regexp.Regexp // the rows and tables that are wanted
	Dir      string         // for files, this run's alone
	Out, Err io.Writer
	Failures int // measurements that failed

	terminal bool // Err is one
}

// Main is the command of a part. It returns the exit status: 1 if a measurement failed,
// 2 for a wrong command line.
func (p Part) Main(args []string, stdout, stderr io.Writer) int {
	r := &Run{Out: stdout, Err: stderr}
	err := p.parse(r, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, p.Usage)
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "bench: %v\n%s", err, p.Usage)
		return 2
	}
	if r.Dir, err = os.MkdirTemp("", "bench"); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	defer os.RemoveAll(r.Dir)
	if file, ok := stderr.(*os.File); ok {
		info, err := file.Stat()
		r.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	fmt.Fprintf(stdout, "%s: %d processors, kernel %s, load %s\n",
		p.Name, runtime.NumCPU(), firstLine("/proc/sys/kernel/osrelease"), firstLine("/proc/loadavg"))
	if err := p.Measure(r); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	if r.Failures > 0 {
		fmt.Fprintf(stderr, "bench: %d measurements failed\n", r.Failures)
		return 1
	}
	return 0
}

func (p Part) parse(r *Run, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	if p.Flags != nil {
		p.Flags(flags)
	}
	pattern := flags.String("run", "", "")
	flags.IntVar(&r.Rounds, "rounds", p.Rounds, "")
	bin := flags.String("bin", "bin", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if r.Rounds < min(1, p.Rounds) {
		return errors.New("-rounds: want a number above 0")
	}
	var err error
	if r.Match, err = regexp.Compile(*pattern); err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	r.Bin, err = filepath.Abs(*bin)
	return err
}

func firstLine(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
