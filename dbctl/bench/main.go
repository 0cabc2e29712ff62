// Package bench measures what a sample costs the program that is sampled, for how long
// it stands still, with dbctl and with the usual ways to do the same with gdb,
// side by side in one run.
package bench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

const usage = `usage: bench dbctl [-quick] [-run REGEXP] [-rounds N] [-bin DIR]

Samples a program of known stack depth in several ways and prints for how long
each sample stopped it, then how fast gdb's answers are parsed.

  -quick       two short rounds, less than 40 seconds
  -run REGEXP  only the rows whose name matches, such as 'path' or 'depth 50'
  -rounds N    measure everything N times (default 5; 2 if -quick)
  -bin DIR     where dbctl is (default ./bin)
  -h           print this

example: bench dbctl -quick -run 'path at depth 50'
`

// Part is the benchmark of dbctl.
func Part() harness.Part {
	var quick *bool
	return harness.Part{
		Name: "dbctl", Usage: usage,
		Flags: func(flags *flag.FlagSet) { quick = flags.Bool("quick", false, "") },
		Measure: func(r *harness.Run) error {
			b := &bench{
				Run: r, dbctl: filepath.Join(r.Bin, "dbctl"), samples: make(map[cell][]sampled),
				burn: 400 * time.Millisecond, budget: 140 * time.Second,
			}
			rounds := 5
			if *quick {
				b.burn, b.budget, rounds = 200*time.Millisecond, 36*time.Second, 2
			}
			if b.Rounds == 0 {
				b.Rounds = rounds
			}
			if _, err := os.Stat(b.dbctl); err != nil {
				return fmt.Errorf("no dbctl (-bin DIR says where it is): %w", err)
			}
			return b.all()
		},
	}
}
