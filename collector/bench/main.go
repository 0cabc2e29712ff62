// Package bench measures what the library's samples cost and how true they are, beside
// perf record and gperftools' profiler, in one run.
package bench

import (
	"flag"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

const usage = `usage: bench library [-long] [-quick] [-run REGEXP] [-rounds N] [-bin DIR]

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

example: bench library -run 'python3|gaps'
`

// bench is a run of this part.
type bench struct {
	*harness.Run
	long, quick bool
	// budgets is how long the tables may take.
	budgets
	data     string // of the last method that was measured
	methods  []method
	programs []program
	first    bool // programs are run before all other work of the machine, by a real-time priority
}

type budgets struct {
	budget time.Duration // for the table of CPU time; as much for the distortion
	// pathBudget is for the table of call paths; a tenth of that for each depth of their gaps.
	pathBudget time.Duration
	waitBudget time.Duration // for each program that waits
}

// Part is the benchmark of the library.
func Part() harness.Part {
	var b bench
	return harness.Part{
		Name: "library", Usage: usage, Rounds: 1000,
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&b.long, "long", false, "")
			flags.BoolVar(&b.quick, "quick", false, "")
		},
		Measure: func(r *harness.Run) error {
			b.Run = r
			b.budgets = budgets{100 * time.Second, 4 * time.Minute, 30 * time.Second}
			if b.long {
				b.budgets = budgets{12 * time.Minute, 25 * time.Minute, 150 * time.Second}
			}
			return b.all()
		},
	}
}
